//! Wavefront OBJ: objects (`o`) and groups (`g`) become nodes, groups within their objects.
//!
//! Read here: `tobj` (4.0.5) overflows at some indices out of range, refuses a file for one wrong line, and has no
//! limit before it has read all. Materials are in other files, which are not followed.

use std::collections::HashMap;

use glam::{DAffine3, Vec3};
use import::mesh::points::Points;
use import::mesh::text::{number, point, shortened, words};
use import::mesh::{MeshError, NODES_MAX};

use super::builder::{MeshBuilder, SceneBuilder};
use crate::scene::{Scene, UpAxis};

/// Lines of a file's beginning in which a corner is looked for.
const HEAD_LINES: usize = 1_000;

/// True for the beginning of an OBJ file: a text with a corner.
pub(super) fn begins(head: &[u8]) -> bool {
    let is_corner = |line: &[u8]| {
        let mut words = words(line);
        words.next() == Some(b"v") && point(&mut words).is_some()
    };
    let mut lines = head.split(|byte| *byte == b'\n').take(HEAD_LINES);
    memchr::memchr(0, head).is_none() && lines.any(is_corner)
}

/// Reads a file. The format doesn't say which axis is up; Y is, where it comes from.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let (mut scene, mut parts) = (SceneBuilder::default(), ObjectGroups::default());
    let mut points = Points::default();
    let mut corners: Vec<Option<Vec3>> = Vec::new();
    for line in lines(bytes) {
        // A backslash continues a line.
        let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
        let mut words = line.split(is_space).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => points.push(point(&mut words)),
            Some(b"o") => parts.begin_object(text_after_keyword(line)),
            Some(b"g") => parts.begin_group(text_after_keyword(line)),
            Some(b"f") if !scene.budget.has_triangles() => parts.mesh()?.skip_faces(1),
            Some(b"f") => {
                corners.clear();
                corners.extend(words.map(|word| corner(word, &points)));
                parts.mesh()?.face(&mut scene.budget, None, &corners);
            }
            Some(b"l") if scene.budget.has_segments() => {
                let mut ends = words.map(|word| corner(word, &points));
                let Some(mut from) = ends.next() else { continue };
                for to in ends {
                    parts.mesh()?.segment(&mut scene.budget, [from, to]);
                    from = to;
                }
            }
            _ => {}
        }
    }
    parts.build(&mut scene)?;
    scene.build(UpAxis::Y, None)
}

/// The lines of a file; one that ends in a backslash together with the next.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let is_end = |end: &usize| {
            let line = rest.get(..*end).unwrap_or_default();
            !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
        };
        let end = memchr::memchr_iter(b'\n', rest).find(is_end).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end)?;
        rest = after.get(1..).unwrap_or_default();
        Some(line)
    })
}

/// The rest of a line: a name, which may have spaces.
fn text_after_keyword(line: &[u8]) -> String {
    let rest = line.trim_ascii_start().get(1..).unwrap_or_default();
    shortened(&String::from_utf8_lossy(rest))
}

/// The point of a corner: `7`, `7/1`, `7//2` or `7/1/2`. The first point has the number 1, the latest one -1.
fn corner(word: &[u8], points: &Points) -> Option<Vec3> {
    let number: i64 = number(word.split(|byte| *byte == b'/').next()?)?;
    let before = if number < 0 { i64::try_from(points.count()).ok()? } else { -1 };
    points.get(u32::try_from(before.checked_add(number)?).ok()?)
}

/// The object and the group of a part; empty texts for those without a name.
type PartName = (String, String);

/// The parts of a file. One that is begun again goes on.
#[derive(Default)]
struct ObjectGroups {
    name: PartName,
    /// The place of the part of this name, once it has a face or a line.
    current: Option<usize>,
    places: HashMap<PartName, usize>,
    parts: Vec<(PartName, MeshBuilder)>,
}

impl ObjectGroups {
    fn begin_object(&mut self, object: String) {
        self.name = (object, String::new());
        self.current = None;
    }

    fn begin_group(&mut self, group: String) {
        self.name.1 = group;
        self.current = None;
    }

    /// The mesh of the current part.
    fn mesh(&mut self) -> Result<&mut MeshBuilder, MeshError> {
        let next = self.parts.len();
        let place = self.current.unwrap_or_else(|| *self.places.entry(self.name.clone()).or_insert(next));
        self.current = Some(place);
        if place == next {
            self.parts.push((self.name.clone(), MeshBuilder::default()));
        }
        let part = self.parts.get_mut(place).filter(|_| place < NODES_MAX);
        part.map(|(_, mesh)| mesh).ok_or(MeshError::TooManyNodes)
    }

    /// Adds the nodes of all parts.
    fn build(self, scene: &mut SceneBuilder) -> Result<(), MeshError> {
        let (names, meshes): (Vec<PartName>, Vec<MeshBuilder>) = self.parts.into_iter().unzip();
        let meshes: Vec<usize> = meshes.into_iter().map(|mesh| scene.mesh(mesh)).collect();
        let mesh_of = |name: &PartName| self.places.get(name).and_then(|place| meshes.get(*place)).copied();
        let mut objects: HashMap<&str, usize> = HashMap::new();
        for name @ (object, group) in &names {
            let mut parent = objects.get(object.as_str()).copied();
            if parent.is_none() && !object.is_empty() {
                let own = mesh_of(&(object.clone(), String::new()));
                parent = Some(scene.node(object, None, DAffine3::IDENTITY, own)?);
                objects.extend(parent.map(|node| (object.as_str(), node)));
            }
            if object.is_empty() || !group.is_empty() {
                scene.node(group, parent, DAffine3::IDENTITY, mesh_of(name))?;
            }
        }
        Ok(())
    }
}
