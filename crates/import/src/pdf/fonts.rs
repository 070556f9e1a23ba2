//! Fonts in the place of those that a file names and doesn't have.
//!
//! Hayro's own cover western Europe. A page that needs more is drawn with a font of Latin, Greek and Cyrillic letters. Its
//! first glyphs are in the order of the fonts of Windows, by which files name glyphs that say no character. Where a letter
//! stays unknown, the page says so: a wrong number must not look right.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use epaint_default_fonts::UBUNTU_LIGHT;
use hayro::hayro_interpret::font::{FontData, FontQuery, GlyphId, OutlineGlyph, StandardFont};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::{InterpreterSettings, WarningSinkFn};
use skrifa::Font;

/// Glyphs of the wide font up to the last one of ASCII.
const ASCII_GLYPHS: u16 = 98;
/// The glyph of the space, the first letter of ASCII, in the order of glyphs of the fonts below.
const SPACE_GLYPH: u32 = 3;
/// Beginnings of the names of fonts whose first glyphs are those of ASCII, in small letters without separators.
const ASCII_ORDERED: [&str; 14] = [
    "arial",
    "timesnewroman",
    "couriernew",
    "verdana",
    "tahoma",
    "georgia",
    "trebuchet",
    "comicsans",
    "segoeui",
    "microsoftsansserif",
    "liberation",
    "dejavu",
    "helvetica",
    "times",
];

/// Latin, Greek and Cyrillic letters.
static WIDE: LazyLock<FontData> = LazyLock::new(|| Arc::new(UBUNTU_LIGHT));
/// The same without all but ASCII: a glyph that is unknown stays blank.
static ASCII: LazyLock<FontData> = LazyLock::new(|| Arc::new(with_first_glyphs(UBUNTU_LIGHT, ASCII_GLYPHS)));
/// Beginnings of hayro's fonts in memory.
static WESTERN: LazyLock<HashSet<usize>> = LazyLock::new(|| {
    use StandardFont::{
        Courier, CourierBold, CourierBoldOblique, CourierOblique, Helvetica, HelveticaBold,
        HelveticaBoldOblique, HelveticaOblique, Symbol, TimesBold, TimesBoldItalic, TimesItalic, TimesRoman,
        ZapfDingBats,
    };
    let sans = [Helvetica, HelveticaBold, HelveticaOblique, HelveticaBoldOblique];
    let mono = [Courier, CourierBold, CourierOblique, CourierBoldOblique];
    let serif = [TimesRoman, TimesBold, TimesItalic, TimesBoldItalic];
    let all = sans.into_iter().chain(mono).chain(serif).chain([Symbol, ZapfDingBats]);
    all.map(|font| address(&font.get_font_data().0)).collect()
});
/// Characters of the wide font.
static CHARACTERS: LazyLock<Option<Font>> = LazyLock::new(|| Font::new(UBUNTU_LIGHT.to_vec(), 0));

/// The fonts that stand for those that a file doesn't have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Fonts {
    /// Hayro's, for western Europe.
    #[default]
    Western,
    /// One of more letters.
    Wide,
    /// The ASCII letters of the wide one.
    Ascii,
}

impl Fonts {
    /// Settings that draw with these fonts and tell `warnings`.
    pub(super) fn settings(self, warnings: WarningSinkFn) -> InterpreterSettings {
        let default = InterpreterSettings { warning_sink: warnings, ..InterpreterSettings::default() };
        let data = match self {
            Self::Western => return default,
            Self::Wide => &WIDE,
            Self::Ascii => &ASCII,
        };
        let western = Arc::clone(&default.font_resolver);
        let resolve = move |query: &FontQuery| match query {
            FontQuery::Standard(StandardFont::Symbol | StandardFont::ZapfDingBats) => western(query),
            _ => Some((Arc::clone(data), 0)),
        };
        InterpreterSettings { font_resolver: Arc::new(resolve), ..default }
    }
}

/// The letters of a page whose fonts its file doesn't have. They are judged as the wide font draws them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SubstitutedLetters {
    /// Hayro's fonts may lack some of them, or draw others.
    is_doubtful: bool,
    /// Some are of composite fonts.
    has_composite: bool,
    /// Hayro's fonts would draw some of them wrong, or not at all.
    needs_more: bool,
    /// Some need other letters than ASCII.
    needs_wide: bool,
    /// Some are unknown, or the wide font lacks them.
    is_incomplete: bool,
}

impl SubstitutedLetters {
    /// The fonts to draw the page with.
    pub(super) fn fonts(self) -> Fonts {
        match self {
            Self { needs_more: false, .. } => Fonts::Western,
            // Unknown glyphs stay blank rather than become any letter.
            Self { is_incomplete: true, needs_wide: false, .. } => Fonts::Ascii,
            _ => Fonts::Wide,
        }
    }

