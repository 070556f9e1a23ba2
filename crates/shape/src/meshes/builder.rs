//! Scenes and meshes in the making, within the limits of [`super`] and of `import`.

use std::collections::{BTreeMap, HashMap};

use glam::{DAffine3, DVec3, Vec3};
use import::mesh::text::shortened;
use import::mesh::{LEVELS_MAX, MeshError, MeshNode, NODES_MAX};

use super::creases::{self, Patch};
use super::{COLOURS_MAX, SEGMENTS_MAX, TRIANGLES_MAX};
use crate::scene::{Bounds, Colour, FaceCount, Lines, Mesh, Node, Scene, UpAxis};

/// Triangles and segments that the meshes of a file may still take.
#[derive(Debug)]
pub(super) struct Budget {
    triangles: usize,
    segments: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { triangles: TRIANGLES_MAX, segments: SEGMENTS_MAX }
    }
}

impl Budget {
    /// False when no more triangles are taken, and readers needn't look at them.
    pub(super) fn has_triangles(&self) -> bool {
        self.triangles > 0
    }

    /// False when no more segments are taken.
    pub(super) fn has_segments(&self) -> bool {
        self.segments > 0
    }
}

/// Subtracts a part. The rest goes, too, if it is smaller, so that nothing is taken after the first refusal.
fn take(left: &mut usize, part: usize) -> bool {
    let is_enough = *left >= part;
    *left = left.saturating_sub(part);
    is_enough
}

/// A scene to which nodes and meshes are added.
#[derive(Debug, Default)]
pub(super) struct SceneBuilder {
    /// Shared by all meshes.
    pub(super) budget: Budget,
    scene: Scene,
    /// The level of each node, from 1.
    levels: Vec<usize>,
}

impl SceneBuilder {
    /// Adds a node, and returns its index.
    ///
    /// # Errors
    /// There are too many nodes, or too many levels.
    pub(super) fn node(
        &mut self,
        name: &str,
        parent: Option<usize>,
        placement: DAffine3,
        mesh: Option<usize>,
    ) -> Result<usize, MeshError> {
        let index = self.scene.nodes.len();
        let level = parent.and_then(|parent| self.levels.get(parent)).map_or(1, |above| above + 1);
        if level > LEVELS_MAX {
            return Err(MeshError::TooDeep);
        }
        if index >= NODES_MAX {
            return Err(MeshError::TooManyNodes);
        }
        self.levels.push(level);
        let name = shortened(name);
        self.scene.nodes.push(Node { name, parent, placement, mesh, colour: None, object: None });
        Ok(index)
    }

    /// Adds a node of a file with parts, whose parent has the same index here.
    ///
    /// # Errors
    /// There are too many nodes, or too many levels.
    pub(super) fn add<S>(&mut self, node: &MeshNode<S>, mesh: Option<usize>) -> Result<(), MeshError> {
        let added = self.node(node.shown_name(), node.parent, node.placement, mesh)?;
        if let Some(added) = self.scene.nodes.get_mut(added) {
            added.object = node.object;
        }
        Ok(())
    }

    /// Adds a mesh, and returns its index.
    pub(super) fn mesh(&mut self, mesh: MeshBuilder) -> usize {
        self.scene.meshes.push(mesh.build());
        self.scene.meshes.len().saturating_sub(1)
    }

    /// The scene.
    ///
    /// # Errors
    /// No node shows a face or a line, or coordinates are too large for 32 bits.
    pub(super) fn build(self, up: UpAxis, metres: Option<f64>) -> Result<Scene, MeshError> {
        let scene = Scene { up, metres, is_exact: true, ..self.scene };
        let bounds: Vec<Option<Bounds>> =
            scene.meshes.iter().map(|mesh| mesh.bounds(&DAffine3::IDENTITY)).collect();
        let bounds_of = |node: &Node| bounds.get(node.mesh?).copied().flatten();
        if !scene.nodes.iter().any(|node| bounds_of(node).is_some()) {
            return Err(MeshError::Empty);
        }
        let placed = scene.nodes.iter().zip(scene.placements());
        for (node, placement) in placed {
            if !is_within_reach(&placement, bounds_of(node)) {
                return Err(MeshError::Damaged("its coordinates are too large"));
            }
        }
        Ok(scene)
    }
}

