//! Curves of edges as lines between points.

use std::f64::consts::TAU;

use glam::DVec3;
use import::step::{Entity, Parameter, Record};

use super::model::{Frame, Geometry};
use super::spline::Spline;

/// Segments of a whole circle.
const AROUND: f64 = 48.0;
/// Segments of a parabola or hyperbola.
const ALONG: u32 = 32;
/// Most curves around another one: of a surface, trimmed.
const NESTING_MAX: usize = 4;

/// A curve in space.
#[derive(Clone, Debug)]
pub(super) enum Curve {
    Line,
    Conic(Conic),
    Spline(Spline),
    /// Points, joined by lines.
    Polyline(Vec<DVec3>),
}

/// A conic section in the plane of its axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conic {
    frame: Frame,
    kind: ConicKind,
    /// Radii, semi-axes or focal distance.
    lengths: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConicKind {
    /// A circle or an ellipse.
    Closed,
    Parabola,
    Hyperbola,
}

impl Curve {
    /// Reads a curve; `None` for an unknown kind.
    pub(super) fn read(model: &Geometry<'_>, id: u64) -> Option<Self> {
        let mut id = id;
        for _ in 0..NESTING_MAX {
            let record = model.record(id)?;
            // The curve in space of one that also lies on surfaces, and a trimmed one: edges trim again.
            let around =
                record.entity(&[b"SURFACE_CURVE", b"SEAM_CURVE", b"INTERSECTION_CURVE", b"TRIMMED_CURVE"]);
            match around {
                Some(around) => id = around.reference(1)?,
                None => return Self::of(model, &record),
            }
        }
        None
    }

    fn of(model: &Geometry<'_>, record: &Record<'_>) -> Option<Self> {
        if record.entity(&[b"LINE"]).is_some() {
            return Some(Self::Line);
        }
        if let Some(polyline) = record.entity(&[b"POLYLINE"]) {
            let points = polyline.parameters.iter().find_map(list)?;
            return Some(Self::Polyline(model.points(points)?));
        }
        match Conic::of(model, record) {
            Some(conic) => Some(Self::Conic(conic)),
            None => Spline::of(model, record).map(Self::Spline),
        }
    }

    /// Points of the curve from one vertex to another, both included. `is_along` if it runs as the curve does. Equal
    /// vertices are a whole turn.
    pub(super) fn between(&self, from: DVec3, to: DVec3, is_along: bool) -> Vec<DVec3> {
        let (first, last) = if is_along { (from, to) } else { (to, from) };
        let mut points = match self {
            Self::Line => Vec::new(),
            Self::Conic(conic) => conic.inner(first, last),
            Self::Spline(spline) => spline.inner(first, last),
            Self::Polyline(points) => {
                points.get(1..points.len().saturating_sub(1)).unwrap_or_default().to_vec()
            }
        };
        points.insert(0, first);
        points.push(last);
        if let Self::Spline(_) = self {
            points = thinned(&points);
        }
        if !is_along {
            points.reverse();
        }
        points
    }

    /// The whole of a curve that no vertices end; `None` for a line and an open conic, which have no ends.
    pub(super) fn whole(&self) -> Option<Vec<DVec3>> {
        match self {
            Self::Polyline(points) => Some(points.clone()),
            Self::Spline(spline) => Some(thinned(&spline.whole())),
            Self::Conic(conic) if conic.kind == ConicKind::Closed => {
                let start = conic.at(0.0);
                Some(self.between(start, start, true))
            }
            Self::Conic(_) | Self::Line => None,
        }
    }
}

impl Conic {
    fn of(model: &Geometry<'_>, record: &Record<'_>) -> Option<Self> {
        let named = |keyword: &[u8]| record.entities.iter().find(|entity| entity.is(keyword));
        let (entity, kind) = [
            (b"CIRCLE".as_slice(), ConicKind::Closed),
            (b"ELLIPSE", ConicKind::Closed),
            (b"PARABOLA", ConicKind::Parabola),
            (b"HYPERBOLA", ConicKind::Hyperbola),
        ]
        .into_iter()
        .find_map(|(keyword, kind)| Some((named(keyword)?, kind)))?;
        let frame = entity.parameters.iter().find_map(Parameter::reference)?;
        let lengths: Vec<f64> = entity.parameters.iter().filter_map(Parameter::number).collect();
        let lengths = match lengths.as_slice() {
            [one] => [*one, *one],
            [first, second] => [*first, *second],
            _ => return None,
        };
        let are_usable = lengths.iter().all(|length| *length > 0.0 && length.is_finite());
        are_usable.then_some(Self { frame: model.frame(frame)?, kind, lengths })
    }

    /// The point at a parameter: an angle, or those of ISO 10303-42.
    fn at(&self, parameter: f64) -> DVec3 {
        let [a, b] = self.lengths;
        let (x, y) = match self.kind {
            ConicKind::Closed => (a * parameter.cos(), b * parameter.sin()),
            ConicKind::Parabola => (a * parameter * parameter, 2.0 * a * parameter),
            ConicKind::Hyperbola => (a * parameter.cosh(), b * parameter.sinh()),
        };
        self.frame.at(x, y)
    }

    /// The parameter of the point near this one.
    fn parameter(&self, point: DVec3) -> f64 {
        let [a, b] = self.lengths;
        let (x, y) = self.frame.within(point);
        match self.kind {
            ConicKind::Closed => (y / b).atan2(x / a),
            ConicKind::Parabola => y / (2.0 * a),
            ConicKind::Hyperbola => (y / b).asinh(),
        }
    }

    /// Points between two vertices, in the direction of the curve.
    fn inner(&self, first: DVec3, last: DVec3) -> Vec<DVec3> {
        let (begin, mut end) = (self.parameter(first), self.parameter(last));
        let mut segments = f64::from(ALONG);
        if self.kind == ConicKind::Closed {
            let is_whole = first.distance(last) <= 1e-7 * (self.lengths[0] + self.lengths[1]);
            end = if is_whole {
                begin + TAU
            } else if end < begin {
                end + TAU
            } else {
                end
            };
            segments = ((end - begin) / TAU * AROUND).ceil().max(1.0);
        }
        let step = (end - begin) / segments;
        let mut points = Vec::new();
        let mut place = 1.0;
        while place < segments {
            points.push(self.at(begin + step * place));
            place += 1.0;
        }
        points
    }
}

/// The points of a line at which it has turned half as far as a circle does from point to point, and its ends.
fn thinned(points: &[DVec3]) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = points.first().copied().into_iter().collect();
    let mut turned = 0.0;
    for around in points.windows(3) {
        let [before, point, after] = around else { continue };
        let ways = (*point - *before).try_normalize().zip((*after - *point).try_normalize());
        turned += ways.map_or(0.0, |(one, other)| one.dot(other).clamp(-1.0, 1.0).acos());
        if turned > TAU / AROUND / 2.0 {
            kept.push(*point);
            turned = 0.0;
        }
    }
    kept.extend(points.last().filter(|_| points.len() > 1));
    kept
}

/// The elements of a parameter that is a list.
fn list<'p, 'a>(parameter: &'p Parameter<'a>) -> Option<&'p [Parameter<'a>]> {
    match parameter {
        Parameter::List(list) => Some(list),
        _ => None,
    }
}

/// The first list among an entity's parameters.
pub(super) fn first_list<'p, 'a>(entity: &'p Entity<'a>) -> Option<&'p [Parameter<'a>]> {
    entity.parameters.iter().find_map(list)
}
