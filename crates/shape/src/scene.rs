//! A scene: meshes, and the nodes that place them.

use glam::{DAffine3, DVec3, Vec3};

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
    /// outermost
    /// wins.
    pub fn colours(&self) -> Vec<Option<Colour>> {
        let mut colours: Vec<Option<Colour>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inherited = node.parent.and_then(|parent| colours.get(parent).copied().flatten());
            colours.push(inherited.or(node.colour));
        }
        colours
    }

    /// The smallest box around all that is shown, in the scene's coordinates; `None` if that is nothing.
    pub fn bounds(&self) -> Option<Bounds> {
        let placed = self.nodes.iter().zip(self.placements());
        let boxes = placed.filter_map(|(node, placement)| self.meshes.get(node.mesh?)?.bounds(&placement));
        boxes.reduce(Bounds::union)
    }

    /// Triangles, counted once for each mesh.
    pub fn triangles(&self) -> usize {
        self.meshes.iter().map(Mesh::triangles).sum()
    }
}

impl Mesh {
    /// The smallest box around it after this placement; `None` if it is empty.
    pub fn bounds(&self, placement: &DAffine3) -> Option<Bounds> {
        let corners = self.surfaces.iter().flat_map(|surface| &surface.positions);
        let points = corners.chain(&self.edges.positions);
        points.map(|point| Bounds::of(placement.transform_point3(point.as_dvec3()))).reduce(Bounds::union)
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
