//! A scene: meshes, and the nodes that place them.

use std::collections::HashMap;

use glam::{DAffine3, DVec3, Vec3};

/// Most placed points around which a box is exact. A small file may place a large mesh 10^5 times.
pub const EXACT_POINTS_MAX: usize = 10_000_000;

/// The content of a file in space. Every node and mesh index is valid, and no coordinate is infinite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The shapes, each in coordinates of its own. A shape that is used many times is one mesh.
    pub meshes: Vec<Mesh>,
    /// The occurrences, parents before children.
    pub nodes: Vec<Node>,
    /// The axis that points up in the coordinates of the roots.
    pub up: UpAxis,
    /// Metres in one unit of the roots' coordinates; `None` where the file doesn't say.
    pub metres: Option<f64>,
    /// True if the triangles are the shape. Those of a design approximate its surfaces.
    pub is_exact: bool,
}

/// An occurrence: a place, and the mesh that stands there.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name in the file; empty without one.
    pub name: String,
    /// Index of the node around it, which precedes it.
    pub parent: Option<usize>,
    /// From its coordinates to those of its parent, or of the scene.
    pub placement: DAffine3,
    /// Index of its mesh.
    pub mesh: Option<usize>,
    /// A colour of this occurrence and of all below it, in place of their own.
    pub colour: Option<Colour>,
    /// Index of its object among the drafts of the file's conversion.
    pub object: Option<usize>,
}

/// A shape: faces and edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Faces, one group for each colour.
    pub surfaces: Vec<Surface>,
    /// The edges of its faces.
    pub edges: Lines,
    /// How many faces the file has, and how many of them the surfaces show.
    pub faces: FaceCount,
}

/// Triangles of one colour. Both sides are to be drawn: files are seldom right about which is outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The colour; `None` where the file gives none.
    pub colour: Option<Colour>,
    /// Corners.
    pub positions: Vec<Vec3>,
    /// The direction of the surface at each corner, of length 1; empty if unknown.
    pub normals: Vec<Vec3>,
    /// Indices of three corners each.
    pub triangles: Vec<[u32; 3]>,
}

/// Segments of lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// Their ends.
    pub positions: Vec<Vec3>,
    /// Indices of two ends each.
    pub segments: Vec<[u32; 2]>,
}

/// Faces of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCount {
    /// All of the file.
    pub all: u64,
    /// Those with triangles.
    pub shown: u64,
}

/// A colour in linear light, as glTF writes it; each value is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [f32; 3],
    /// 1 is opaque.
    pub alpha: f32,
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// glTF.
    Y,
    /// STEP, STL, 3MF and most programs for design.
    #[default]
    Z,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the least coordinates.
    pub min: DVec3,
    /// The opposite corner.
    pub max: DVec3,
}

impl Scene {
    /// From each node's coordinates to those of the scene, in the order of the nodes.
    pub fn placements(&self) -> Vec<DAffine3> {
        let mut placements: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let around = node.parent.and_then(|parent| placements.get(parent).copied());
            placements.push(around.unwrap_or(DAffine3::IDENTITY) * node.placement);
        }
        placements
    }

    /// The colours that nodes have or inherit in place of those of their meshes, in the order of the nodes. The
    /// outermost wins.
    pub fn colours(&self) -> Vec<Option<Colour>> {
        let mut colours: Vec<Option<Colour>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inherited = node.parent.and_then(|parent| colours.get(parent).copied().flatten());
            colours.push(inherited.or(node.colour));
        }
        colours
    }

    /// The smallest box around all that is shown, in the scene's coordinates; `None` if that is nothing. With more than
    /// [`EXACT_POINTS_MAX`] placed points it is the box around the boxes of meshes, which may be larger.
    pub fn bounds(&self) -> Option<Bounds> {
        let counts: Vec<usize> = self.meshes.iter().map(|mesh| mesh.points().count()).collect();
        let of_node = |node: &Node| node.mesh.and_then(|mesh| counts.get(mesh).copied()).unwrap_or(0);
        let is_exact = self.nodes.iter().map(of_node).fold(0, usize::saturating_add) <= EXACT_POINTS_MAX;
        let boxes: Vec<Option<Bounds>> = match is_exact {
            true => Vec::new(),
            false => self.meshes.iter().map(|mesh| mesh.bounds(&DAffine3::IDENTITY)).collect(),
        };
        let placed =
            self.nodes.iter().zip(self.placements()).filter_map(|(node, placement)| match is_exact {
                true => self.meshes.get(node.mesh?)?.bounds(&placement),
                false => boxes.get(node.mesh?).copied()?.map(|own| own.placed(&placement)),
            });
        placed.reduce(Bounds::union)
    }

    /// A scene of this node and those below it, in the coordinates in which the node stands.
    pub fn part(&self, node: usize) -> Option<Self> {
        let top = self.nodes.get(node)?;
        let colours = self.colours();
        let mut places = HashMap::from([(node, 0)]);
        let root = Node { parent: None, placement: DAffine3::IDENTITY, ..top.clone() };
        let mut part = Self {
            nodes: vec![root],
            up: self.up,
            metres: self.metres,
            is_exact: self.is_exact,
            ..Self::default()
        };
        if let Some(root) = part.nodes.first_mut() {
            root.colour = colours.get(node).copied().flatten();
        }
        for (place, below) in self.nodes.iter().enumerate().skip(node + 1) {
            if let Some(parent) = below.parent.and_then(|parent| places.get(&parent)) {
                let below = Node { parent: Some(*parent), ..below.clone() };
                places.insert(place, part.nodes.len());
                part.nodes.push(below);
            }
        }
        let mut meshes = HashMap::new();
        for below in &mut part.nodes {
            let Some(mesh) = below.mesh else { continue };
            let next = meshes.len();
            below.mesh = Some(*meshes.entry(mesh).or_insert(next));
            if meshes.len() > part.meshes.len() {
                part.meshes.push(self.meshes.get(mesh)?.clone());
            }
        }
        Some(part)
    }

    /// Faces of all meshes, each counted once.
    pub fn faces(&self) -> FaceCount {
        self.meshes.iter().fold(FaceCount::default(), |sum, mesh| FaceCount {
            all: sum.all.saturating_add(mesh.faces.all),
            shown: sum.shown.saturating_add(mesh.faces.shown),
        })
    }

    /// Triangles, counted once for each mesh.
    pub fn triangles(&self) -> usize {
        self.meshes.iter().map(Mesh::triangles).sum()
    }
}

