//! Loops of faces in the coordinates of their surface, as polygons.
//!
//! Angles are made continuous along a loop. A loop that goes around the axis is no polygon: two of them are joined by a
//! cut, and one is joined to the point in which the surface ends.

use glam::{DVec2, DVec3};

use super::model::Coordinates;
use super::surface::{FaceSurface, STEP};

/// Most corners along a line.
const STEPS_MAX: f64 = 1_000.0;

/// A corner of a polygon, and the point in space that it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: DVec2,
    pub(super) point: DVec3,
}

/// The polygons of a face's loops; `None` if they can't be told. `is_left` if the face is on the left of its loops,
/// seen from the side of the surface's normal.
pub(super) fn polygons(
    surface: &FaceSurface,
    loops: &[Vec<DVec3>],
    is_left: bool,
) -> Option<Vec<Vec<Corner>>> {
    let mut closed = Vec::new();
    let mut around = Vec::new();
    for points in loops.iter().filter(|points| points.len() > 1) {
        let (corners, turns) = unrolled(surface, points)?;
        if turns == DVec2::ZERO { closed.push(corners) } else { around.push((corners, turns)) }
    }
    match around.as_slice() {
        [] => closed.extend(all_around(surface, &closed, is_left)),
        [(one, turn)] => closed.push(to_the_end(surface, one, *turn, is_left)?),
        [(one, turn), (other, back)] if *turn == -*back => closed.push(joined(one, other, *turn)?),
        _ => return None,
    }
    if closed.is_empty() {
        return None;
    }
    let polygons = beside(surface, closed);
    Some(polygons.into_iter().map(|polygon| divided(surface, &polygon)).collect())
}

/// The border of a whole surface, where the face is all of it but what is within its loops.
fn all_around(surface: &FaceSurface, loops: &[Vec<Corner>], is_left: bool) -> Option<Vec<Corner>> {
    let [min, max] = surface.whole()?;
    // A loop that runs against the clock has what is within it on its left.
    let is_hole = |polygon: &Vec<Corner>| (area(polygon) > 0.0) != (is_left != surface.is_mirrored());
    if !loops.iter().all(is_hole) {
        return None;
    }
    let [around, along] = surface.periods();
    let middle = loops.first().map_or((min + max) / 2.0, |polygon| middle(polygon));
    let range = max - min;
    let begin = DVec2::new(
        if around.is_some() { middle.x - range.x / 2.0 } else { min.x },
        if along.is_some() { middle.y - range.y / 2.0 } else { min.y },
    );
    let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y].map(|corner| begin + corner * range);
    // The lines between the corners are lines on the surface, too, which turn.
    let mut border = Vec::new();
    for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        let steps =
            (surface.turning() * (*to - *from).abs() / STEP).ceil().max_element().clamp(1.0, STEPS_MAX);
        let mut step = 0.0;
        while step < steps {
            let at = from.lerp(*to, step / steps);
            border.push(Corner { at, point: surface.point(at) });
            step += 1.0;
        }
    }
    Some(border)
}

/// The polygon with corners along the lines that are single points of the surface, in which triangles end.
fn divided(surface: &FaceSurface, polygon: &[Corner]) -> Vec<Corner> {
    let turning = surface.turning().x;
    let mut divided = Vec::with_capacity(polygon.len());
    for (corner, next) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        divided.push(*corner);
        let apart = next.at.x - corner.at.x;
        if corner.point.distance(next.point) > 1e-9 * corner.point.length().max(1.0) {
            continue;
        }
        let steps = (turning * apart.abs() / STEP).ceil().min(STEPS_MAX);
        let mut step = 1.0;
        while step < steps {
            divided.push(Corner { at: corner.at.lerp(next.at, step / steps), point: corner.point });
            step += 1.0;
        }
    }
    divided
}

/// The area within a polygon, negative if it runs with the clock.
fn area(polygon: &[Corner]) -> f64 {
    let next = polygon.iter().skip(1).chain(polygon.first());
    polygon.iter().zip(next).map(|(one, other)| one.at.perp_dot(other.at)).sum::<f64>() / 2.0
}

/// The middle of the box around a polygon.
fn middle(polygon: &[Corner]) -> DVec2 {
    let min = polygon.iter().map(|corner| corner.at).reduce(DVec2::min).unwrap_or_default();
    let max = polygon.iter().map(|corner| corner.at).reduce(DVec2::max).unwrap_or_default();
    (min + max) / 2.0
}

