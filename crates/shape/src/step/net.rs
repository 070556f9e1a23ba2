//! B-spline surfaces, rational or not.

use glam::{DVec2, DVec3, DVec4, Vec4Swizzles};

use super::basis::Basis;
use super::spline;

/// Samples along each coordinate: for each span, and in all.
const SAMPLES: (usize, usize) = (4, 48);
/// Steps of the search for the nearest point.
const SEARCH_MAX: usize = 20;
/// Points are equal within this share of the size.
const SAME: f64 = 1e-6;
/// A point is on the surface within this share of the size.
const ON_SURFACE: f64 = 0.002;

/// A surface over a net of control points.
#[derive(Clone, Debug)]
pub(super) struct Net {
    bases: [Basis; 2],
    /// Rows along the first coordinate of columns along the second, multiplied by their weights, with the weight.
    points: Vec<Vec<DVec4>>,
    /// True if the coordinates were exchanged, which turns the normal.
    is_exchanged: bool,
    /// Points with their coordinates: rows along the first of columns along the second.
    samples: Vec<Vec<(DVec2, DVec3)>>,
    size: f64,
    periods: [Option<f64>; 2],
    ends: [Option<f64>; 2],
    turning: DVec2,
}

/// A point with the derivatives of the surface there.
struct Tangents {
    point: DVec3,
    along: [DVec3; 2],
}

impl Net {
    /// A surface over these rows of points; `None` if they span none.
    pub(super) fn of(bases: [Basis; 2], points: Vec<Vec<DVec4>>) -> Option<Self> {
        let mut net = Self {
            bases,
            points,
            is_exchanged: false,
            samples: Vec::new(),
            size: 0.0,
            periods: [None; 2],
            ends: [None; 2],
            turning: DVec2::ZERO,
        };
        net.sample()?;
        // Where all points of a row are one, only its first coordinate may be open: see `Coordinates`.
        let is_point = |row: Option<&Vec<(DVec2, DVec3)>>| row.is_some_and(|row| net.is_one(row));
        if is_point(net.samples.first()) || is_point(net.samples.last()) {
            net = net.exchanged();
            net.sample()?;
        }
        (net.periods, net.ends) = (net.found_periods(), net.found_ends());
        net.turning = net.found_turning();
        Some(net)
    }

    /// The same surface with exchanged coordinates.
    fn exchanged(self) -> Self {
        let [first, second] = self.bases.clone();
        let columns = self.points.first().map_or(0, Vec::len);
        let column = |place: usize| self.points.iter().filter_map(|row| row.get(place)).copied().collect();
        let points = (0..columns).map(column).collect();
        Self { bases: [second, first], points, is_exchanged: !self.is_exchanged, samples: Vec::new(), ..self }
    }

    /// Takes the samples; `None` if a point is not finite, or all are one.
    fn sample(&mut self) -> Option<()> {
        let [rows, columns] = [&self.bases[0], &self.bases[1]].map(places);
        let row = |u: &f64| {
            columns.iter().map(|v| (DVec2::new(*u, *v), self.tangents(DVec2::new(*u, *v)).point)).collect()
        };
        let samples: Vec<Vec<(DVec2, DVec3)>> = rows.iter().map(row).collect();
        let all = || samples.iter().flatten().map(|(_, point)| *point);
        let (min, max) = (all().reduce(DVec3::min)?, all().reduce(DVec3::max)?);
        let size = min.distance(max);
        if !all().all(DVec3::is_finite) || !size.is_finite() || size <= 0.0 {
            return None;
        }
        (self.samples, self.size) = (samples, size);
        Some(())
    }

    fn is_one(&self, row: &[(DVec2, DVec3)]) -> bool {
        let first = row.first().map(|(_, point)| *point).unwrap_or_default();
        row.iter().all(|(_, point)| point.distance(first) <= self.size * SAME)
    }

    /// The samples at the lower and at the higher end of the second coordinate.
    fn rims(&self) -> [Vec<(DVec2, DVec3)>; 2] {
        [
            self.samples.iter().filter_map(|row| row.first()).copied().collect(),
            self.samples.iter().filter_map(|row| row.last()).copied().collect(),
        ]
    }

