//! B-spline curves, rational or not.

use glam::{DVec3, DVec4, Vec4Swizzles};
use import::step::{Entity, Parameter, Record};

use super::basis::Basis;
use super::model::Geometry;

/// Highest degree.
pub(super) const DEGREE_MAX: usize = 25;
/// Most control points of one curve.
pub(super) const POINTS_MAX: usize = 100_000;
/// Points in each span between two knots, for each degree.
const DENSITY: usize = 12;
/// Most points of one curve.
const SAMPLES_MAX: usize = 2_000;

/// A B-spline curve in homogeneous coordinates.
#[derive(Clone, Debug)]
pub(super) struct Spline {
    pub(super) basis: Basis,
    /// Control points, multiplied by their weights, with the weight.
    pub(super) points: Vec<DVec4>,
}

impl Spline {
    /// Reads a spline of any of the kinds of ISO 10303-42; `None` for other curves and unusable ones.
    pub(super) fn of(model: &Geometry<'_>, record: &Record<'_>) -> Option<Self> {
        const WITH_KNOTS: &[u8] = b"B_SPLINE_CURVE_WITH_KNOTS";
        const ALONE: [&[u8]; 4] = [WITH_KNOTS, b"QUASI_UNIFORM_CURVE", b"UNIFORM_CURVE", b"BEZIER_CURVE"];
        // One part of a complex instance has the points, behind no name.
        let general = record.entity(&[b"B_SPLINE_CURVE"]);
        let alone = ALONE.iter().find_map(|keyword| record.entity(&[keyword]));
        let entity = general.or(alone)?;
        let first = entity.parameters.iter().position(|parameter| parameter.number().is_some())?;
        let degree = whole(entity.parameters.get(first)?)?;
        let Parameter::List(list) = entity.parameters.get(first + 1)? else { return None };
        if !(1..=DEGREE_MAX).contains(&degree) || !(degree + 1..=POINTS_MAX).contains(&list.len()) {
            return None;
        }
        let points = model.points(list)?;
        let weights = match record.entity(&[b"RATIONAL_B_SPLINE_CURVE"]) {
            Some(rational) => numbers(rational.nth_last(0)?)?,
            None => vec![1.0; points.len()],
        };
        let are_usable = weights.len() == points.len() && weights.iter().all(|weight| *weight > 0.0);
        let knots = match record.entity(&[WITH_KNOTS]) {
            Some(knotted) => stated_knots(knotted, points.len() + degree + 1)?,
            None => implied_knots(record, degree, points.len())?,
        };
        let weighted = points.iter().zip(&weights).map(|(point, weight)| (*point * *weight).extend(*weight));
        are_usable.then(|| Self { basis: Basis { degree, knots }, points: weighted.collect() })
    }

    /// Points between two vertices, in the direction of the curve.
    pub(super) fn inner(&self, first: DVec3, last: DVec3) -> Vec<DVec3> {
        let samples = self.samples();
        let Some((start, end)) = samples.first().zip(samples.last()) else { return Vec::new() };
        let is_closed = start.1.distance(end.1) <= 1e-6 * self.extent();
        let [mut from, mut to] = [first, last].map(|vertex| self.parameter(&samples, vertex));
        let margin = (end.0 - start.0) * 1e-9;
        if is_closed && to <= from {
            // Over the seam, or the whole curve.
            let before = samples.iter().filter(|(at, _)| *at > from + margin && *at < end.0 - margin);
            let after = samples.iter().filter(|(at, _)| *at < to - margin);
            return before.chain(after).map(|(_, point)| *point).collect();
        }
        if from > to {
            (from, to) = (to, from);
        }
        let between = samples.iter().filter(|(at, _)| *at > from + margin && *at < to - margin);
        between.map(|(_, point)| *point).collect()
    }

    /// The whole curve.
    pub(super) fn whole(&self) -> Vec<DVec3> {
        self.samples().into_iter().map(|(_, point)| point).collect()
    }

    /// Parameters with their points, in ascending order.
    fn samples(&self) -> Vec<(f64, DVec3)> {
        let breaks = self.basis.breaks();
        let spans = breaks.len().saturating_sub(1).max(1);
        // A straight line needs no point between its ends.
        let degree = self.basis.degree;
        let wished = if degree == 1 { 1 } else { degree * DENSITY };
        let steps = wished.min((SAMPLES_MAX / spans).max(1));
        let mut samples = Vec::new();
        for (begin, end) in breaks.iter().zip(breaks.iter().skip(1)) {
            for step in 0..steps {
                let share = ratio(step, steps);
                let at = begin + (end - begin) * share;
                samples.extend(self.at(at).map(|point| (at, point)));
            }
        }
        samples.extend(breaks.last().and_then(|last| Some((*last, self.at(*last)?))));
        samples
    }

    /// The point at a parameter; `None` if it is not finite.
    fn at(&self, parameter: f64) -> Option<DVec3> {
        let basis = self.basis.at(parameter);
        let points = self.points.iter().skip(basis.first).zip(&basis.values);
        let sum: DVec4 = points.map(|(point, value)| *point * *value).sum();
        let point = sum.xyz() / sum.w;
        point.is_finite().then_some(point)
    }

