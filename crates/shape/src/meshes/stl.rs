//! STL, as text and binary.
//!
//! Read here: `stl_io` (0.11) takes each file that begins with `solid` for text, which is wrong for many binary ones,
//! and knows neither the names of solids nor colours.

use glam::{DAffine3, Vec3};
use import::mesh::MeshError;
use import::mesh::text::{point, words};

use super::TRIANGLES_MAX;
use super::builder::{MeshBuilder, SceneBuilder};
use crate::scene::{Colour, Scene, UpAxis};

/// Bytes before the triangles of a binary file: a header, and the number of triangles.
const HEADER: usize = 80;
const PREFIX: usize = 84;
/// Bytes of a triangle: a direction, three corners, and an attribute.
const TRIANGLE: usize = 50;
/// Most triangles that a file of a wrong length may claim. Text in place of the number claims more.
const CLAIM_MAX: u64 = 0x2000_0000;
/// The mark of a file's colour in its header, by Materialise Magics. Four bytes follow: red, green, blue and alpha.
const COLOUR_MARK: &[u8] = b"COLOR=";

/// True for the beginning of an STL file. Under its own extension, its length may be wrong.
pub(super) fn begins(head: &[u8], size_bytes: u64, is_named: bool) -> bool {
    let is_text = || is_text(head) && (is_named || memchr::memmem::find(head, b"facet").is_some());
    let is_binary = || is_named && claim(head).is_some_and(|claim| claim < CLAIM_MAX);
    has_exact_length(head, size_bytes) || is_text() || is_binary()
}

/// Reads a file. Each solid of a text is a node.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let size_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut scene = SceneBuilder::default();
    if !has_exact_length(bytes, size_bytes) && is_text(bytes) {
        read_text(bytes, &mut scene)?;
    } else {
        read_binary(bytes, &mut scene)?;
    }
    scene.build(UpAxis::Z, None)
}

/// The number of triangles that a binary file claims, at least one.
fn claim(head: &[u8]) -> Option<u64> {
    let claim = u32::from_le_bytes(head.get(HEADER..PREFIX)?.try_into().ok()?);
    (claim > 0).then_some(u64::from(claim))
}

/// True for a complete binary file. Its header may begin as a text does.
fn has_exact_length(head: &[u8], size_bytes: u64) -> bool {
    claim(head).is_some_and(|claim| claim.saturating_mul(50).saturating_add(84) == size_bytes)
}

/// True for `solid`, and no zero, which each binary file contains.
fn is_text(bytes: &[u8]) -> bool {
    let begin = bytes.trim_ascii_start().get(..5);
    begin.is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) && memchr::memchr(0, bytes).is_none()
}

fn read_text(bytes: &[u8], scene: &mut SceneBuilder) -> Result<(), MeshError> {
    let (mut name, mut mesh) = (String::new(), MeshBuilder::default());
    let mut corners: Vec<Option<Vec3>> = Vec::new();
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let mut words = words(line);
        match words.next().map(<[u8]>::to_ascii_lowercase).as_deref() {
            Some(b"solid") => {
                add(scene, &name, std::mem::take(&mut mesh))?;
                name =
                    line.trim_ascii_start().get(5..).map(String::from_utf8_lossy).unwrap_or_default().into();
            }
            Some(b"facet") => corners.clear(),
            Some(b"vertex") => corners.push(point(&mut words)),
            Some(b"endfacet") => {
                mesh.face(&mut scene.budget, None, &corners);
                corners.clear();
            }
            _ => {}
        }
    }
    add(scene, &name, mesh)
}

/// Adds a solid that has a triangle.
fn add(scene: &mut SceneBuilder, name: &str, mesh: MeshBuilder) -> Result<(), MeshError> {
    if !mesh.is_empty() {
        let mesh = scene.mesh(mesh);
        scene.node(name, None, DAffine3::IDENTITY, Some(mesh))?;
    }
    Ok(())
}

fn read_binary(bytes: &[u8], scene: &mut SceneBuilder) -> Result<(), MeshError> {
    let Some((header, triangles)) = bytes.split_at_checked(PREFIX) else { return Ok(()) };
    let claim = claim(header).unwrap_or(0);
    let most = usize::try_from(claim).unwrap_or(usize::MAX).min(TRIANGLES_MAX);
    let palette = StlPalette::of(header);
    let mut mesh = MeshBuilder::default();
    let mut read = 0;
    for triangle in triangles.as_chunks::<TRIANGLE>().0.iter().take(most) {
        // The first vector is a direction.
        if let ([_, corners @ ..], attribute) = triangle.as_chunks::<12>() {
            let corners: Vec<Option<Vec3>> = corners.iter().map(vector).collect();
            mesh.face(&mut scene.budget, palette.colour(attribute), &corners);
        }
        read += 1;
    }
    mesh.skip_faces(claim.saturating_sub(read));
    add(scene, "", mesh)
}

fn vector(bytes: &[u8; 12]) -> Option<Vec3> {
    let ([x, y, z], _) = bytes.as_chunks::<4>() else { return None };
    Some(Vec3::from([x, y, z].map(|number| f32::from_le_bytes(*number))))
}

/// The meaning of the attributes of triangles.
enum StlPalette {
    /// Materialise Magics: an attribute without its highest bit is a colour, the others have that of the file.
    Materialise(Colour),
    /// VisCAM and SolidView: an attribute with its highest bit is a colour.
    VisCam,
}

impl StlPalette {
    fn of(header: &[u8]) -> Self {
        let colour = memchr::memmem::find(header, COLOUR_MARK)
            .and_then(|place| header.get(place.saturating_add(COLOUR_MARK.len())..))
            .and_then(|rest| rest.first_chunk::<4>());
        match colour.map(|colour| colour.map(|part| f32::from(part) / 255.0)) {
            Some([red, green, blue, alpha]) => {
                Self::Materialise(Colour::from_srgb([red, green, blue], alpha))
            }
            None => Self::VisCam,
        }
    }

    fn colour(&self, attribute: &[u8]) -> Option<Colour> {
        let attribute = attribute.try_into().map(u16::from_le_bytes).unwrap_or_default();
        // Five bits each.
        let [low, middle, high] = [0, 5, 10].map(|shift| f32::from((attribute >> shift) & 31) / 31.0);
        match (self, attribute >> 15 == 1) {
            (Self::Materialise(_), false) => Some(Colour::from_srgb([low, middle, high], 1.0)),
            (Self::Materialise(of_file), true) => Some(*of_file),
            (Self::VisCam, true) => Some(Colour::from_srgb([high, middle, low], 1.0)),
            (Self::VisCam, false) => None,
        }
    }
}