    fn tangents(&self, at: DVec2) -> Tangents {
        let [across, along] = [self.bases[0].at(at.x), self.bases[1].at(at.y)];
        let mut sums = [DVec4::ZERO; 3];
        let rows = self.points.iter().skip(across.first).zip(across.values.iter().zip(&across.slopes));
        for (row, (value, slope)) in rows {
            let mut of_row = [DVec4::ZERO; 2];
            let points = row.iter().skip(along.first).zip(along.values.iter().zip(&along.slopes));
            for (point, (value, slope)) in points {
                of_row[0] += *point * *value;
                of_row[1] += *point * *slope;
            }
            sums[0] += of_row[0] * *value;
            sums[1] += of_row[0] * *slope;
            sums[2] += of_row[1] * *value;
        }
        let [sum, first, second] = sums;
        let point = sum.xyz() / sum.w;
        Tangents { point, along: [first, second].map(|slope| (slope.xyz() - point * slope.w) / sum.w) }
    }

    /// The point with these coordinates.
    pub(super) fn point(&self, at: DVec2) -> DVec3 {
        self.tangents(self.within(at)).point
    }

    /// The direction away from the surface, on the side that the standard calls its normal's.
    pub(super) fn normal(&self, at: DVec2) -> DVec3 {
        let middle = DVec2::new(self.middle(0), self.middle(1));
        let at = self.within(at);
        let side = if self.is_exchanged { -1.0 } else { 1.0 };
        // In a point where the surface ends it has the direction beside it.
        [0.0, 1e-4, 1e-2]
            .into_iter()
            .find_map(|share| {
                let Tangents { along: [first, second], .. } = self.tangents(at.lerp(middle, share));
                let normal = first.cross(second);
                let is_some =
                    normal.length() > first.length() * second.length() * 1e-6 && normal.length() > 0.0;
                is_some.then(|| normal.normalize() * side)
            })
            .unwrap_or(DVec3::Z)
    }

    fn middle(&self, coordinate: usize) -> f64 {
        self.bases.get(coordinate).map_or(0.0, |basis| basis.range().iter().sum::<f64>() / 2.0)
    }

    /// The coordinates within the ranges: by whole periods, else at the nearest end.
    fn within(&self, at: DVec2) -> DVec2 {
        let [first, second] = self.periods();
        let one = |value: f64, basis: &Basis, period: Option<f64>| {
            let [low, high] = basis.range();
            let value = match period {
                Some(period) if value < low || value > high => {
                    value - ((value - low) / period).floor() * period
                }
                _ => value,
            };
            value.clamp(low, high)
        };
        DVec2::new(one(at.x, &self.bases[0], first), one(at.y, &self.bases[1], second))
    }

    /// The coordinates of the point that is nearest to this one, and its distance; near those of another point if there
    /// are.
    pub(super) fn place(&self, point: DVec3, near: Option<DVec2>) -> Option<DVec2> {
        let is_found = |(_, distance): &(DVec2, f64)| *distance <= self.size * ON_SURFACE;
        let followed = near.map(|near| self.search(point, self.within(near))).filter(is_found);
        let found = followed.or_else(|| {
            let samples = self.samples.iter().flatten();
            let nearest = samples.min_by(|(_, one), (_, other)| {
                one.distance_squared(point).total_cmp(&other.distance_squared(point))
            })?;
            Some(self.search(point, nearest.0)).filter(is_found)
        })?;
        Some(found.0)
    }

    /// Follows the surface from a place towards a point (Gauss and Newton, with shorter steps where one leads away).
    fn search(&self, target: DVec3, from: DVec2) -> (DVec2, f64) {
        let mut at = from;
        let mut best = self.tangents(at);
        let mut distance = best.point.distance(target);
        for _ in 0..SEARCH_MAX {
            let [first, second] = best.along;
            let gap = target - best.point;
            let (a, b, c) = (first.length_squared(), first.dot(second), second.length_squared());
            let determinant = a * c - b * b;
            let right = DVec2::new(gap.dot(first), gap.dot(second));
            let step = if determinant > a * c * 1e-12 && determinant > 0.0 {
                DVec2::new(right.x * c - right.y * b, right.y * a - right.x * b) / determinant
            } else {
                // Along the coordinate that still moves the point.
                let divided = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
                if a > c {
                    DVec2::new(divided(right.x, a), 0.0)
                } else {
                    DVec2::new(0.0, divided(right.y, c))
                }
            };
            let shorter = [1.0, 0.5, 0.25, 0.0625].into_iter().find_map(|share| {
                let next = self.within(at + step * share);
                let tangents = self.tangents(next);
                let found = tangents.point.distance(target);
                (found < distance).then_some((next, tangents, found))
            });
            let Some((next, tangents, found)) = shorter else { break };
            let is_still = distance - found <= self.size * 1e-12;
            (at, best, distance) = (next, tangents, found);
            if is_still {
                break;
            }
        }
        (at, distance)
    }