    /// True if hayro's fonts may not do.
    pub(super) fn is_doubtful(self) -> bool {
        self.is_doubtful
    }

    /// True if glyphs of composite fonts are judged, which hayro's fonts hide.
    pub(super) fn has_composite(self) -> bool {
        self.has_composite
    }

    /// True if the page is drawn without some of its letters, or with wrong ones.
    pub(super) fn is_incomplete(self) -> bool {
        self.is_incomplete
    }

    /// Notes a visible glyph and returns its character, if that is known.
    pub(super) fn note(&mut self, glyph: &OutlineGlyph) -> Option<BfString> {
        let unicode = glyph.as_unicode();
        match glyph.font_data() {
            // A composite font, whose glyphs are named by their number.
            Some(font) if is_wide(&font.data) => {
                (self.needs_more, self.has_composite) = (true, true);
                let known = unicode.or_else(|| {
                    let name = font.postscript_name.as_deref().unwrap_or_default();
                    in_ascii_order(name, glyph.char_code()).map(BfString::Char)
                });
                match known {
                    Some(BfString::Char(c)) => self.note_character(c),
                    // Hayro maps single characters alone.
                    Some(BfString::String(_)) | None => self.is_incomplete = true,
                }
                known
            }
            Some(font) => {
                // Hayro takes a number for that of a glyph of its own font, where it knows no character.
                self.is_doubtful |= WESTERN.contains(&address(&font.data))
                    && !matches!(unicode, Some(BfString::Char(c)) if !is_visible(c) || is_western(c));
                unicode
            }
            // A simple font, whose glyphs have names.
            None => {
                let is_absent = glyph.glyph_id() == GlyphId::NOTDEF;
                self.is_doubtful |= match unicode {
                    Some(BfString::Char(c)) => is_visible(c) && (is_absent || !is_western(c)),
                    Some(BfString::String(_)) | None => true,
                };
                match unicode {
                    Some(BfString::Char(c)) if is_absent && is_visible(c) => {
                        self.is_incomplete = true;
                        self.needs_more = true;
                    }
                    // Drawn by the wide font, or by one of the file.
                    Some(BfString::Char(c)) if is_visible(c) && !is_western(c) => {
                        (self.needs_more, self.needs_wide) = (true, true);
                    }
                    _ => {}
                }
                unicode
            }
        }
    }

    fn note_character(&mut self, c: char) {
        if !is_visible(c) {
            return;
        }
        self.needs_wide |= !c.is_ascii();
        let is_there = CHARACTERS.as_ref().is_some_and(|font| font.charmap().map_unicode(c).is_some());
        self.is_incomplete |= !is_there;
    }
}

fn is_wide(data: &FontData) -> bool {
    address(data) == address(&WIDE)
}

/// The place of a font in memory, which tells it from others.
fn address(data: &FontData) -> usize {
    AsRef::<[u8]>::as_ref(&**data).as_ptr().addr()
}

/// The character of a glyph that says none, in a font whose order of glyphs is known.
fn in_ascii_order(name: &str, glyph: u32) -> Option<char> {
    let plain: String =
        name.chars().filter(|c| !matches!(c, ' ' | '-' | '_' | ',')).collect::<String>().to_lowercase();
    let is_known = ASCII_ORDERED.iter().any(|known| plain.starts_with(known));
    let ascii = glyph.checked_sub(SPACE_GLYPH)?.checked_add(u32::from(' '))?;
    char::from_u32(ascii).filter(|c| is_known && matches!(c, ' '..='~'))
}

/// True for a character that hayro's fonts have.
fn is_western(c: char) -> bool {
    let text = c.encode_utf8(&mut [0; 4]).to_owned();
    matches!(c, 'ﬁ' | 'ﬂ' | '−' | '⁄' | 'ı' | 'Ł' | 'ł') || !encoding_rs::WINDOWS_1252.encode(&text).2
}

fn is_visible(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}')
}

/// A TrueType font without its glyphs from the given one on: its table `maxp` says how many there are.
fn with_first_glyphs(font: &[u8], count: u16) -> Vec<u8> {
    let mut font = font.to_vec();
    let number = |at: usize| -> Option<usize> {
        let bytes = font.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    };
    // Records of tables: name, checksum, offset, length.
    let tables = font.get(12..).unwrap_or_default().chunks_exact(16);
    let place = tables.take(64).position(|table| table.starts_with(b"maxp"));
    let offset = place.and_then(|place| number(12 + place * 16 + 8));
    if let Some(own) = offset.and_then(|offset| font.get_mut(offset + 4..offset + 6)) {
        own.copy_from_slice(&count.to_be_bytes());
    }
    font
}