    /// The parameter of the point that is nearest to a vertex: between the neighbours of the nearest sample.
    fn parameter(&self, samples: &[(f64, DVec3)], vertex: DVec3) -> f64 {
        let distance = |point: DVec3| point.distance_squared(vertex);
        let nearest = samples
            .iter()
            .enumerate()
            .min_by(|(_, one), (_, other)| distance(one.1).total_cmp(&distance(other.1)));
        let Some((place, (at, _))) = nearest else { return 0.0 };
        let neighbour =
            |place: Option<usize>| place.and_then(|place| samples.get(place)).map_or(*at, |found| found.0);
        let (mut low, mut high) = (neighbour(place.checked_sub(1)), neighbour(Some(place + 1)));
        // The distance has one minimum there: the golden section would save a third of this.
        for _ in 0..40 {
            let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let (Some(left), Some(right)) = (self.at(one), self.at(other)) else { break };
            if distance(left) <= distance(right) {
                high = other;
            } else {
                low = one;
            }
        }
        (low + high) / 2.0
    }

    /// A length that is typical of the curve.
    fn extent(&self) -> f64 {
        let place = |point: &DVec4| point.xyz() / point.w;
        let min = self.points.iter().map(place).reduce(DVec3::min).unwrap_or_default();
        let max = self.points.iter().map(place).reduce(DVec3::max).unwrap_or_default();
        min.distance(max)
    }
}

/// The knots that the file lists, if they are `count`.
fn stated_knots(entity: &Entity<'_>, count: usize) -> Option<Vec<f64>> {
    // Multiplicities, knots and the kind of the knots end the entity.
    repeated(entity.nth_last(2)?, entity.nth_last(1)?, count)
}

/// Knots as often as their multiplicities say, if they are `count` in ascending order.
pub(super) fn repeated(
    multiplicities: &Parameter<'_>,
    values: &Parameter<'_>,
    count: usize,
) -> Option<Vec<f64>> {
    let multiplicities = numbers(multiplicities)?;
    let values = numbers(values)?;
    if multiplicities.len() != values.len() {
        return None;
    }
    let mut knots = Vec::new();
    for (value, multiplicity) in values.iter().zip(&multiplicities) {
        let left = count.checked_sub(knots.len())?;
        let times = (1..=left).find(|times| as_number(*times) == *multiplicity)?;
        knots.extend(std::iter::repeat_n(*value, times));
    }
    (knots.len() == count && knots.is_sorted()).then_some(knots)
}

/// The knots of the kinds that imply them.
fn implied_knots(record: &Record<'_>, degree: usize, points: usize) -> Option<Vec<f64>> {
    let is = |keyword: &[u8]| record.entities.iter().any(|entity| entity.is(keyword));
    let kind = [
        (b"QUASI_UNIFORM_CURVE".as_slice(), ImpliedKnots::QuasiUniform),
        (b"BEZIER_CURVE", ImpliedKnots::Bezier),
        (b"UNIFORM_CURVE", ImpliedKnots::Uniform),
    ];
    kind.into_iter().find(|(keyword, _)| is(keyword))?.1.knots(degree, points)
}

/// How a spline without knots has them.
#[derive(Clone, Copy, Debug)]
pub(super) enum ImpliedKnots {
    Uniform,
    QuasiUniform,
    Bezier,
}

impl ImpliedKnots {
    /// The knots for a number of control points; `None` if it doesn't fit.
    pub(super) fn knots(self, degree: usize, points: usize) -> Option<Vec<f64>> {
        let count = points + degree + 1;
        let places = 0..count;
        Some(match self {
            Self::Uniform => places.map(|place| as_number(place) - as_number(degree)).collect(),
            Self::QuasiUniform => {
                places.map(|place| as_number(place.saturating_sub(degree).min(points - degree))).collect()
            }
            // Pieces of as many points as the degree, and one.
            Self::Bezier => {
                let pieces = (points - 1) / degree;
                let fits = (points - 1).is_multiple_of(degree);
                let inner = |place: usize| as_number((place.saturating_sub(1) / degree).min(pieces));
                return fits.then(|| places.map(inner).collect());
            }
        })
    }
}

/// The numbers of a list; `None` if it has something else.
pub(super) fn numbers(parameter: &Parameter<'_>) -> Option<Vec<f64>> {
    let Parameter::List(list) = parameter else { return None };
    list.iter().map(Parameter::number).collect()
}

/// A small whole number.
pub(super) fn whole(parameter: &Parameter<'_>) -> Option<usize> {
    let number = parameter.number()?;
    (0..=DEGREE_MAX).find(|whole| as_number(*whole) == number)
}

fn ratio(part: usize, of: usize) -> f64 {
    as_number(part) / as_number(of)
}

/// A count, exactly: none here reaches 2^32.
pub(super) fn as_number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
