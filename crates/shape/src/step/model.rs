//! Points, directions and placements of a STEP file, found by their names.

use glam::{DAffine3, DMat3, DVec3};
use import::step::{Entity, Instances, Parameter, Record};

/// Lengths under this are those of no direction.
const SHORT: f64 = 1e-9;

/// A file's instances, read as geometry. Everything is `None` where the file lacks it or is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry<'a> {
    instances: &'a Instances<'a>,
}

/// Right-handed orthogonal axes in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) origin: DVec3,
    pub(super) x: DVec3,
    pub(super) y: DVec3,
    pub(super) z: DVec3,
}

/// The coordinates of a point on a surface. The first is the one that has no value where the surface ends in a point:
/// at the apex of a cone and the poles of a sphere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates {
    /// The first; `None` where every value is right.
    pub(super) u: Option<f64>,
    pub(super) v: f64,
}

impl<'a> Geometry<'a> {
    pub(super) fn new(instances: &'a Instances<'a>) -> Self {
        Self { instances }
    }

    pub(super) fn record(&self, id: u64) -> Option<Record<'a>> {
        self.instances.record(id)
    }

    /// A point: of its own, or of a vertex.
    pub(super) fn point(&self, id: u64) -> Option<DVec3> {
        let record = self.record(id)?;
        match record.entity(&[b"VERTEX_POINT"]) {
            Some(vertex) => {
                let point = self.record(vertex.nth_last(0)?.reference()?)?;
                coordinates(point.entity(&[b"CARTESIAN_POINT"])?)
            }
            None => coordinates(record.entity(&[b"CARTESIAN_POINT"])?),
        }
    }

    /// Points in a list of references; `None` if one is missing.
    pub(super) fn points(&self, list: &[Parameter<'_>]) -> Option<Vec<DVec3>> {
        list.iter().map(|point| self.point(point.reference()?)).collect()
    }

    /// A direction of length 1.
    pub(super) fn direction(&self, id: u64) -> Option<DVec3> {
        let record = self.record(id)?;
        unit(coordinates(record.entity(&[b"DIRECTION"])?)?)
    }

    /// The axes of a placement.
    pub(super) fn frame(&self, id: u64) -> Option<Frame> {
        let DAffine3 { matrix3, translation } = self.map(id)?;
        let [x, y, z] = [matrix3.x_axis, matrix3.y_axis, matrix3.z_axis];
        Some(Frame { origin: translation, x, y, z })
    }

    /// The map of a placement or a transformation operator, from its own coordinates.
    pub(super) fn map(&self, id: u64) -> Option<DAffine3> {
        affine(&self.instances.placement(id)?)
    }
}

/// A placement by the rows of its matrix; `None` if it is not finite.
pub(super) fn affine(rows: &[[f64; 4]; 4]) -> Option<DAffine3> {
    let [[xx, yx, zx, x], [xy, yy, zy, y], [xz, yz, zz, z], _] = *rows;
    let turn = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(yx, yy, yz), DVec3::new(zx, zy, zz));
    let placement = DAffine3 { matrix3: turn, translation: DVec3::new(x, y, z) };
    placement.is_finite().then_some(placement)
}

impl Frame {
    /// Axes from a z-axis and an approximate x-axis; `None` if these determine none.
    pub(super) fn of(origin: DVec3, axis: Option<DVec3>, near: Option<DVec3>) -> Option<Self> {
        let z = axis.unwrap_or(DVec3::Z);
        let apart = |near: DVec3| unit(near - z * near.dot(z));
        let x = near.and_then(apart).or_else(|| apart(DVec3::X)).or_else(|| apart(DVec3::Y))?;
        Some(Self { origin, x, y: z.cross(x), z })
    }

    /// The point with these coordinates along the first two axes.
    pub(super) fn at(&self, x: f64, y: f64) -> DVec3 {
        self.origin + self.x * x + self.y * y
    }

    /// The coordinates of a point along the first two axes.
    pub(super) fn within(&self, point: DVec3) -> (f64, f64) {
        let from = point - self.origin;
        (from.dot(self.x), from.dot(self.y))
    }
}

/// The finite coordinates of a point, or the ratios of a direction. A missing third is 0, as in a plane.
fn coordinates(entity: &Entity<'_>) -> Option<DVec3> {
    let Parameter::List(list) = entity.nth_last(0)? else { return None };
    match list.as_slice() {
        [x, y, z] => Some(DVec3::new(x.number()?, y.number()?, z.number()?)),
        [x, y] => Some(DVec3::new(x.number()?, y.number()?, 0.0)),
        _ => None,
    }
}

/// The direction with length 1; `None` for almost none, or an infinite one.
fn unit(vector: DVec3) -> Option<DVec3> {
    let length = vector.length();
    (length > SHORT && length.is_finite()).then(|| vector / length)
}