/// True if no coordinate of a placed box exceeds 32 bits, in which scenes are drawn.
fn is_within_reach(placement: &DAffine3, bounds: Option<Bounds>) -> bool {
    let reach = bounds.map(|bounds| bounds.min.abs().max(bounds.max.abs())).unwrap_or_default();
    let [x, y, z] = placement.matrix3.to_cols_array_2d().map(|axis| DVec3::from(axis).abs());
    let farthest = x * reach.x + y * reach.y + z * reach.z + placement.translation.abs();
    placement.is_finite() && farthest.max_element() <= f64::from(f32::MAX)
}

/// A mesh to which faces are added by their corners. Equal corners become one.
#[derive(Debug, Default)]
pub(super) struct MeshBuilder {
    positions: Vec<Vec3>,
    /// Indices of the positions by the bits of their coordinates.
    corners: HashMap<[u32; 3], u32>,
    /// Triangles by the bits of their colours.
    patches: BTreeMap<Option<[u32; 4]>, Patch>,
    edges: Lines,
    faces: FaceCount,
}

impl MeshBuilder {
    /// Adds a face as a fan of triangles. It isn't shown if a corner is missing or infinite, or beyond the budget.
    /// Triangles without three different corners are left out: nobody would see them.
    pub(super) fn face(&mut self, budget: &mut Budget, colour: Option<Colour>, corners: &[Option<Vec3>]) {
        self.faces.all = self.faces.all.saturating_add(1);
        let triangles = corners.len().saturating_sub(2);
        // Faces that aren't shown take time as well.
        let is_affordable = take(&mut budget.triangles, triangles.max(1));
        let is_complete = || corners.iter().all(|corner| corner.is_some_and(Vec3::is_finite));
        if triangles == 0 || !is_affordable || !is_complete() {
            return;
        }
        self.faces.shown = self.faces.shown.saturating_add(1);
        let (mut first, mut second) = (None, None);
        for corner in corners.iter().flatten() {
            let third = self.corner(*corner);
            if let (Some(first), Some(second)) = (first, second)
                && first != second
                && second != third
                && third != first
            {
                self.patch(colour).triangles.push([first, second, third]);
            }
            second = first.and(Some(third));
            first = first.or(Some(third));
        }
    }

    /// Counts faces of the file that are not read.
    pub(super) fn skip_faces(&mut self, count: u64) {
        self.faces.all = self.faces.all.saturating_add(count);
    }

    /// Adds a line. It is left out if an end is missing or infinite, or beyond the budget.
    pub(super) fn segment(&mut self, budget: &mut Budget, ends: [Option<Vec3>; 2]) {
        let ends = ends.map(|end| end.filter(|end| end.is_finite()));
        if let (true, [Some(one), Some(other)]) = (take(&mut budget.segments, 1), ends) {
            append(&mut self.edges, &[one, other], &[[0, 1]]);
        }
    }

    /// True if the file has neither faces nor lines for it.
    pub(super) fn is_empty(&self) -> bool {
        self.faces.all == 0 && self.edges.segments.is_empty()
    }

    /// The mesh, with the directions of its surfaces and the edges at their creases.
    fn build(self) -> Mesh {
        let Self { positions, corners, patches, mut edges, faces } = self;
        // Frees memory, of which the next step needs more.
        drop(corners);
        let patches: Vec<Patch> = patches.into_values().collect();
        let (surfaces, creases) = creases::finish(&positions, &patches);
        append(&mut edges, &creases.positions, &creases.segments);
        Mesh { surfaces, edges, faces }
    }

    /// The index of the corner at a point.
    fn corner(&mut self, point: Vec3) -> u32 {
        // Makes one zero of the two.
        let point = point + Vec3::ZERO;
        let next = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        let corner = *self.corners.entry(point.to_array().map(f32::to_bits)).or_insert(next);
        if corner == next {
            self.positions.push(point);
        }
        corner
    }

    /// The triangles of a colour; those without a colour for one beyond [`COLOURS_MAX`].
    fn patch(&mut self, colour: Option<Colour>) -> &mut Patch {
        let key = colour.map(|Colour { rgb: [r, g, b], alpha }| [r, g, b, alpha].map(f32::to_bits));
        let is_known = self.patches.len() < COLOURS_MAX || self.patches.contains_key(&key);
        let (key, colour) = if is_known { (key, colour) } else { (None, None) };
        self.patches.entry(key).or_insert(Patch { colour, triangles: Vec::new() })
    }
}

/// Adds segments to lines, by the indices of their own positions.
fn append(lines: &mut Lines, positions: &[Vec3], segments: &[[u32; 2]]) {
    let offset = u32::try_from(lines.positions.len()).unwrap_or(u32::MAX);
    lines.positions.extend_from_slice(positions);
    lines.segments.extend(segments.iter().map(|ends| ends.map(|end| end.saturating_add(offset))));
}
