//! Reading of surfaces over nets of control points, and of those that a spline sweeps.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::{DVec3, DVec4, Vec4Swizzles};
use import::step::{Parameter, Record};

use super::basis::Basis;
use super::curve::Curve;
use super::model::Geometry;
use super::net::Net;
use super::spline::{self, ImpliedKnots, Spline};

/// Reads a surface of any of these kinds; `None` for others and unusable ones. A surface that a curve sweeps
/// straight is as long as these points need.
pub(super) fn net(model: &Geometry<'_>, id: u64, points: &[DVec3]) -> Option<Net> {
    let record = model.record(id)?;
    if let Some(swept) = record.entity(&[b"SURFACE_OF_LINEAR_EXTRUSION"]) {
        let vector = model.record(swept.nth_last(0)?.reference()?)?;
        let vector = vector.entity(&[b"VECTOR"])?;
        let direction = model.direction(vector.nth_last(1)?.reference()?)?;
        return extruded(&swept_spline(model, swept.nth_last(1)?)?, direction, points);
    }
    if let Some(swept) = record.entity(&[b"SURFACE_OF_REVOLUTION"]) {
        let axis = model.record(swept.nth_last(0)?.reference()?)?;
        let axis = axis.entity(&[b"AXIS1_PLACEMENT"])?;
        let origin = model.point(axis.nth_last(1)?.reference()?)?;
        let direction = axis.nth_last(0)?.reference().and_then(|id| model.direction(id));
        return revolved(&swept_spline(model, swept.nth_last(1)?)?, origin, direction.unwrap_or(DVec3::Z));
    }
    of_points(model, &record)
}

fn of_points(model: &Geometry<'_>, record: &Record<'_>) -> Option<Net> {
    const WITH_KNOTS: &[u8] = b"B_SPLINE_SURFACE_WITH_KNOTS";
    const IMPLIED: [(&[u8], ImpliedKnots); 3] = [
        (b"QUASI_UNIFORM_SURFACE", ImpliedKnots::QuasiUniform),
        (b"BEZIER_SURFACE", ImpliedKnots::Bezier),
        (b"UNIFORM_SURFACE", ImpliedKnots::Uniform),
    ];
    let knotted = record.entity(&[WITH_KNOTS]);
    let implied = IMPLIED.into_iter().find_map(|(keyword, kind)| Some((record.entity(&[keyword])?, kind)));
    let alone = knotted.or(implied.map(|(entity, _)| entity));
    let entity = record.entity(&[b"B_SPLINE_SURFACE"]).or(alone)?;
    let first = entity.parameters.iter().position(|parameter| parameter.number().is_some())?;
    let degrees = [first, first + 1].map(|place| spline::whole(entity.parameters.get(place)?));
    let [Some(along), Some(across)] = degrees else { return None };
    let rows = entity.list(first + 2);
    let rows: Option<Vec<Vec<DVec3>>> = rows
        .iter()
        .map(|row| match row {
            Parameter::List(row) => model.points(row),
            _ => None,
        })
        .collect();
    let rows = rows?;
    let counts = [rows.len(), rows.first()?.len()];
    let weights = match record.entity(&[b"RATIONAL_B_SPLINE_SURFACE"]) {
        Some(rational) => match rational.nth_last(0)? {
            Parameter::List(rows) => rows.iter().map(spline::numbers).collect::<Option<Vec<_>>>()?,
            _ => return None,
        },
        None => vec![vec![1.0; counts[1]]; counts[0]],
    };
    let knots = match (knotted, implied) {
        (Some(entity), _) => {
            [(4, 2, counts[0] + along + 1), (3, 1, counts[1] + across + 1)].map(|(times, values, count)| {
                spline::repeated(entity.nth_last(times)?, entity.nth_last(values)?, count)
            })
        }
        (None, Some((_, kind))) => [(along, counts[0]), (across, counts[1])]
            .map(|(degree, count)| kind.knots(degree, count).filter(|_| count > degree)),
        (None, None) => return None,
    };
    let [Some(first), Some(second)] = knots else { return None };
    let fits = |degree: usize, count: usize| (1..=spline::DEGREE_MAX).contains(&degree) && count > degree;
    let is_even = rows.len() == weights.len()
        && rows
            .iter()
            .zip(&weights)
            .all(|(row, weights)| row.len() == counts[1] && weights.len() == counts[1]);
    let is_usable = is_even
        && fits(along, counts[0])
        && fits(across, counts[1])
        && counts[0].saturating_mul(counts[1]) <= spline::POINTS_MAX
        && weights.iter().flatten().all(|weight| *weight > 0.0);
    let weighted = rows.iter().zip(&weights).map(|(row, weights)| {
        row.iter().zip(weights).map(|(point, weight)| (*point * *weight).extend(*weight)).collect()
    });
    let bases = [Basis { degree: along, knots: first }, Basis { degree: across, knots: second }];
    is_usable.then(|| Net::of(bases, weighted.collect()))?
}

/// The surface that a curve sweeps along a direction, as far as these points.
fn extruded(curve: &Spline, direction: DVec3, points: &[DVec3]) -> Option<Net> {
    let begin = curve.whole().first().copied()?;
    let heights = |points: &[DVec3]| -> Vec<f64> {
        points.iter().map(|point| (*point - begin).dot(direction)).collect()
    };
    let (of_face, of_curve) = (heights(points), heights(&curve.whole()));
    let low = of_face.iter().copied().reduce(f64::min)? - of_curve.iter().copied().reduce(f64::max)?;
    let high = of_face.iter().copied().reduce(f64::max)? - of_curve.iter().copied().reduce(f64::min)?;
    let moved = |point: &DVec4, by: f64| (point.xyz() + direction * (by * point.w)).extend(point.w);
    let rows = curve.points.iter().map(|point| vec![moved(point, low), moved(point, high)]).collect();
    let straight = Basis { degree: 1, knots: vec![low, low, high, high] };
    if high > low { Net::of([curve.basis.clone(), straight], rows) } else { None }
}

/// The surface that a curve sweeps around an axis.
fn revolved(curve: &Spline, origin: DVec3, axis: DVec3) -> Option<Net> {
    // A circle is four quarters of three points, whose corners weigh less.
    let knots = vec![0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0];
    let around = Basis { degree: 2, knots };
    let corners = [
        (1.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
        (-1.0, 1.0),
        (-1.0, 0.0),
        (-1.0, -1.0),
        (0.0, -1.0),
        (1.0, -1.0),
        (1.0, 0.0),
    ];
    let turned = |point: &DVec4, (x, y): (f64, f64)| {
        let place = point.xyz() / point.w - origin;
        let height = axis * place.dot(axis);
        let (out, beside) = (place - height, axis.cross(place));
        let weight = point.w * if x != 0.0 && y != 0.0 { FRAC_1_SQRT_2 } else { 1.0 };
        ((origin + height + out * x + beside * y) * weight).extend(weight)
    };
    let rows = corners.map(|corner| curve.points.iter().map(|point| turned(point, corner)).collect());
    Net::of([around, curve.basis.clone()], rows.into())
}

/// The spline that a surface is swept by.
fn swept_spline(model: &Geometry<'_>, curve: &Parameter<'_>) -> Option<Spline> {
    match Curve::read(model, curve.reference()?)? {
        Curve::Spline(spline) => Some(spline),
        _ => None,
    }
}
