//! The text of a page in drawing order.

use hayro::hayro_interpret::font::{Glyph, GlyphRun, PositionedGlyph};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    SoftMask, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Point, Rect, Vec2};

use super::fonts::{Fonts, SubstitutedLetters};
use super::limits::PAGE_TEXT_MAX;

/// Units of glyph space per font size.
const EM: f64 = 1000.0;
/// Distances that separate words and lines, in font sizes.
const WORD_GAP: f64 = 0.15;
const LINE_GAP: f64 = 0.5;

/// The text of a page, and what its letters need.
#[derive(Debug, Default)]
pub(super) struct PageText {
    /// The text; empty for scans.
    pub(super) text: String,
    /// Letters whose fonts the file doesn't have.
    pub(super) letters: SubstitutedLetters,
}

/// The caches of a document's texts, one for each choice of fonts.
#[derive(Default)]
pub(super) struct TextCaches<'a> {
    western: InterpreterCache<'a>,
    wide: InterpreterCache<'a>,
}

/// Reads a page. Letters that hayro's fonts may lack are judged by those that stand for them.
pub(super) fn of<'a>(page: &'a Page<'a>, caches: &TextCaches<'a>) -> PageText {
    let western = read(page, Fonts::Western, &caches.western);
    if !western.letters.is_doubtful() {
        return western;
    }
    let wide = read(page, Fonts::Wide, &caches.wide);
    // The wide font stretches letters to the widths of the file's, and so the gaps between words.
    let text = if wide.letters.has_composite() { wide.text } else { western.text };
    PageText { text, letters: wide.letters }
}

fn read<'a>(page: &'a Page<'a>, fonts: Fonts, cache: &InterpreterCache<'a>) -> PageText {
    let (width, height) = page.render_dimensions();
    let whole = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let transform = page.initial_transform(true).to_kurbo();
    let mut context = Context::new(transform, whole, cache, page.xref(), fonts.settings());
    let mut writer = TextWriter { text: String::new(), last: None, letters: SubstitutedLetters::default() };
    interpret_page(page, &mut context, &mut writer);
    PageText { text: writer.text.trim().to_owned(), letters: writer.letters }
}

/// Collects the drawn text.
struct TextWriter {
    text: String,
    /// Start and end of the last glyph.
    last: Option<(Point, Point)>,
    letters: SubstitutedLetters,
}

impl TextWriter {
    fn write(&mut self, glyph: &PositionedGlyph<'_>, unicode: Option<BfString>, transform: Affine) {
        let advance = match &**glyph {
            Glyph::Outline(glyph) => glyph.advance_width(),
            Glyph::Type3(glyph) => glyph.advance_width(),
        };
        let transform = transform * glyph.transform();
        let (origin, above) = (transform * Point::ZERO, transform * Point::new(0.0, EM));
        let end = transform * Point::new(advance.map_or(EM / 2.0, f64::from), 0.0);
        let size = (above - origin).hypot();
        let gap = match self.last {
            // The same text again, as outline or shadow.
            Some((begin, _)) if (origin - begin).hypot() < size * 0.05 => return,
            Some((_, end)) => gap(end, origin, above, size),
            None => None,
        };
        self.last = Some((origin, end));
        let unicode = match unicode {
            Some(BfString::Char(c)) => c.to_string(),
            Some(BfString::String(text)) => text,
            None => return,
        };
        if !self.text.ends_with(char::is_whitespace) && !self.text.is_empty() {
            self.text.extend(gap);
        }
        self.text.extend(unicode.chars().filter(|c| !c.is_control()));
    }
}

/// The separator before a glyph.
fn gap(end: Point, origin: Point, above: Point, size: f64) -> Option<char> {
    let up = (above - origin) / size;
    let along = Vec2::new(-up.y, up.x);
    let moved = origin - end;
    if moved.dot(up).abs() > LINE_GAP * size {
        return Some('\n');
    }
    // The direction of a line depends on the page's rotation.
    (moved.dot(along).abs() > WORD_GAP * size).then_some(' ')
}

impl Device<'_> for TextWriter {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, mode: &DrawMode) {
        for glyph in run.glyphs() {
            let unicode = match &**glyph {
                // Invisible text is that of a scan, and needs no font.
                Glyph::Outline(outline) if !matches!(mode, DrawMode::Invisible) => self.letters.note(outline),
                other => other.as_unicode(),
            };
            if self.text.len() < PAGE_TEXT_MAX {
                self.write(glyph, unicode, props.transform);
            }
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_clip_rect(&mut self, _: &Rect) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}
    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'_>, _: &DrawMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
