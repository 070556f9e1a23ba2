//! The view of a scene: which of its meshes are drawn, and where.

use glam::{Affine3A, DAffine3, DMat3, DVec3, Mat3A, Vec3, Vec3A};

use crate::scene::{Bounds, Colour, Mesh, Scene, UpAxis};

/// Room on each side of the content, as a share of the picture.
const MARGIN: f64 = 0.04;
/// The least width of a picture's content, as a share of its depth.
const NEEDLE: f64 = 1e-6;
/// Points whose bounds are computed. With more, the bounds are those of the boxes of meshes, which may be wider.
const POINTS_MAX: usize = 4_000_000;

/// A mesh of the scene, placed in the picture.
pub(super) struct PlacedMesh<'a> {
    pub(super) mesh: &'a Mesh,
    /// The colour that its node has in place of its own.
    pub(super) colour: Option<Colour>,
    /// The corners of its box, in samples.
    pub(super) corners: [Vec3A; 8],
    /// The longer side of that box in the picture, in samples.
    pub(super) extent: f32,
    /// The middle of its box, from which points are measured. Numbers of 32 bits are too coarse far from zero.
    origin: Vec3A,
    /// From there to samples: x to the right, y down, and z away from the viewer.
    to_samples: Affine3A,
    /// From directions of the mesh to those of samples, but for their lengths.
    normals: Mat3A,
}

/// A mesh of the scene, turned to the view.
struct ViewedMesh<'a> {
    mesh: &'a Mesh,
    colour: Option<Colour>,
    /// Its box, in its own coordinates.
    bounds: Bounds,
    /// From its coordinates to the axes of samples, in the unit of the scene.
    to_view: DAffine3,
}

/// The meshes of a node and of all below it, or of the whole scene, in a picture of `side` × `side` samples. Large ones
/// are first.
pub(super) fn place(scene: &Scene, node: Option<usize>, side: u16) -> Vec<PlacedMesh<'_>> {
    let meshes = viewed(scene, node);
    let count = meshes.iter().map(|one| points(one.mesh).count()).fold(0, usize::saturating_add);
    let boxes = meshes.iter().filter_map(|one| {
        let to_view = |point| one.to_view.transform_point3(point);
        if count > POINTS_MAX {
            bounds(corners(&one.bounds).map(to_view))
        } else {
            bounds(points(one.mesh).map(to_view))
        }
    });
    let Some(content) = boxes.reduce(Bounds::union) else { return Vec::new() };
    let fit = fit(&content, side);
    let mut placed: Vec<PlacedMesh<'_>> = meshes.iter().filter_map(|one| one.placed(&fit)).collect();
    placed.sort_by(|a, b| b.extent.total_cmp(&a.extent));
    placed
}

impl PlacedMesh<'_> {
    /// The place of a point of the mesh, in samples.
    #[inline]
    pub(super) fn point(&self, point: Vec3) -> Vec3A {
        self.to_samples.transform_point3a(Vec3A::from(point) - self.origin)
    }

    /// A direction of the mesh in samples, of length 1; its opposite if the placement mirrors. `None` if it has none.
    #[inline]
    pub(super) fn normal(&self, normal: Vec3) -> Option<Vec3A> {
        (self.normals * Vec3A::from(normal)).try_normalize()
    }
}

impl<'a> ViewedMesh<'a> {
    /// Its place in the picture; `None` if numbers of 32 bits can't tell it.
    fn placed(&self, fit: &DAffine3) -> Option<PlacedMesh<'a>> {
        let middle = self.bounds.min.midpoint(self.bounds.max).as_vec3a();
        let to_samples = (*fit * self.to_view * DAffine3::from_translation(middle.as_dvec3())).as_affine3a();
        let corners =
            corners(&self.bounds).map(|corner| to_samples.transform_point3a(corner.as_vec3a() - middle));
        let [least, most] =
            [Vec3A::min, Vec3A::max].map(|end| corners.into_iter().reduce(end).unwrap_or_default());
        let Mat3A { x_axis: x, y_axis: y, z_axis: z } = to_samples.matrix3;
        to_samples.is_finite().then_some(PlacedMesh {
            mesh: self.mesh,
            colour: self.colour,
            corners,
            extent: (most - least).truncate().max_element(),
            origin: middle,
            to_samples,
            // The cofactors, which are right under any placement, even one without an inverse.
            normals: Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y)),
        })
    }
}

