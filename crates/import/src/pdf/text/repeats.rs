//! Glyphs that are drawn again in nearly the same place: outlines, shadows, and emulated bold type.

use std::collections::HashMap;

use hayro::kurbo::Point;

use super::place::Place;

/// Side of a cell in which repeated glyphs are searched, in units of the page; the largest distance of a repeated glyph.
const CELL: f64 = 2.0;
/// Distance of a repeated glyph, in font sizes and in its own widths. Letters of one word are farther apart.
const OF_SIZE: f64 = 0.12;
const OF_WIDTH: f64 = 0.4;
/// Most equal glyphs of a cell that are compared.
const COMPARED_MAX: usize = 16;

/// The places of the glyphs drawn before, by first character and cell.
#[derive(Default)]
pub(super) struct Repeats(HashMap<(char, i64, i64), Vec<Point>>);

impl Repeats {
    /// True if the text was drawn nearly here before; else remembers that it is now.
    pub(super) fn is_repeated(&mut self, text: &str, place: &Place) -> bool {
        let Some(first) = text.chars().next() else { return false };
        let width = (place.end - place.origin).hypot();
        let near = (place.size * OF_SIZE).min(width * OF_WIDTH).min(CELL);
        let (x, y) = (cell(place.origin.x), cell(place.origin.y));
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
        let is_near = |point: &Point| (*point - place.origin).hypot() <= near;
        let is_repeated = around
            .filter_map(|(dx, dy)| self.0.get(&(first, x.saturating_add(dx), y.saturating_add(dy))))
            .any(|points| points.iter().any(is_near));
        if !is_repeated {
            let points = self.0.entry((first, x, y)).or_default();
            if points.len() < COMPARED_MAX {
                points.push(place.origin);
            }
        }
        is_repeated
    }
}

#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
fn cell(at: f64) -> i64 {
    (at / CELL).floor() as i64
}
