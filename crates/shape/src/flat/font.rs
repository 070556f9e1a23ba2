//! Glyphs of the monospaced font Hack, which stands for every text. Its licence (MIT and Bitstream Vera) allows that it is
//! part of a program.

use std::collections::HashMap;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use epaint_default_fonts::HACK_REGULAR;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider};

/// Width of each character, and the line on which letters stand from above, as parts of the font's size.
const ADVANCE: f32 = 0.602_05;
const BASELINE: f32 = 0.98;
/// Height of a line.
const HEIGHT: f32 = 1.3;

/// The font at one size.
pub(super) struct Font {
    font: Option<FontRef<'static>>,
    /// Size in pixels.
    size: f32,
    /// Width and height of a character's cell, in pixels.
    pub(super) cell: (u16, u16),
    glyphs: HashMap<char, Option<Vec<u8>>>,
}

impl Font {
    /// The font with characters of this width in pixels.
    pub(super) fn new(advance: u16) -> Self {
        let size = f32::from(advance) / ADVANCE;
        let cell = (advance, whole(size * HEIGHT));
        Self { font: FontRef::new(HACK_REGULAR).ok(), size, cell, glyphs: HashMap::new() }
    }

    /// The coverage of the pixels of a character's cell, by rows; `None` for one that the font doesn't have.
    pub(super) fn glyph(&mut self, letter: char) -> Option<&[u8]> {
        let Self { font, size, cell, glyphs } = self;
        let font = font.as_ref()?;
        glyphs.entry(letter).or_insert_with(|| draw(font, *size, *cell, letter)).as_deref()
    }
}

/// Draws a character in a cell.
fn draw(font: &FontRef<'_>, size: f32, cell: (u16, u16), letter: char) -> Option<Vec<u8>> {
    let id = font.charmap().map(letter)?;
    let outline = font.outline_glyphs().get(id)?;
    let (width, height) = (usize::from(cell.0), usize::from(cell.1));
    let mut pen = Pen {
        rasterizer: Rasterizer::new(width, height),
        baseline: size * BASELINE,
        begin: point(0.0, 0.0),
        at: point(0.0, 0.0),
    };
    outline.draw(DrawSettings::unhinted(Size::new(size), LocationRef::default()), &mut pen).ok()?;
    let mut coverage = Vec::with_capacity(width * height);
    pen.rasterizer.for_each_pixel(|_, share| coverage.push(byte(share)));
    Some(coverage)
}

/// Draws an outline, whose y goes upwards, into a cell.
struct Pen {
    rasterizer: Rasterizer,
    baseline: f32,
    begin: Point,
    at: Point,
}

impl Pen {
    fn to(&self, x: f32, y: f32) -> Point {
        point(x, self.baseline - y)
    }
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.begin = self.to(x, y);
        self.at = self.begin;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let end = self.to(x, y);
        self.rasterizer.draw_line(self.at, end);
        self.at = end;
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        let (control, end) = (self.to(cx0, cy0), self.to(x, y));
        self.rasterizer.draw_quad(self.at, control, end);
        self.at = end;
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (first, second, end) = (self.to(cx0, cy0), self.to(cx1, cy1), self.to(x, y));
        self.rasterizer.draw_cubic(self.at, first, second, end);
        self.at = end;
    }

    fn close(&mut self) {
        self.rasterizer.draw_line(self.at, self.begin);
        self.at = self.begin;
    }
}

#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
fn whole(number: f32) -> u16 {
    (number + 0.5) as u16
}

#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
fn byte(share: f32) -> u8 {
    (share * 255.0 + 0.5) as u8
}