    /// True at a point where every first coordinate is right.
    pub(super) fn is_end(&self, at: DVec2) -> bool {
        let [low, high] = self.bases[1].range();
        let margin = (high - low) * 1e-6;
        let [lower, higher] = self.ends();
        lower.is_some_and(|end| at.y <= end + margin) || higher.is_some_and(|end| at.y >= end - margin)
    }

    /// True if the coordinates were exchanged.
    pub(super) fn is_exchanged(&self) -> bool {
        self.is_exchanged
    }

    /// The periods of both coordinates.
    pub(super) fn periods(&self) -> [Option<f64>; 2] {
        self.periods
    }

    /// Where the surface ends in a point, at lower and at higher second coordinates.
    pub(super) fn ends(&self) -> [Option<f64>; 2] {
        self.ends
    }

    fn found_periods(&self) -> [Option<f64>; 2] {
        let meets = |one: &[(DVec2, DVec3)], other: &[(DVec2, DVec3)]| {
            one.iter().zip(other).all(|(one, other)| one.1.distance(other.1) <= self.size * SAME)
        };
        let length = |basis: &Basis| basis.range()[1] - basis.range()[0];
        let empty = Vec::new();
        let (first, last) = (self.samples.first().unwrap_or(&empty), self.samples.last().unwrap_or(&empty));
        let [low, high] = self.rims();
        [
            meets(first, last).then(|| length(&self.bases[0])),
            meets(&low, &high).then(|| length(&self.bases[1])),
        ]
    }

    fn found_ends(&self) -> [Option<f64>; 2] {
        let [low, high] = self.bases[1].range();
        let [lower, higher] = self.rims().map(|rim| self.is_one(&rim));
        [lower.then_some(low), higher.then_some(high)]
    }

    /// The lowest and the highest coordinates of a surface without a border; `None` for one that has any.
    pub(super) fn whole(&self) -> Option<[DVec2; 2]> {
        let [first, second] = [self.bases[0].range(), self.bases[1].range()];
        let is_closed =
            self.periods[0].is_some() && (self.periods[1].is_some() || self.ends.iter().all(Option::is_some));
        is_closed.then(|| [DVec2::new(first[0], second[0]), DVec2::new(first[1], second[1])])
    }

    /// How far the surface turns along each coordinate, in radians for each unit of the coordinate.
    pub(super) fn turning(&self) -> DVec2 {
        self.turning
    }

    fn found_turning(&self) -> DVec2 {
        let turned = |points: Vec<DVec3>| {
            let ways: Vec<DVec3> = points
                .windows(2)
                .filter_map(|pair| match pair {
                    [one, other] => (*other - *one).try_normalize(),
                    _ => None,
                })
                .collect();
            ways.windows(2)
                .map(|pair| match pair {
                    [one, other] => one.dot(*other).clamp(-1.0, 1.0).acos(),
                    _ => 0.0,
                })
                .sum::<f64>()
        };
        let columns = self.samples.first().map_or(0, Vec::len);
        let column = |place: usize| {
            self.samples.iter().filter_map(|row| row.get(place)).map(|(_, point)| *point).collect()
        };
        let first = (0..columns).map(|place| turned(column(place))).fold(0.0, f64::max);
        let rows = self.samples.iter().map(|row| turned(row.iter().map(|(_, point)| *point).collect()));
        let second = rows.fold(0.0, f64::max);
        let length = |basis: &Basis| basis.range()[1] - basis.range()[0];
        DVec2::new(first / length(&self.bases[0]), second / length(&self.bases[1]))
    }
}

/// The parameters of samples.
fn places(basis: &Basis) -> Vec<f64> {
    let (of_span, in_all) = SAMPLES;
    let breaks = basis.breaks();
    let spans = breaks.len().saturating_sub(1).max(1);
    let steps = of_span.min((in_all / spans).max(1));
    let mut places: Vec<f64> = Vec::new();
    for (low, high) in breaks.iter().zip(breaks.iter().skip(1)) {
        places.extend(
            (0..steps).map(|step| low + (high - low) * spline::as_number(step) / spline::as_number(steps)),
        );
    }
    places.extend(breaks.last());
    places
}
