//! The text of a page in drawing order.

mod place;
mod repeats;

use std::sync::Arc;

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    SoftMask, interpret_page,
};
use hayro::hayro_syntax::object::{Dict, Object};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{BezPath, Rect};

use self::place::{Place, letter_spacing};
use self::repeats::Repeats;
use super::fonts::{Fonts, SubstitutedLetters};
use super::limits::{ACTUAL_TEXT_MAX, PAGE_TEXT_MAX};
use super::string;

/// The place where a word may be broken. Chromium writes it as a glyph of a space, and the word goes on at its place.
const SOFT_HYPHEN: char = '\u{ad}';

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
    let mut context = Context::new(transform, whole, cache, page.xref(), fonts.settings(Arc::new(|_| {})));
    let mut writer = TextWriter::default();
    interpret_page(page, &mut context, &mut writer);
    PageText { text: writer.text.trim().to_owned(), letters: writer.letters }
}

/// Collects the drawn text.
#[derive(Default)]
struct TextWriter {
    text: String,
    last: Option<Place>,
    /// Distance between the letters of the last run beyond their widths.
    spacing: f64,
    letters: SubstitutedLetters,
    repeats: Repeats,
    /// Number of open marked contents.
    depth: usize,
    /// The outermost open content that says its text.
    actual: Option<ActualText>,
}

/// The text that marked content stands for (ISO 32000-2, 14.9.4).
struct ActualText {
    text: String,
    /// Number of open contents with this one.
    depth: usize,
    is_drawn: bool,
    is_written: bool,
}

impl TextWriter {
    /// Writes the text of a glyph. `spacing` separates the letters of a word here.
    fn write(&mut self, place: Place, unicode: Option<BfString>, spacing: f64) {
        let text: String = match (&mut self.actual, unicode) {
            (Some(actual), _) => {
                let is_first = !std::mem::replace(&mut actual.is_written, true);
                if is_first { actual.text.clone() } else { String::new() }
            }
            (None, Some(BfString::Char(c))) => separate(c),
            (None, Some(BfString::String(text))) => text.chars().map(separate).collect(),
            (None, None) => String::new(),
        };
        if self.repeats.is_repeated(&text, &place) {
            return;
        }
        let gap = self.last.and_then(|last| place.gap(&last, spacing));
        self.last = Some(place);
        self.push(&text, gap);
    }

    fn push(&mut self, text: &str, gap: Option<char>) {
        if text.is_empty() {
            return;
        }
        if self.text.ends_with(SOFT_HYPHEN) {
            // The word goes on, also in the next line.
            self.text.pop();
        } else if !self.text.ends_with(char::is_whitespace) && !self.text.is_empty() {
            self.text.extend(gap);
        }
        self.text.extend(text.chars().filter(|c| !c.is_control()));
    }

    fn note_drawing(&mut self) {
        if let Some(actual) = &mut self.actual {
            actual.is_drawn = true;
        }
    }
}

/// The letters of a ligature, which nobody types, or the character.
fn separate(c: char) -> String {
    let letters = match c {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        c => return c.to_string(),
    };
    letters.to_owned()
}

impl Device<'_> for TextWriter {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, mode: &DrawMode) {
        let places: Vec<Place> = run.glyphs().iter().map(|glyph| Place::of(glyph, props.transform)).collect();
        let own_spacing = letter_spacing(&places, self.spacing);
        for (glyph, place) in run.glyphs().iter().zip(places) {
            let unicode = match &**glyph {
                // Invisible text is that of a scan, and needs no font.
                Glyph::Outline(outline) if !matches!(mode, DrawMode::Invisible) => self.letters.note(outline),
                other => other.as_unicode(),
            };
            if self.text.len() < PAGE_TEXT_MAX {
                self.write(place, unicode, self.spacing);
            }
            self.spacing = own_spacing;
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.depth += 1;
        if self.actual.is_some() || self.text.len() >= PAGE_TEXT_MAX {
            return;
        }
        let text = properties.and_then(|own| own.get::<Object<'_>>("ActualText")?.into_string());
        self.actual = text.map(|text| ActualText {
            text: string::unicode(text.get(..ACTUAL_TEXT_MAX).unwrap_or(&text)),
            depth: self.depth,
            is_drawn: false,
            is_written: false,
        });
    }

    fn end_marked_content(&mut self) {
        if let Some(actual) = self.actual.take_if(|actual| actual.depth >= self.depth)
            && actual.is_drawn
            && !actual.is_written
        {
            // A letter as a picture or as outlines.
            self.push(&actual.text, Some(' '));
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.note_drawing();
    }

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.note_drawing();
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'_>, _: &DrawMode) {
        self.note_drawing();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_clip_rect(&mut self, _: &Rect) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
