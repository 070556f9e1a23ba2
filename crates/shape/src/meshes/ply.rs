//! PLY, as text and binary: vertices and faces. Colours, and the strips of old scanners (`tristrips`), are not read.

use glam::{DAffine3, Vec3};
use import::mesh::MeshError;
use import::mesh::points::Points;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult};

use super::builder::{MeshBuilder, SceneBuilder};
use crate::scene::{Scene, UpAxis};

/// True for the first line of a PLY file.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(b"ply\n") || head.starts_with(b"ply\r\n")
}

/// Reads a file. One that ends early has fewer faces than its header claims.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let parser = Parser::new();
    let mut reader = Reader::new(bytes);
    let header =
        parser.read_header(&mut reader).map_err(|_| MeshError::Damaged("its header is not that of a PLY"))?;
    let mut rows = Rows { parser, encoding: header.encoding, rest: reader.into_inner() };
    let mut points = Points::default();
    let (mut scene, mut mesh) = (SceneBuilder::default(), MeshBuilder::default());
    // Rows without properties have no bytes that would limit their number.
    for (name, element) in header.elements.iter().filter(|(_, element)| !element.properties.is_empty()) {
        match name.as_str() {
            "vertex" => {
                if !["x", "y", "z"].iter().all(|axis| element.properties.contains_key(*axis)) {
                    return Err(MeshError::Damaged("its vertices have no coordinates"));
                }
                let vertices = (0..element.count).map_while(|_| rows.next(element));
                vertices.for_each(|row| points.push(row.point()));
            }
            "face" => read_faces(element, &mut rows, &points, &mut scene, &mut mesh),
            _ => (0..element.count).map_while(|_| rows.next(element)).for_each(drop),
        }
    }
    let mesh = scene.mesh(mesh);
    scene.node("", None, DAffine3::IDENTITY, Some(mesh))?;
    scene.build(UpAxis::Z, None)
}

fn read_faces(
    element: &ElementDef,
    rows: &mut Rows<'_>,
    points: &Points,
    scene: &mut SceneBuilder,
    mesh: &mut MeshBuilder,
) {
    let mut left = u64::try_from(element.count).unwrap_or(u64::MAX);
    while left > 0 && scene.budget.has_triangles() {
        let Some(row) = rows.next(element) else { break };
        let corners: Vec<Option<Vec3>> = row.corners.iter().map(|number| points.get(*number)).collect();
        mesh.face(&mut scene.budget, None, &corners);
        left -= 1;
    }
    mesh.skip_faces(left);
}

/// The rows of a file that are not read yet.
struct Rows<'a> {
    parser: Parser<VertexOrFace>,
    encoding: Encoding,
    rest: &'a [u8],
}

impl Rows<'_> {
    /// The next row; `None` if it is damaged, or missing.
    fn next(&mut self, element: &ElementDef) -> Option<VertexOrFace> {
        match self.encoding {
            Encoding::Ascii => {
                let end =
                    memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end.saturating_add(1));
                let (line, rest) = self.rest.split_at_checked(end).filter(|(line, _)| !line.is_empty())?;
                self.rest = rest;
                self.parser.read_ascii_element(std::str::from_utf8(line).ok()?, element).ok()
            }
            Encoding::BinaryBigEndian => self.parser.read_big_endian_element(&mut self.rest, element).ok(),
            Encoding::BinaryLittleEndian => {
                self.parser.read_little_endian_element(&mut self.rest, element).ok()
            }
        }
    }
}

/// A row, as far as it has coordinates or corners.
#[derive(Debug, Default)]
struct VertexOrFace {
    coordinates: [Option<f32>; 3],
    corners: Vec<u32>,
}

impl VertexOrFace {
    fn point(&self) -> Option<Vec3> {
        let [x, y, z] = self.coordinates;
        Some(Vec3::new(x?, y?, z?))
    }
}

impl PropertyAccess for VertexOrFace {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let [x, y, z] = &mut self.coordinates;
        match name {
            "x" => *x = property.to_f32_lossy(),
            "y" => *y = property.to_f32_lossy(),
            "z" => *z = property.to_f32_lossy(),
            "vertex_indices" | "vertex_index" => self.corners = property.to_u32_list().unwrap_or_default(),
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}
