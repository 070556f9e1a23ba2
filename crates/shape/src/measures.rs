//! Area, volume and centre of shapes, as far as they are certain. Others are not told: a wrong figure is worse than
//! none.
//!
//! Rules:
//! - All faces of the file have triangles.
//! - A volume needs a closed mesh: each side of a triangle is used by two, in opposite directions. All pieces look
//!   outwards, and none is in the box of another: which is a hollow, and which another body?
//! - Nothing is told that may be off by more than [`UNCERTAIN`]; the errors of triangles on curved surfaces are added
//!   up.

mod mesh;
mod sides;

use glam::{DAffine3, DMat3, DVec3};

use crate::scene::{Bounds, Scene};

/// Largest part by which a told measure may be off. It is half of what readers are promised.
pub const UNCERTAIN: f64 = 0.005;
/// Deviation from a turn, of axes of length 1, that numbers of 32 bits make.
const RIGID: f64 = 1e-4;

/// Measures of a shape. Uncertain ones are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// The smallest box around it along the axes.
    pub bounds: Option<Bounds>,
    /// Area of its surface.
    pub area: Option<f64>,
    /// Volume.
    pub volume: Option<f64>,
    /// Centre of the volume.
    pub centre: Option<DVec3>,
}

/// A sum and the most by which it may be off.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    value: f64,
    error: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Volume {
    amount: Amount,
    centre: DVec3,
}

/// Measures of a mesh, or of a node with all below it, in its own coordinates. Without faces they are zero.
#[derive(Clone, Copy, Debug, Default)]
struct MeasuredMesh {
    /// `None` if unknown.
    area: Option<Amount>,
    /// `None` if unknown.
    volume: Option<Volume>,
    has_faces: bool,
}

/// A triangle in the coordinates of the mesh, relative to a point near it.
struct Facet {
    /// Its corners.
    corners: [DVec3; 3],
    /// The direction that it looks in.
    normal: DVec3,
    area: f64,
    /// Heights of the surface above the middle of each side, from a corner to the next.
    heights: [f64; 3],
    /// Part of the area that the bend of the surface adds; `None` if its heights aren't known.
    bend: Option<f64>,
}

/// The measures of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneMeasures {
    /// All that is placed, in the scene's coordinates. Parts that overlap count twice.
    pub whole: Measures,
    /// Each node with all below it, along its own axes and in the scene's unit. The box is that of a node without nodes
    /// below it. A node that is stretched has none.
    pub nodes: Vec<Measures>,
}

impl Scene {
    /// Measures all that it shows.
    pub fn measures(&self) -> SceneMeasures {
        let meshes: Vec<MeasuredMesh> =
            self.meshes.iter().map(|mesh| mesh::measure(mesh, self.is_exact)).collect();
        let own = |mesh: Option<usize>| mesh.and_then(|mesh| meshes.get(mesh)).copied();
        let mut nodes: Vec<MeasuredMesh> =
            self.nodes.iter().map(|node| own(node.mesh).unwrap_or(NOTHING)).collect();
        let mut whole = NOTHING;
        let mut is_leaf = vec![true; nodes.len()];
        for (place, node) in self.nodes.iter().enumerate().rev() {
            let placed = nodes.get(place).copied().unwrap_or(NOTHING).placed(&node.placement);
            match node.parent {
                Some(parent) => {
                    if let (Some(around), Some(is_leaf)) = (nodes.get_mut(parent), is_leaf.get_mut(parent)) {
                        *around = around.with(placed);
                        *is_leaf = false;
                    }
                }
                None => whole = whole.with(placed),
            }
        }
        let boxes: Vec<Option<Bounds>> =
            self.meshes.iter().map(|mesh| mesh.bounds(&DAffine3::IDENTITY)).collect();
        let of_node = |(place, placement): (usize, DAffine3)| {
            let Some(scale) = scale(&placement.matrix3) else { return Measures::default() };
            let mesh = self.nodes.get(place).and_then(|node| node.mesh);
            let bounds = mesh.and_then(|mesh| boxes.get(mesh).copied()).flatten();
            let sized = DAffine3::from_scale(DVec3::splat(scale));
            let measured = nodes.get(place).copied().unwrap_or(NOTHING).placed(&sized).certain();
            let bounds = bounds.filter(|_| is_leaf.get(place) == Some(&true));
            let bounds = bounds.map(|Bounds { min, max }| Bounds { min: min * scale, max: max * scale });
            let bounds = bounds.filter(|bounds| bounds.min.is_finite() && bounds.max.is_finite());
            Measures { bounds, ..measured }
        };
        let nodes = self.placements().into_iter().enumerate().map(of_node).collect();
        SceneMeasures { whole: Measures { bounds: self.bounds(), ..whole.certain() }, nodes }
    }
}

const ZERO: Amount = Amount { value: 0.0, error: 0.0 };
/// The measures of no faces.
const NOTHING: MeasuredMesh = MeasuredMesh {
    area: Some(ZERO),
    volume: Some(Volume { amount: ZERO, centre: DVec3::ZERO }),
    has_faces: false,
};

impl MeasuredMesh {
    /// The measures after a placement.
    fn placed(&self, placement: &DAffine3) -> Self {
        let volume_by = placement.matrix3.determinant().abs();
        let area_by = scale(&placement.matrix3).map(|scale| scale * scale);
        Self {
            // A stretch that differs by direction changes an area in a way that its figure doesn't tell.
            area: match self.area {
                Some(area) if area.value > 0.0 => area_by.map(|by| area.times(by)),
                other => other,
            },
            volume: self.volume.map(|Volume { amount, centre }| Volume {
                amount: amount.times(volume_by),
                centre: placement.transform_point3(centre),
            }),
            has_faces: self.has_faces,
        }
    }

    /// Both together.
    fn with(self, other: Self) -> Self {
        // Lines of a design have neither, and nothing to add.
        if !self.has_faces {
            return other;
        }
        if !other.has_faces {
            return self;
        }
        let volume = self.volume.zip(other.volume).map(|(one, other)| {
            let amount = one.amount.plus(other.amount);
            let moment = one.centre * one.amount.value + other.centre * other.amount.value;
            Volume { amount, centre: moment / amount.value }
        });
        let area = self.area.zip(other.area).map(|(one, other)| one.plus(other));
        Self { area, volume, has_faces: true }
    }

    /// The measures that are certain.
    fn certain(&self) -> Measures {
        let volume =
            self.volume.filter(|volume| volume.amount.certain().is_some() && volume.centre.is_finite());
        Measures {
            bounds: None,
            area: self.area.and_then(|area| area.certain()),
            volume: volume.map(|volume| volume.amount.value),
            centre: volume.map(|volume| volume.centre),
        }
    }
}

impl Amount {
    fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, error: self.error * factor }
    }

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, error: self.error + other.error }
    }

    fn certain(self) -> Option<f64> {
        let is_certain = self.value.is_finite() && self.value > 0.0 && self.error <= self.value * UNCERTAIN;
        is_certain.then_some(self.value)
    }
}

/// The length to which axes of length 1 are scaled; `None` if they become of different lengths, or no right angles.
fn scale(axes: &DMat3) -> Option<f64> {
    let scale = axes.determinant().abs().cbrt();
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *axes * scale.recip();
    let products = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
    (scale.is_finite() && products.iter().all(|product| product.abs() < RIGID)).then_some(scale)
}