impl Mesh {
    /// The smallest box around it after this placement; `None` if it is empty.
    pub fn bounds(&self, placement: &DAffine3) -> Option<Bounds> {
        self.points()
            .map(|point| Bounds::of(placement.transform_point3(point.as_dvec3())))
            .reduce(Bounds::union)
    }

    /// Corners of faces and ends of edges.
    fn points(&self) -> impl Iterator<Item = &Vec3> {
        self.surfaces.iter().flat_map(|surface| &surface.positions).chain(&self.edges.positions)
    }

    /// Triangles of all surfaces.
    pub fn triangles(&self) -> usize {
        self.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    }
}

impl Bounds {
    /// The box around one point.
    pub fn of(point: DVec3) -> Self {
        Self { min: point, max: point }
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box around its corners after this placement.
    fn placed(&self, placement: &DAffine3) -> Self {
        let corners = [0.0, 1.0].map(|x| [0.0, 1.0].map(|y| [0.0, 1.0].map(|z| DVec3::new(x, y, z))));
        let point = |share: &DVec3| placement.transform_point3(self.min + (self.max - self.min) * *share);
        let points = corners.as_flattened().as_flattened().iter().map(point);
        points.map(Self::of).reduce(Self::union).unwrap_or(*self)
    }

    /// Its lengths along the axes.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

impl Colour {
    /// A colour whose values are encoded as sRGB, as screens and STEP files have them.
    pub fn from_srgb(rgb: [f32; 3], alpha: f32) -> Self {
        let linear = |value: f32| {
            let value = value.clamp(0.0, 1.0);
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        Self { rgb: rgb.map(linear), alpha: alpha.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DVec3, Vec3};

    use super::{EXACT_POINTS_MAX, Lines, Mesh, Node, Scene};

    /// A scene of a cube's corners, `times` over, in `nodes` places along the first axis.
    fn cubes(nodes: u32, times: usize) -> Scene {
        let corners = [0.0, 1.0].map(|x| [0.0, 1.0].map(|y| [0.0, 1.0].map(|z| Vec3::new(x, y, z))));
        let positions = corners.as_flattened().as_flattened().repeat(times);
        let mesh = Mesh { edges: Lines { positions, segments: Vec::new() }, ..Mesh::default() };
        let node = |place: u32| Node {
            name: String::new(),
            parent: None,
            placement: DAffine3::from_translation(DVec3::X * f64::from(place))
                * DAffine3::from_rotation_z(0.5),
            mesh: Some(0),
            colour: None,
            object: None,
        };
        Scene { meshes: vec![mesh], nodes: (0..nodes).map(node).collect(), ..Scene::default() }
    }

    #[test]
    fn a_box_around_many_points_is_that_around_their_boxes() {
        let few = cubes(10, 1).bounds().unwrap();
        // The corners are those of the mesh's own box, so both ways find the same.
        let many = cubes(10, EXACT_POINTS_MAX / 80 + 1).bounds().unwrap();
        assert!(few.min.distance(many.min) < 1e-9 && few.max.distance(many.max) < 1e-9, "{few:?}, {many:?}");
    }
}