/// The meshes of a node and of all below it, or of the whole scene.
fn viewed(scene: &Scene, node: Option<usize>) -> Vec<ViewedMesh<'_>> {
    let boxes: Vec<Option<Bounds>> = scene.meshes.iter().map(|mesh| bounds(points(mesh))).collect();
    let axes = DAffine3::from_mat3(axes(scene.up));
    let nodes = scene.nodes.iter().zip(below(scene, node));
    let meshes = nodes.map(|(node, is_below)| node.mesh.filter(|_| is_below));
    let viewed =
        meshes.zip(scene.placements()).zip(scene.colours()).filter_map(|((mesh, placement), colour)| {
            let (mesh, bounds) = (scene.meshes.get(mesh?)?, boxes.get(mesh?).copied().flatten()?);
            Some(ViewedMesh { mesh, colour, bounds, to_view: axes * placement })
        });
    viewed.collect()
}

/// True for a node and for all below it, in the order of the nodes. Without one, true for all.
fn below(scene: &Scene, top: Option<usize>) -> Vec<bool> {
    let mut below: Vec<bool> = Vec::with_capacity(scene.nodes.len());
    for (index, node) in scene.nodes.iter().enumerate() {
        let around = node.parent.and_then(|parent| below.get(parent).copied());
        below.push(top.is_none_or(|top| top == index) || around.unwrap_or(false));
    }
    below
}

/// Turns the scene to the axes of samples: an isometric view from the front, the right and above.
fn axes(up: UpAxis) -> DMat3 {
    let (right, front, up) = match up {
        UpAxis::Y => (DVec3::X, DVec3::Z, DVec3::Y),
        UpAxis::Z => (DVec3::X, DVec3::NEG_Y, DVec3::Z),
    };
    let (x, z) = ((right - front).normalize(), -(right + front + up).normalize());
    DMat3::from_cols(x, z.cross(x), z).transpose()
}

/// From the view to samples: the content is in the middle of the picture, and as large as can be.
fn fit(content: &Bounds, side: u16) -> DAffine3 {
    let (side, size) = (f64::from(side), content.size());
    // The picture of a line towards the viewer is a point, not its errors of rounding.
    let scale = side * (1.0 - 2.0 * MARGIN) / size.x.max(size.y).max(size.z * NEEDLE);
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let translation = DVec3::new(side, side, 0.0) / 2.0 - content.min.midpoint(content.max) * scale;
    DAffine3 { matrix3: DMat3::from_diagonal(DVec3::splat(scale)), translation }
}

/// All points of a mesh.
fn points(mesh: &Mesh) -> impl Iterator<Item = DVec3> {
    let corners = mesh.surfaces.iter().flat_map(|surface| &surface.positions);
    corners.chain(&mesh.edges.positions).map(|point| point.as_dvec3())
}

/// The box around all points that are finite.
fn bounds(points: impl IntoIterator<Item = DVec3>) -> Option<Bounds> {
    points.into_iter().filter(|point| point.is_finite()).map(Bounds::of).reduce(Bounds::union)
}

fn corners(bounds: &Bounds) -> [DVec3; 8] {
    let Bounds { min, max } = bounds;
    [0_u8, 1, 2, 3, 4, 5, 6, 7].map(|corner| {
        let axis = |bit: u8, min: f64, max: f64| if corner & bit == 0 { min } else { max };
        DVec3::new(axis(1, min.x, max.x), axis(2, min.y, max.y), axis(4, min.z, max.z))
    })
}
