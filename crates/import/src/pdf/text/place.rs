//! Places of glyphs, and what separates them: nothing, a space or a line end.

use hayro::hayro_interpret::font::{Glyph, PositionedGlyph};
use hayro::kurbo::{Affine, Point, Vec2};

/// Units of glyph space per font size.
const EM: f64 = 1000.0;
/// Distances that separate words and lines, in font sizes.
const WORD_GAP: f64 = 0.15;
const LINE_GAP: f64 = 0.5;
/// Largest rise of letters that continue a word, as tolerances do, in the larger one's font sizes.
const RISE: f64 = 0.9;
/// Largest distance of letters in letter-spaced words, in font sizes.
const SPACING_MAX: f64 = 1.0;
/// Difference between distances that count as equal, in font sizes.
const SPACING_TOLERANCE: f64 = 0.05;

/// The place of a glyph on the page.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) origin: Point,
    /// The origin of a glyph that follows without a gap.
    pub(super) end: Point,
    /// Font size.
    pub(super) size: f64,
    /// The direction of the line, and across it.
    along: Vec2,
    up: Vec2,
}

impl Place {
    /// The place of a glyph of a run that is drawn with this transform.
    pub(super) fn of(glyph: &PositionedGlyph<'_>, transform: Affine) -> Self {
        let advance = match &**glyph {
            Glyph::Outline(glyph) => glyph.advance_width(),
            Glyph::Type3(glyph) => glyph.advance_width(),
        };
        let transform = transform * glyph.transform();
        let (origin, above) = (transform * Point::ZERO, transform * Point::new(0.0, EM));
        let size = (above - origin).hypot();
        let up = (above - origin) / size;
        let end = transform * Point::new(advance.map_or(EM / 2.0, f64::from), 0.0);
        Self { origin, end, size, along: Vec2::new(-up.y, up.x), up }
    }

    /// The separator before a glyph that follows `last`, in a word whose letters have this distance.
    pub(super) fn gap(&self, last: &Self, spacing: f64) -> Option<char> {
        let moved = self.origin - last.end;
        // The direction of a line depends on the page's rotation.
        let (along, up) = (moved.dot(self.along).abs() - spacing, moved.dot(self.up).abs());
        let larger = self.size.max(last.size);
        if up > LINE_GAP * self.size {
            let is_rise = up <= RISE * larger && along <= WORD_GAP * larger;
            return (!is_rise).then_some('\n');
        }
        (along > WORD_GAP * self.size).then_some(' ')
    }
}

/// The distance between the letters of a run beyond their widths; 0 unless the run is letter-spaced. The two letters of a
/// short run are if they have the distance `before`.
pub(super) fn letter_spacing(places: &[Place], before: f64) -> f64 {
    let gap = |last: &Place, next: &Place| (next.origin - last.end).dot(last.along).abs();
    let mut least = f64::INFINITY;
    for (last, next) in places.iter().zip(places.iter().skip(1)) {
        let gap = gap(last, next);
        // Written so that no number counts as too little.
        if !(gap > WORD_GAP * last.size && gap <= SPACING_MAX * last.size.max(next.size)) {
            return 0.0;
        }
        least = least.min(gap);
    }
    let size = places.first().map_or(0.0, |place| place.size);
    let is_as_before = (least - before).abs() < SPACING_TOLERANCE * size;
    if places.len() >= 3 || (places.len() == 2 && is_as_before) { least } else { 0.0 }
}
