//! The samples of a picture, and how they become its pixels.

use std::ops::Range;

use glam::Vec3A;

use super::light::{PackedNormal, SrgbTable, lit};
use super::number::byte;
use super::palette::{Paint, Palette};

/// Light of a face that an edge on it leaves, as a share.
const INK: f32 = 0.16;
/// Light of a face that is too dark for dark lines.
const DARK: f32 = 0.045;
/// Light that an edge adds to such a face.
const CHALK: f32 = 0.07;
/// Colour of edges without a face behind them, in linear light. Its contrast to white and to `#1a1a1a` is 4.
const WIRE: Vec3A = Vec3A::new(0.155, 0.2, 0.29);
/// Samples that may be drawn, for each sample of a canvas.
const LAYERS_MAX: usize = 200;

/// A square of pixels, each of several samples.
pub(super) struct Canvas {
    /// Pixels in a row or a column.
    pub(super) size: u16,
    /// Samples in a row or a column of a pixel.
    pub(super) grid: u16,
    /// The paints of its samples.
    pub(super) palette: Palette,
    /// Rows from the top, each from the left.
    samples: Vec<CanvasSample>,
    /// Samples that may still be drawn.
    left: usize,
}

/// A point of the picture. Its light is computed last, when all hidden faces are gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct CanvasSample {
    /// Distance of the nearest face, in samples.
    depth: f32,
    /// Its normal.
    normal: PackedNormal,
    /// Its paint, or [`NOTHING`] without a face. Bit [`EDGE`] is set if an edge is here that no face hides.
    marks: u16,
}

const NOTHING: u16 = 0;
const EDGE: u16 = 1 << 15;

impl Canvas {
    /// An empty canvas of `size` × `size` pixels, each of `grid` × `grid` samples.
    pub(super) fn new(size: u16, grid: u16) -> Self {
        let side = usize::from(size) * usize::from(grid);
        let empty = CanvasSample { depth: f32::INFINITY, normal: PackedNormal::default(), marks: NOTHING };
        let samples = vec![empty; side * side];
        let left = samples.len().saturating_mul(LAYERS_MAX);
        Self { size, grid, palette: Palette::default(), samples, left }
    }

    /// Samples in a row or a column.
    pub(super) fn side(&self) -> u16 {
        self.size.saturating_mul(self.grid)
    }

    /// Samples of a row, to draw on. `None` once too many were drawn.
    #[inline]
    pub(super) fn span(&mut self, row: u16, columns: Range<u16>) -> Option<&mut [CanvasSample]> {
        let row = usize::from(row) * usize::from(self.side());
        let (begin, end) = (row + usize::from(columns.start), row + usize::from(columns.end));
        // An empty row takes time, too.
        self.left = self.left.checked_sub(1 + end.saturating_sub(begin))?;
        self.samples.get_mut(begin..end)
    }

    /// Draws an edge of one pixel around all faces. Else those as bright or as dark as the page had no border.
    pub(super) fn outline(&mut self) {
        // Of all pixels, a transparent face has the same samples: one pixel further, it meets itself.
        let (column, row) = (usize::from(self.grid), usize::from(self.grid) * usize::from(self.side()));
        for place in 0..self.samples.len() {
            let around = [place.wrapping_sub(row), place.wrapping_sub(column), place + column, place + row];
            if !self.has_face(place) && around.into_iter().any(|place| self.has_face(place)) {
                self.samples.get_mut(place).into_iter().for_each(|sample| sample.marks |= EDGE);
            }
        }
    }

    #[inline]
    fn has_face(&self, place: usize) -> bool {
        self.samples.get(place).is_some_and(|sample| sample.marks & !EDGE != NOTHING)
    }

    /// The pixels, row by row from the top left: sRGB, and alpha that isn't multiplied into them.
    pub(super) fn pixels(&self) -> Vec<[u8; 4]> {
        let (side, grid) = (usize::from(self.side()), usize::from(self.grid));
        let (table, mut shader) = (SrgbTable::new(), Shader::new(&self.palette));
        let mut pixels = Vec::with_capacity(self.samples.len() / (grid * grid));
        let mut sums = vec![PixelSum::default(); usize::from(self.size)];
        for band in self.samples.chunks_exact(side * grid) {
            sums.fill(PixelSum::default());
            for row in band.chunks_exact(side) {
                for (sum, samples) in sums.iter_mut().zip(row.chunks_exact(grid)) {
                    samples.iter().for_each(|sample| sum.add(sample, &mut shader));
                }
            }
            pixels.extend(sums.iter().map(|sum| sum.pixel(self.grid * self.grid, &table)));
        }
        pixels
    }
}

impl CanvasSample {
    /// Shows a face at this depth, unless a nearer one is here.
    #[inline]
    pub(super) fn show(&mut self, depth: f32, paint: Paint, normal: impl FnOnce() -> PackedNormal) {
        if depth < self.depth {
            *self = Self { depth, normal: normal(), marks: paint.0 };
        }
    }

    /// Shows an edge at this depth, unless a nearer face is here. All faces are drawn before.
    #[inline]
    pub(super) fn mark(&mut self, depth: f32) {
        if depth < self.depth {
            self.marks |= EDGE;
        }
    }
}

/// The light of samples, which is mostly that of the sample before.
struct Shader<'a> {
    palette: &'a Palette,
    normal: PackedNormal,
    paint: Paint,
    light: Vec3A,
}

impl<'a> Shader<'a> {
    fn new(palette: &'a Palette) -> Self {
        Self { palette, normal: PackedNormal::default(), paint: Paint(NOTHING), light: Vec3A::ZERO }
    }

    fn light(&mut self, normal: PackedNormal, paint: Paint) -> Vec3A {
        if (self.normal, self.paint) != (normal, paint) {
            (self.normal, self.paint) = (normal, paint);
            self.light = lit(self.palette.colour(paint), normal.direction());
        }
        self.light
    }
}

/// The samples of a pixel, added up.
#[derive(Clone, Copy, Default)]
struct PixelSum {
    light: Vec3A,
    /// Samples that aren't empty.
    shown: u16,
}

impl PixelSum {
    fn add(&mut self, sample: &CanvasSample, shader: &mut Shader<'_>) {
        let (paint, is_edge) = (sample.marks & !EDGE, sample.marks & EDGE != 0);
        if sample.marks == NOTHING {
            return;
        }
        self.shown += 1;
        self.light += if paint == NOTHING {
            WIRE
        } else {
            let light = shader.light(sample.normal, Paint(paint));
            match is_edge {
                false => light,
                true if light.max_element() < DARK => light + CHALK,
                true => light * INK,
            }
        };
    }

    /// The pixel, which has this number of samples.
    fn pixel(&self, all: u16, table: &SrgbTable) -> [u8; 4] {
        if self.shown == 0 {
            return [0; 4];
        }
        let [red, green, blue] = table.encode(self.light / f32::from(self.shown));
        [red, green, blue, byte(f32::from(self.shown) / f32::from(all))]
    }
}

#[cfg(test)]
mod tests {
    use super::{Canvas, LAYERS_MAX};

    #[test]
    fn a_canvas_takes_a_limited_number_of_samples() {
        let mut canvas = Canvas::new(8, 1);
        let spans = (0..u16::MAX).take_while(|_| canvas.span(3, 0..7).is_some()).count();
        assert_eq!(spans, 8 * LAYERS_MAX);
        assert!(canvas.span(0, 0..0).is_none());
    }
}
