//! Elementary surfaces: those of nine faces in ten.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DVec2, DVec3};
use import::step::Parameter;

use super::model::{Coordinates, Frame, Geometry};

/// Nearer to an axis than this share of the radius a point has no angle.
const ON_AXIS: f64 = 1e-6;

/// A plane, or a surface of revolution of a line or a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elementary {
    frame: Frame,
    kind: ElementaryKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ElementaryKind {
    Plane,
    /// A cylinder or a cone: the radius at the origin, and its growth along the axis.
    Ruled {
        radius: f64,
        growth: f64,
    },
    Sphere {
        radius: f64,
    },
    Torus {
        radius: f64,
        tube: f64,
    },
}

impl Elementary {
    /// Reads a surface; `None` for one that is not elementary. `radian` is the radians in the file's unit of angle.
    pub(super) fn read(model: &Geometry<'_>, id: u64, radian: f64) -> Option<Self> {
        let record = model.record(id)?;
        let [entity] = record.entities.as_slice() else { return None };
        let numbers: Vec<f64> = entity.parameters.iter().filter_map(Parameter::number).collect();
        let kind = match (entity.keyword.to_ascii_uppercase().as_slice(), numbers.as_slice()) {
            (b"PLANE", []) => ElementaryKind::Plane,
            (b"CYLINDRICAL_SURFACE", [radius]) => ElementaryKind::Ruled { radius: *radius, growth: 0.0 },
            (b"CONICAL_SURFACE", [radius, angle]) => {
                ElementaryKind::Ruled { radius: *radius, growth: (angle * radian).tan() }
            }
            (b"SPHERICAL_SURFACE", [radius]) => ElementaryKind::Sphere { radius: *radius },
            (b"TOROIDAL_SURFACE", [radius, tube]) if tube < radius => {
                ElementaryKind::Torus { radius: *radius, tube: *tube }
            }
            _ => return None,
        };
        let frame = model.frame(entity.parameters.iter().find_map(Parameter::reference)?)?;
        let is_usable = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
        is_usable.then_some(Self { frame, kind })
    }

    /// The plane of a polygon (Newell's method).
    pub(super) fn plane_of(points: &[DVec3]) -> Option<Self> {
        let next = points.iter().skip(1).chain(points.first());
        let normal: DVec3 = points.iter().zip(next).map(|(one, other)| one.cross(*other)).sum();
        let frame = Frame::of(points.first().copied()?, Some(normal.try_normalize()?), None)?;
        Some(Self { frame, kind: ElementaryKind::Plane })
    }

    /// The coordinates of a point.
    pub(super) fn place(&self, point: DVec3) -> Coordinates {
        let from = point - self.frame.origin;
        let (x, y, z) = (from.dot(self.frame.x), from.dot(self.frame.y), from.dot(self.frame.z));
        let around = x.hypot(y);
        let angle = |size: f64| (around > size * ON_AXIS).then(|| y.atan2(x));
        match self.kind {
            ElementaryKind::Plane => Coordinates { u: Some(x), v: y },
            ElementaryKind::Ruled { radius, growth } => {
                Coordinates { u: angle(radius + (growth * z).abs()), v: z }
            }
            ElementaryKind::Sphere { radius } => Coordinates { u: angle(radius), v: z.atan2(around) },
            ElementaryKind::Torus { radius, .. } => {
                Coordinates { u: angle(radius), v: z.atan2(around - radius) }
            }
        }
    }

    /// The point with these coordinates.
    pub(super) fn point(&self, at: DVec2) -> DVec3 {
        let frame = &self.frame;
        let around = |radius: f64, height: f64| {
            frame.origin + (frame.x * at.x.cos() + frame.y * at.x.sin()) * radius + frame.z * height
        };
        match self.kind {
            ElementaryKind::Plane => frame.at(at.x, at.y),
            ElementaryKind::Ruled { radius, growth } => around(radius + growth * at.y, at.y),
            ElementaryKind::Sphere { radius } => around(radius * at.y.cos(), radius * at.y.sin()),
            ElementaryKind::Torus { radius, tube } => around(radius + tube * at.y.cos(), tube * at.y.sin()),
        }
    }

    /// The direction away from the surface, on the side that the standard calls its normal's.
    pub(super) fn normal(&self, at: DVec2) -> DVec3 {
        let frame = &self.frame;
        let outward = frame.x * at.x.cos() + frame.y * at.x.sin();
        match self.kind {
            ElementaryKind::Plane => frame.z,
            ElementaryKind::Ruled { radius, growth } => {
                // Beyond its apex a cone's normal points to the axis.
                let side = if radius + growth * at.y < 0.0 { -1.0 } else { 1.0 };
                (outward * side - frame.z * (growth * side)).normalize_or(frame.z)
            }
            ElementaryKind::Sphere { .. } | ElementaryKind::Torus { .. } => {
                outward * at.y.cos() + frame.z * at.y.sin()
            }
        }
    }

    /// The periods of both coordinates.
    pub(super) fn periods(&self) -> [Option<f64>; 2] {
        match self.kind {
            ElementaryKind::Plane => [None, None],
            ElementaryKind::Ruled { .. } | ElementaryKind::Sphere { .. } => [Some(TAU), None],
            ElementaryKind::Torus { .. } => [Some(TAU), Some(TAU)],
        }
    }

    /// Where the surface ends in a point on the axis, at lower and at higher second coordinates.
    pub(super) fn ends(&self) -> [Option<f64>; 2] {
        match self.kind {
            ElementaryKind::Plane | ElementaryKind::Torus { .. } => [None, None],
            ElementaryKind::Sphere { .. } => [Some(-FRAC_PI_2), Some(FRAC_PI_2)],
            ElementaryKind::Ruled { growth: 0.0, .. } => [None, None],
            ElementaryKind::Ruled { radius, growth } => {
                let apex = -radius / growth;
                if growth > 0.0 { [Some(apex), None] } else { [None, Some(apex)] }
            }
        }
    }

    /// The lowest and the highest coordinates of a surface without a border; `None` for one that has any.
    pub(super) fn whole(&self) -> Option<[DVec2; 2]> {
        match self.kind {
            ElementaryKind::Sphere { .. } => Some([DVec2::new(0.0, -FRAC_PI_2), DVec2::new(TAU, FRAC_PI_2)]),
            ElementaryKind::Torus { .. } => Some([DVec2::ZERO, DVec2::splat(TAU)]),
            ElementaryKind::Plane | ElementaryKind::Ruled { .. } => None,
        }
    }

    /// How far the surface turns along each coordinate, in radians for each unit of the coordinate.
    pub(super) fn turning(&self) -> DVec2 {
        match self.kind {
            ElementaryKind::Plane => DVec2::ZERO,
            ElementaryKind::Ruled { .. } => DVec2::X,
            ElementaryKind::Sphere { .. } | ElementaryKind::Torus { .. } => DVec2::ONE,
        }
    }
}
