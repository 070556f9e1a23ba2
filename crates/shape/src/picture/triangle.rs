//! The samples of triangles.

use glam::{Vec3A, Vec4};

use super::canvas::{Canvas, CanvasSample};
use super::number::whole;

/// A triangle in samples: x to the right, y down, and z away from the viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampledTriangle([Vec3A; 3]);

impl SampledTriangle {
    /// `None` if a corner isn't finite, or if its box has no sample, which is true of most triangles of a fine mesh.
    #[inline]
    pub(super) fn new(corners: [Vec3A; 3]) -> Option<Self> {
        let [a, b, c] = corners;
        let (least, most) = Self(corners).bounds();
        let is_visible = next(least.x) < next(most.x) && next(least.y) < next(most.y);
        (is_visible && (a + b + c).is_finite()).then_some(Self(corners))
    }

    /// The longer side of its box.
    #[inline]
    pub(super) fn extent(&self) -> f32 {
        let (least, most) = self.bounds();
        (most.x - least.x).max(most.y - least.y)
    }

    /// The direction of the side that the viewer sees, of length 1. `None` without an area.
    #[inline]
    pub(super) fn normal(&self) -> Option<Vec3A> {
        let [a, b, c] = self.0;
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(if normal.z > 0.0 { -normal } else { normal })
    }

    /// Visits the samples whose centres are within, each with its row and column, its depth, and the vector there,
    /// which lies between those of the corners. Triangles with a common side share no sample, and leave none out.
    #[inline]
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        vectors: [Vec3A; 3],
        mut visit: impl FnMut(&mut CanvasSample, [u16; 2], f32, Vec3A),
    ) {
        let (gradient, side) = (Gradient::new(self.0, vectors), canvas.side());
        let mut corners = self.0;
        corners.sort_unstable_by(|a, b| a.y.total_cmp(&b.y));
        let [top, middle, bottom] = corners;
        let long = Slope::new(top, bottom);
        for (from, to) in [(top, middle), (middle, bottom)] {
            let short = Slope::new(from, to);
            for row in next(from.y)..next(to.y).min(side) {
                let y = f32::from(row) + 0.5;
                let (one, other) = (next(long.x(y)), next(short.x(y)));
                let columns = one.min(other).min(side)..one.max(other).min(side);
                let Some(samples) = canvas.span(row, columns.clone()) else { return };
                if samples.is_empty() {
                    continue;
                }
                let mut value = gradient.value(f32::from(columns.start) + 0.5, y);
                for (sample, column) in samples.iter_mut().zip(columns) {
                    let within = value.max(gradient.least).min(gradient.most);
                    visit(sample, [row, column], within.w, Vec3A::from_vec4(within));
                    value += gradient.right;
                }
            }
        }
    }

    #[inline]
    fn bounds(&self) -> (Vec3A, Vec3A) {
        let [a, b, c] = self.0;
        (a.min(b).min(c), a.max(b).max(c))
    }
}

/// A vector and a depth that change evenly over a triangle.
struct Gradient {
    corner: Vec3A,
    /// The value there.
    value: Vec4,
    /// Its change from column to column.
    right: Vec4,
    /// Its change from row to row.
    down: Vec4,
    /// The least and the most of the corners. Computed values of a thin triangle may be beyond.
    least: Vec4,
    most: Vec4,
}

impl Gradient {
    #[inline]
    fn new([a, b, c]: [Vec3A; 3], [of_a, of_b, of_c]: [Vec3A; 3]) -> Self {
        let (of_a, of_b, of_c) = (of_a.extend(a.z), of_b.extend(b.z), of_c.extend(c.z));
        let (ab, ac, to_b, to_c) = (b - a, c - a, of_b - of_a, of_c - of_a);
        let area = ab.x * ac.y - ac.x * ab.y;
        let (right, down) = ((to_b * ac.y - to_c * ab.y) / area, (to_c * ab.x - to_b * ac.x) / area);
        let (least, most) = (of_a.min(of_b).min(of_c), of_a.max(of_b).max(of_c));
        Self { corner: a, value: of_a, right, down, least, most }
    }

    #[inline]
    fn value(&self, x: f32, y: f32) -> Vec4 {
        self.value + self.right * (x - self.corner.x) + self.down * (y - self.corner.y)
    }
}

/// A side of a triangle, from top to bottom: the same numbers for both triangles that have it.
struct Slope {
    top: Vec3A,
    /// The change of x from row to row.
    slope: f32,
}

impl Slope {
    #[inline]
    fn new(top: Vec3A, bottom: Vec3A) -> Self {
        Self { top, slope: (bottom.x - top.x) / (bottom.y - top.y) }
    }

    #[inline]
    fn x(&self, y: f32) -> f32 {
        self.top.x + (y - self.top.y) * self.slope
    }
}

/// The first sample whose centre is beyond this place.
#[inline]
fn next(place: f32) -> u16 {
    whole(place + 0.5)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Canvas, SampledTriangle, Vec3A, next};

    proptest! {
        #[test]
        fn triangles_with_common_sides_share_no_sample_and_leave_none_out(
            left in 0.0_f32..8.0, top in 0.0_f32..8.0, right in 8.0_f32..16.0, bottom in 8.0_f32..16.0,
            across in 0.0_f32..1.0, down in 0.0_f32..1.0,
        ) {
            let middle = Vec3A::new(left + (right - left) * across, top + (bottom - top) * down, 0.0);
            let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
            let mut canvas = Canvas::new(8, 2);
            let (mut count, mut places) = (0, BTreeSet::new());
            for pair in corners.map(|[x, y]| Vec3A::new(x, y, 0.0)).windows(2) {
                if let Some(triangle) = SampledTriangle::new([pair[0], pair[1], middle]) {
                    triangle.draw(&mut canvas, [Vec3A::ZERO; 3], |_, place, _, _| {
                        count += 1;
                        places.insert(place);
                    });
                }
            }
            let (rows, columns) = (next(top)..next(bottom), next(left)..next(right));
            let all = rows.flat_map(|row| columns.clone().map(move |column| [row, column]));
            let all: BTreeSet<[u16; 2]> = all.collect();
            prop_assert_eq!(count, all.len());
            prop_assert_eq!(places, all);
        }
    }
}
