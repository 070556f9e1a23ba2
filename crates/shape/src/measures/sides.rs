//! The sides of a mesh's triangles, paired with those of the triangles beside them.

use std::collections::HashMap;

use glam::DVec3;

use super::Facet;
use crate::scene::Bounds;

/// Distance of corners that are one, as a part of the farthest from the middle.
const SAME: f64 = 1e-6;
/// Most pieces of a mesh that are compared with each other.
const PIECES_MAX: usize = 1_000;

/// A side of a triangle.
#[derive(Clone, Copy)]
pub(super) struct FacetSide {
    /// Index of the triangle.
    pub(super) facet: usize,
    /// The corner at which it begins.
    corner: usize,
}

/// The sides of a mesh.
pub(super) struct FacetSides {
    /// Sides in one place that run in opposite directions, where there are no others.
    pub(super) pairs: Vec<[FacetSide; 2]>,
    /// All others.
    pub(super) alone: Vec<FacetSide>,
}

impl FacetSide {
    /// The height of the surface above its middle.
    pub(super) fn height(&self, facet: &Facet) -> f64 {
        facet.heights.get(self.corner).copied().unwrap_or_default()
    }

    /// From its beginning to its end.
    pub(super) fn way(&self, facet: &Facet) -> DVec3 {
        let [a, b, c] = facet.corners;
        match self.corner {
            0 => b - a,
            1 => c - b,
            _ => a - c,
        }
    }

    pub(super) fn length(&self, facets: &[Facet]) -> f64 {
        facets.get(self.facet).map_or(0.0, |facet| self.way(facet).length())
    }
}

/// The sides of facets. Corners nearly at one point are one: a surface that closes in itself ends where it begins, but
/// for rounding. Facets of which two corners are one have no area, and their other sides are one.
pub(super) fn paired(facets: &[Facet]) -> FacetSides {
    let corners = facets.iter().flat_map(|facet| facet.corners);
    let reach = corners.map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
    let cell = reach * SAME;
    let mut points: HashMap<[u64; 3], u32> = HashMap::new();
    // The ends of a side in the order of their numbers, if it runs in that order, and the side.
    let mut all: Vec<((u32, u32), bool, FacetSide)> = Vec::with_capacity(facets.len().saturating_mul(3));
    for (facet, corners) in facets.iter().map(|facet| facet.corners).enumerate() {
        let numbers = corners.map(|corner| {
            let next = u32::try_from(points.len()).unwrap_or(u32::MAX);
            // The sum makes one zero of the two.
            let place = (corner / cell).round() + DVec3::ZERO;
            *points.entry(place.to_array().map(f64::to_bits)).or_insert(next)
        });
        let [a, b, c] = numbers;
        for (corner, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            if from != to {
                all.push(((from.min(to), from.max(to)), from < to, FacetSide { facet, corner }));
            }
        }
    }
    all.sort_unstable_by_key(|(ends, is_forward, side)| (*ends, *is_forward, side.facet));
    let mut sides = FacetSides { pairs: Vec::with_capacity(all.len() / 2), alone: Vec::new() };
    for group in all.chunk_by(|(one, ..), (other, ..)| one == other) {
        match group {
            [(_, false, first), (_, true, second)] => sides.pairs.push([*first, *second]),
            _ => sides.alone.extend(group.iter().map(|(.., side)| *side)),
        }
    }
    sides
}

impl FacetSides {
    /// True if the facets enclose a space: each side is used by two, in opposite directions.
    pub(super) fn is_closed(&self) -> bool {
        self.alone.is_empty() && !self.pairs.is_empty()
    }

    /// True if every connected piece of the facets looks outwards, and none is within the box of another, where it may
    /// be the wall of a hollow.
    pub(super) fn are_apart(&self, facets: &[Facet]) -> bool {
        let mut pieces: HashMap<usize, (Bounds, f64)> = HashMap::new();
        for (facet, piece) in facets.iter().zip(self.pieces(facets.len())) {
            let [a, b, c] = facet.corners;
            let bounds = Bounds::of(a).union(Bounds::of(b)).union(Bounds::of(c));
            let volume = a.dot(b.cross(c));
            let known = pieces.entry(piece).or_insert((bounds, 0.0));
            *known = (known.0.union(bounds), known.1 + volume);
        }
        let pieces: Vec<(Bounds, f64)> = pieces.into_values().collect();
        let is_within = |inner: &Bounds, outer: &Bounds| {
            inner.min.cmpge(outer.min).all() && inner.max.cmple(outer.max).all()
        };
        let is_apart = |(place, (bounds, volume)): (usize, &(Bounds, f64))| {
            let mut others = pieces.iter().enumerate().filter(|(other, _)| *other != place);
            *volume > 0.0 && !others.any(|(_, (other, _))| is_within(bounds, other))
        };
        pieces.len() <= PIECES_MAX && pieces.iter().enumerate().all(is_apart)
    }

    /// The number of the piece of each facet: that of one of its facets.
    fn pieces(&self, facets: usize) -> Vec<usize> {
        let mut above: Vec<usize> = (0..facets).collect();
        for [first, second] in &self.pairs {
            let (one, other) = (top(&mut above, first.facet), top(&mut above, second.facet));
            if let Some(slot) = above.get_mut(one) {
                *slot = other;
            }
        }
        (0..facets).map(|facet| top(&mut above, facet)).collect()
    }
}

/// The facet that stands for a piece. The way to it becomes shorter.
fn top(above: &mut [usize], mut facet: usize) -> usize {
    while let Some(next) = above.get(facet).copied().filter(|next| *next != facet) {
        let beyond = above.get(next).copied().unwrap_or(next);
        if let Some(slot) = above.get_mut(facet) {
            *slot = beyond;
        }
        facet = beyond;
    }
    facet
}