/// A loop with continuous coordinates, and by how much they change around it.
fn unrolled(surface: &FaceSurface, points: &[DVec3]) -> Option<(Vec<Corner>, DVec2)> {
    let [around, along] = surface.periods();
    let mut places: Vec<Coordinates> = Vec::with_capacity(points.len());
    let mut near_to = None;
    for point in points {
        let place = surface.place(*point, near_to)?;
        near_to = place.u.map(|u| DVec2::new(u, place.v)).or(near_to);
        places.push(place);
    }
    let first = places.iter().find_map(|place| place.u)?;
    let mut last = DVec2::new(first, places.first()?.v);
    let mut corners: Vec<Corner> = Vec::with_capacity(points.len());
    let mut was_end = false;
    // The corner before which an end of the surface was left: every first coordinate is right there.
    let mut left_end = None;
    for (point, place) in points.iter().zip(&places) {
        let u = place.u.map(|u| near(u, last.x, around));
        let at = DVec2::new(u.unwrap_or(last.x), near(place.v, last.y, along));
        if let (Some(u), true, Some(corner)) = (u, was_end, corners.last().copied()) {
            left_end = Some(corners.len());
            corners.push(Corner { at: DVec2::new(u, corner.at.y), ..corner });
        }
        was_end = u.is_none();
        last = at;
        corners.push(Corner { at, point: *point });
    }
    if was_end {
        // The first corner is reached from there.
        left_end = Some(corners.len());
    }
    let begin = corners.first()?.at;
    let start = places.first()?;
    let end = DVec2::new(start.u.map_or(last.x, |u| near(u, last.x, around)), near(start.v, last.y, along));
    let whole =
        |turn: f64, period: Option<f64>| period.map_or(0.0, |period| (turn / period).round() * period);
    let mut turns = DVec2::new(whole(end.x - begin.x, around), whole(end.y - begin.y, along));
    // The way over an end may as well go around it: then the loop is closed.
    if let Some(place) = left_end
        && turns.x != 0.0
    {
        corners.iter_mut().skip(place).for_each(|corner| corner.at.x -= turns.x);
        turns.x = 0.0;
    }
    // On the line that an end is here, to where the loop begins.
    let (first, last) = (corners.first().copied()?, corners.last().copied()?);
    if was_end {
        corners.push(Corner { at: DVec2::new(first.at.x, last.at.y), ..last });
    } else if start.u.is_none() {
        corners.push(Corner { at: DVec2::new(last.at.x, first.at.y), ..first });
    }
    Some((corners, turns))
}

/// The value nearest to another one among those that differ by periods.
fn near(value: f64, other: f64, period: Option<f64>) -> f64 {
    period.map_or(value, |period| value + ((other - value) / period).round() * period)
}

/// The polygon between two loops around an axis, cut open where the first begins.
fn joined(one: &[Corner], other: &[Corner], turn: DVec2) -> Option<Vec<Corner>> {
    let first = *one.first()?;
    let turned = Corner { at: first.at + turn, ..first };
    // The other runs the opposite way: from where the cut meets it, by whole turns beside the end of the first.
    let gap = |corner: &Corner| {
        let apart = turned.at - corner.at;
        let (period, apart) = if turn.x == 0.0 { (turn.y, apart.y) } else { (turn.x, apart.x) };
        (apart - (apart / period).round() * period, (apart / period).round())
    };
    let nearest = |(_, one): &(usize, &Corner), (_, other): &(usize, &Corner)| {
        gap(one).0.abs().total_cmp(&gap(other).0.abs())
    };
    let (place, corner) = other.iter().enumerate().min_by(nearest)?;
    let shift = turn * gap(corner).1;
    let moved = |corner: &Corner, by: DVec2| Corner { at: corner.at + by, ..*corner };
    let (before, from) = other.split_at_checked(place)?;
    let mut polygon: Vec<Corner> = one.to_vec();
    polygon.push(turned);
    polygon.extend(from.iter().map(|corner| moved(corner, shift)));
    polygon.extend(before.iter().map(|corner| moved(corner, shift - turn)));
    polygon.push(moved(corner, shift - turn));
    Some(polygon)
}

/// The polygon between a loop around the axis and the point in which the surface ends on its side.
fn to_the_end(surface: &FaceSurface, corners: &[Corner], turn: DVec2, is_left: bool) -> Option<Vec<Corner>> {
    if turn.x == 0.0 || turn.y != 0.0 {
        return None;
    }
    let first = *corners.first()?;
    // On the left of a way to higher angles are higher second coordinates.
    let is_higher = (turn.x > 0.0) == (is_left != surface.is_mirrored());
    let [low, high] = surface.ends();
    let end = if is_higher { high } else { low }?;
    let corner = |u: f64, v: f64, point: DVec3| Corner { at: DVec2::new(u, v), point };
    let apex = surface.point(DVec2::new(first.at.x, end));
    let mut polygon = corners.to_vec();
    polygon.push(corner(first.at.x + turn.x, first.at.y, first.point));
    // The end is a point in space and a whole line here: as many corners as the loop has.
    polygon.push(corner(first.at.x + turn.x, end, apex));
    polygon.extend(corners.iter().skip(1).rev().map(|above| corner(above.at.x, end, apex)));
    polygon.push(corner(first.at.x, end, apex));
    Some(polygon)
}

/// The polygons moved by whole periods beside the first, which contains the others.
fn beside(surface: &FaceSurface, mut polygons: Vec<Vec<Corner>>) -> Vec<Vec<Corner>> {
    polygons.sort_by(|one, other| area(other).abs().total_cmp(&area(one).abs()));
    let Some(outer) = polygons.first() else { return polygons };
    let [around, along] = surface.periods();
    let target = middle(outer);
    for polygon in polygons.iter_mut().skip(1) {
        let own = middle(polygon);
        let by = DVec2::new(near(own.x, target.x, around), near(own.y, target.y, along)) - own;
        polygon.iter_mut().for_each(|corner| corner.at += by);
    }
    polygons
}
