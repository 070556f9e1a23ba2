//! Surfaces of faces, with coordinates of their own.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::elementary::Elementary;
use super::model::{Coordinates, Geometry};
use super::net::Net;
use super::net_reading;

/// The greatest angle between two points within a face.
pub(super) const STEP: f64 = TAU / 36.0;

/// A surface that a face lies on.
#[derive(Debug)]
pub(super) enum FaceSurface {
    /// A plane, cylinder, cone, sphere or torus.
    Elementary(Elementary),
    /// A net of control points.
    Net(Box<Net>),
}

impl FaceSurface {
    /// Reads a surface; `None` for one that is unknown or unusable. `radian` is the radians in the file's unit of
    /// angle, `points` those of the face's edges.
    pub(super) fn read(model: &Geometry<'_>, id: u64, radian: f64, points: &[DVec3]) -> Option<Self> {
        match Elementary::read(model, id, radian) {
            Some(elementary) => Some(Self::Elementary(elementary)),
            None => net_reading::net(model, id, points).map(|net| Self::Net(Box::new(net))),
        }
    }

    /// The plane of a polygon that has no other surface.
    pub(super) fn plane_of(points: &[DVec3]) -> Option<Self> {
        Elementary::plane_of(points).map(Self::Elementary)
    }

    /// The coordinates of a point on the surface, near those of another one if there are several; `None` for a point
    /// beside the surface.
    pub(super) fn place(&self, point: DVec3, near: Option<DVec2>) -> Option<Coordinates> {
        match self {
            Self::Elementary(elementary) => Some(elementary.place(point)),
            Self::Net(net) => {
                let at = net.place(point, near)?;
                Some(Coordinates { u: (!net.is_end(at)).then_some(at.x), v: at.y })
            }
        }
    }

    /// The point with these coordinates.
    pub(super) fn point(&self, at: DVec2) -> DVec3 {
        match self {
            Self::Elementary(elementary) => elementary.point(at),
            Self::Net(net) => net.point(at),
        }
    }

    /// The direction away from the surface, on the side that the standard calls its normal's.
    pub(super) fn normal(&self, at: DVec2) -> DVec3 {
        match self {
            Self::Elementary(elementary) => elementary.normal(at),
            Self::Net(net) => net.normal(at),
        }
    }

    /// True if the normal's side is the one from which the second coordinate grows on the right of the first.
    pub(super) fn is_mirrored(&self) -> bool {
        match self {
            Self::Elementary(_) => false,
            Self::Net(net) => net.is_exchanged(),
        }
    }

    /// The periods of both coordinates.
    pub(super) fn periods(&self) -> [Option<f64>; 2] {
        match self {
            Self::Elementary(elementary) => elementary.periods(),
            Self::Net(net) => net.periods(),
        }
    }

    /// Where the surface ends in a point, at lower and at higher second coordinates.
    pub(super) fn ends(&self) -> [Option<f64>; 2] {
        match self {
            Self::Elementary(elementary) => elementary.ends(),
            Self::Net(net) => net.ends(),
        }
    }

    /// The lowest and the highest coordinates of a surface without a border; `None` for one that has any.
    pub(super) fn whole(&self) -> Option<[DVec2; 2]> {
        match self {
            Self::Elementary(elementary) => elementary.whole(),
            Self::Net(net) => net.whole(),
        }
    }

    /// How far the surface turns along each coordinate, in radians for each unit of the coordinate.
    pub(super) fn turning(&self) -> DVec2 {
        match self {
            Self::Elementary(elementary) => elementary.turning(),
            Self::Net(net) => net.turning(),
        }
    }
}
