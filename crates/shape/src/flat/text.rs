//! The first lines of a text as a page: lines as they are, cut where the paper ends.
//!
//! Colours are few, and the same for all languages: comments, texts in quotes, numbers. No grammar is read.

use unicode_width::UnicodeWidthChar;

use super::Raster;
use super::font::Font;
use super::paper::MARGIN;

/// Columns between two stops of tabs.
const TAB: u16 = 4;
/// Longest part of a line that is looked at, in characters.
const LINE_MAX: usize = 1_000;
/// The page is this part of its height wide.
const WIDTH: (u32, u32) = (13, 15);
/// Characters across the picture's width, in the small and in the large one.
const COLUMNS: (u32, u32) = (64, 102);
/// Signs that begin a comment where a word could begin.
const COMMENTS: [&str; 5] = ["//", "/*", "#", "--", "<!--"];

const INK: [u8; 3] = [31, 35, 40];
const COMMENT: [u8; 3] = [95, 125, 105];
const QUOTED: [u8; 3] = [150, 70, 20];
const NUMBER: [u8; 3] = [20, 90, 180];

/// A page with the beginning of a text, for a picture of this size.
pub(super) fn draw(text: &str, is_code: bool, size_px: u32) -> Raster {
    let height = size_px - 2 * (size_px / MARGIN);
    let width = height * WIDTH.0 / WIDTH.1;
    let columns = if size_px > 256 { COLUMNS.1 } else { COLUMNS.0 };
    let mut font = Font::new(u16::try_from(size_px / columns).unwrap_or(1).max(1));
    let border = size_px / MARGIN * 5 / 4;
    let (across, down) = (u32::from(font.cell.0), u32::from(font.cell.1));
    let columns = u16::try_from((width - 2 * border) / across).unwrap_or(1);
    let lines = usize::try_from((height - 2 * border) / down).unwrap_or(1);
    let length = |pixels: u32| usize::try_from(pixels).unwrap_or(0);
    let mut page = Raster { width, pixels: vec![[255; 4]; length(width) * length(height)] };
    for (line, row) in text.lines().take(lines).zip(0_u32..) {
        let letters: Vec<char> = line.chars().take(LINE_MAX).collect();
        let inks = if is_code { colours(&letters) } else { vec![INK; letters.len()] };
        let mut column = 0_u16;
        for (letter, ink) in letters.into_iter().zip(inks) {
            let cells = match letter {
                '\t' => TAB - column % TAB,
                _ => u16::try_from(letter.width().unwrap_or(0)).unwrap_or(0),
            };
            if column + cells > columns {
                break;
            }
            if !letter.is_whitespace() && cells > 0 {
                let at = (border + u32::from(column) * across, border + row * down);
                draw_letter(&mut page, at, &mut font, (letter, cells), ink);
            }
            column += cells;
        }
    }
    page
}

/// Draws a character, and a box for one that the font doesn't have.
fn draw_letter(
    page: &mut Raster,
    at: (u32, u32),
    font: &mut Font,
    (letter, cells): (char, u16),
    ink: [u8; 3],
) {
    let (across, down) = font.cell;
    match font.glyph(letter) {
        Some(glyph) => blend(page, at, across, glyph, ink),
        None => {
            let width = usize::from(across) * usize::from(cells);
            let inside = |at: usize, length: usize| at * 6 >= length && at * 6 < length * 5;
            let cell = (0..usize::from(down)).flat_map(|y| {
                (0..width).map(move |x| {
                    let is_box = inside(y, usize::from(down)) && x > 0 && x + 1 < width;
                    if is_box { 90 } else { 0 }
                })
            });
            let cell: Vec<u8> = cell.collect();
            blend(page, at, across * cells, &cell, ink);
        }
    }
}

/// Lays ink on the page as far as it covers.
fn blend(page: &mut Raster, (left, top): (u32, u32), width: u16, coverage: &[u8], ink: [u8; 3]) {
    let length = |pixels: u32| usize::try_from(pixels).unwrap_or(0);
    let rows = page.pixels.chunks_exact_mut(length(page.width).max(1)).skip(length(top));
    for (to, from) in rows.zip(coverage.chunks_exact(usize::from(width).max(1))) {
        for (pixel, share) in to.iter_mut().skip(length(left)).zip(from) {
            let share = u32::from(*share);
            for (part, ink) in pixel.iter_mut().zip(ink) {
                let mixed = (u32::from(*part) * (255 - share) + u32::from(ink) * share) / 255;
                *part = u8::try_from(mixed).unwrap_or(u8::MAX);
            }
        }
    }
}

/// The colours of a line of code.
fn colours(line: &[char]) -> Vec<[u8; 3]> {
    let mut inks = Vec::with_capacity(line.len());
    let (mut quote, mut before, mut is_comment) = (None, ' ', false);
    for (place, letter) in line.iter().copied().enumerate() {
        let rest = line.get(place..).unwrap_or_default();
        is_comment |= quote.is_none() && !before.is_alphanumeric() && begins_comment(rest);
        let ink = match quote {
            _ if is_comment => COMMENT,
            Some(open) => {
                if letter == open && before != '\\' {
                    quote = None;
                }
                QUOTED
            }
            // A sign that closes no text is an apostrophe, or the mark of a lifetime.
            None if matches!(letter, '"' | '\'' | '`')
                && rest.iter().skip(1).any(|other| *other == letter) =>
            {
                quote = Some(letter);
                QUOTED
            }
            None if letter.is_ascii_digit() && !before.is_alphabetic() && before != '_' => NUMBER,
            None => INK,
        };
        inks.push(ink);
        before = letter;
    }
    inks
}

/// True where a comment begins: its sign, before a blank or a further sign, so `#include` begins no comment.
fn begins_comment(rest: &[char]) -> bool {
    COMMENTS.iter().any(|sign| {
        let begins = sign.chars().zip(rest).filter(|(one, other)| one == *other).count() == sign.len();
        let next = rest.get(sign.len()).copied().unwrap_or(' ');
        let is_short = sign.len() == 1 || *sign == "--";
        begins && (!is_short || matches!(next, ' ' | '!' | '#'))
    })
}
