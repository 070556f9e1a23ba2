//! Appearances of notes and fields that have none (ISO 32000-2, 12.5.5), where they are simple: lines, outlines, marks of
//! text, and text in one font of western letters.

use std::fmt::Write;

use encoding_rs::WINDOWS_1252;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object};

use super::notes;

/// Most points of a drawing.
const POINTS_MAX: usize = 10_000;
/// Longest text that is drawn, in characters.
const CHARACTERS_MAX: usize = 4_000;
/// Font sizes where the file says none, in points.
const DEFAULT_SIZE: f64 = 12.0;
const MULTI_LINE: i32 = 1 << 12;
/// Mean width of letters, line height and ascent, in font sizes.
const LETTER: f64 = 0.5;
const LEADING: f64 = 1.2;
const ASCENT: f64 = 0.8;
/// Distance of text from its frame, in points.
const PADDING: f64 = 2.0;
/// Distance of the control points of a quarter circle, in radii.
const QUARTER: f64 = 0.5523;

/// A drawing in the units of the page.
pub(super) struct Appearance {
    /// Left, bottom, right, top.
    pub(super) bounds: [f64; 4],
    pub(super) content: Vec<u8>,
    /// Its resources.
    pub(super) resources: &'static str,
}

const FONT: &str =
    "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >>";
const MULTIPLY: &str = "/ExtGState << /M << /BM /Multiply >> >>";

/// The appearance of an annotation without one; `None` where it is not simple. `default` says the font of fields.
pub(super) fn of(annotation: &Dict<'_>, default: Option<&str>) -> Option<Appearance> {
    let numbers = |key: &str| numbers(&annotation.get::<Array<'_>>(key)?);
    let bounds = rectangle(&numbers("Rect")?)?;
    let kind = annotation.get::<Name<'_>>("Subtype")?;
    let line = || Line::of(annotation);
    match &*kind {
        b"Square" => Some(line()?.drawing(bounds, &rectangle_path(line()?.inside(bounds)), true)),
        b"Circle" => Some(line()?.drawing(bounds, &ellipse_path(line()?.inside(bounds)), true)),
        b"Line" => line()?.path(&[numbers("L")?], false),
        b"PolyLine" => line()?.path(&[numbers("Vertices")?], false),
        b"Polygon" => line()?.path(&[numbers("Vertices")?], true),
        b"Ink" => {
            let strokes = annotation.get::<Array<'_>>("InkList")?;
            let strokes: Option<Vec<Vec<f64>>> =
                strokes.iter::<Array<'_>>().take(POINTS_MAX).map(|stroke| self::numbers(&stroke)).collect();
            line()?.path(&strokes?, false)
        }
        b"Highlight" | b"Underline" | b"StrikeOut" | b"Squiggly" => {
            let quads = numbers("QuadPoints")?;
            mark(&kind, &quads, &colour(annotation, "C")?)
        }
        b"FreeText" => text(annotation, &notes::contents(annotation)?, bounds, default, true),
        b"Widget" => {
            let is_text = matches!(
                notes::inherited(annotation, "FT").and_then(Object::into_name).as_deref(),
                Some(b"Tx" | b"Ch")
            );
            let flags = notes::inherited(annotation, "Ff").and_then(Object::into_i32).unwrap_or_default();
            let value = notes::value(annotation).filter(|_| is_text)?;
            text(annotation, &value, bounds, default, flags & MULTI_LINE != 0)
        }
        _ => None,
    }
}

/// How an outline is drawn.
struct Line {
    width: f64,
    stroke: Option<String>,
    fill: Option<String>,
}

impl Line {
    /// `None` for one that is not seen.
    fn of(annotation: &Dict<'_>) -> Option<Self> {
        let style = annotation.get::<Dict<'_>>("BS").and_then(|style| style.get::<f64>("W"));
        let border = || numbers(&annotation.get::<Array<'_>>("Border")?)?.get(2).copied();
        let width = style.or_else(border).unwrap_or(1.0);
        let stroke = colour(annotation, "C").filter(|_| width > 0.0);
        let fill = colour(annotation, "IC");
        (width.is_finite() && (stroke.is_some() || fill.is_some())).then_some(Self { width, stroke, fill })
    }

    /// The bounds within which a line of this width stays inside.
    fn inside(&self, [left, bottom, right, top]: [f64; 4]) -> [f64; 4] {
        let half = (self.width / 2.0).min((right - left) / 2.0).min((top - bottom) / 2.0);
        [left + half, bottom + half, right - half, top - half]
    }

    fn path(&self, lines: &[Vec<f64>], is_closed: bool) -> Option<Appearance> {
        let mut path = String::new();
        for line in lines {
            for (at, [x, y]) in line.as_chunks::<2>().0.iter().enumerate() {
                let operator = if at == 0 { 'm' } else { 'l' };
                write!(path, "{x:.3} {y:.3} {operator} ").ok()?;
            }
            path.push_str(if is_closed { "h " } else { "" });
        }
        let all: Vec<f64> = lines.concat();
        let around = self.width.max(1.0);
        let [left, bottom, right, top] = bounds(&all)?;
        let wide = [left - around, bottom - around, right + around, top + around];
        (is_closed || self.stroke.is_some()).then(|| self.drawing(wide, &path, is_closed))
    }

    fn drawing(&self, bounds: [f64; 4], path: &str, is_closed: bool) -> Appearance {
        let fill = self.fill.as_deref().filter(|_| is_closed);
        let operator = match (&self.stroke, fill) {
            (Some(_), Some(_)) => "B",
            (None, Some(_)) => "f",
            _ => "S",
        };
        let colours = [
            fill.map(|fill| format!("{fill} {} ", set(fill, false))),
            self.stroke.as_deref().map(|own| format!("{own} {} ", set(own, true))),
        ];
        let colours: String = colours.into_iter().flatten().collect();
        let content = format!("{colours}{:.3} w 1 J 1 j {path}{operator}", self.width).into_bytes();
        Appearance { bounds, content, resources: "" }
    }
}

/// The marks of a text whose lines have these corners: upper left, upper right, lower left, lower right.
fn mark(kind: &[u8], quads: &[f64], colour: &str) -> Option<Appearance> {
    let mut path = String::new();
    for [x1, y1, x2, y2, x3, y3, x4, y4] in quads.as_chunks::<8>().0 {
        let (low, high) = match kind {
            b"Highlight" => (0.0, 1.0),
            b"StrikeOut" => (0.45, 0.52),
            _ => (0.0, 0.07),
        };
        let between = |from: &f64, to: &f64, at: f64| from + (to - from) * at;
        let points = [
            (between(x3, x1, low), between(y3, y1, low)),
            (between(x4, x2, low), between(y4, y2, low)),
            (between(x4, x2, high), between(y4, y2, high)),
            (between(x3, x1, high), between(y3, y1, high)),
        ];
        for (at, (x, y)) in points.iter().enumerate() {
            write!(path, "{x:.3} {y:.3} {} ", if at == 0 { 'm' } else { 'l' }).ok()?;
        }
        path.push_str("h ");
    }
    let content = format!("/M gs {colour} {} {path}f", set(colour, false)).into_bytes();
    Some(Appearance { bounds: bounds(quads)?, content, resources: MULTIPLY })
}

/// A text in its frame; `None` for letters that the font lacks, and for turned text.
fn text(
    annotation: &Dict<'_>,
    text: &str,
    bounds: [f64; 4],
    default: Option<&str>,
    is_wrapped: bool,
) -> Option<Appearance> {
    let own = notes::inherited(annotation, "DA").and_then(Object::into_string);
    let own = own.map(|own| String::from_utf8_lossy(own.as_bytes()).into_owned());
    let style = own.as_deref().or(default).unwrap_or_default();
    let (size, colour) = font(style);
    let is_turned = annotation.get::<i32>("Rotate").is_some_and(|angle| angle != 0)
        || annotation.get::<Dict<'_>>("MK").is_some_and(|look| look.contains_key("R"));
    let (_, _, is_lacking) = WINDOWS_1252.encode(text);
    if is_turned || is_lacking {
        return None;
    }
    let [left, bottom, right, top] = bounds;
    let size = size
        .unwrap_or_else(|| if is_wrapped { DEFAULT_SIZE } else { ((top - bottom) * 0.7).min(DEFAULT_SIZE) });
    let letters = ((right - left - 2.0 * PADDING) / (size * LETTER)).max(1.0);
    let text: String = text.chars().take(CHARACTERS_MAX).collect();
    let lines: Vec<String> =
        if is_wrapped { wrap(&text, letters) } else { vec![text.replace(['\r', '\n'], " ")] };
    let widest =
        lines.iter().map(|line| line.chars().count()).max().and_then(|count| u32::try_from(count).ok())?;
    let height = size * LEADING * u32::try_from(lines.len()).map(f64::from).ok()?;
    // Viewers differ in where they cut a text, and how they shrink it.
    if f64::from(widest) > letters.max(2.0) * 1.2 || height > (top - bottom) * 1.2 {
        return None;
    }
    let first = if is_wrapped {
        top - PADDING - size * ASCENT
    } else {
        f64::midpoint(top, bottom) - size * (ASCENT / 2.0 - 0.1)
    };
    let mut content =
        format!("{colour} BT /F {size:.3} Tf {:.3} {first:.3} Td {:.3} TL ", left + PADDING, size * LEADING);
    for line in &lines {
        content.push('<');
        for byte in &*WINDOWS_1252.encode(line).0 {
            write!(content, "{byte:02x}").ok()?;
        }
        content.push_str("> Tj T* ");
    }
    content.push_str("ET");
    Some(Appearance { bounds, content: content.into_bytes(), resources: FONT })
}

/// Font size and colour of a default appearance, for example `0 0 1 rg /Helv 12 Tf`; no size where it is automatic.
fn font(style: &str) -> (Option<f64>, String) {
    let words: Vec<&str> = style.split_ascii_whitespace().collect();
    let (mut size, mut colour) = (None, "0 g".to_owned());
    for (at, word) in words.iter().enumerate() {
        let count = match *word {
            "Tf" => {
                let said = at.checked_sub(1).and_then(|at| words.get(at)?.parse::<f64>().ok());
                size = said.filter(|size| (0.5..=1_000.0).contains(size));
                continue;
            }
            "g" => 1,
            "rg" => 3,
            "k" => 4,
            _ => continue,
        };
        let before = at.checked_sub(count).and_then(|from| words.get(from..at));
        if let Some(before) = before.filter(|before| before.iter().all(|word| word.parse::<f64>().is_ok())) {
            colour = format!("{} {word}", before.join(" "));
        }
    }
    (size, colour)
}

/// The lines of a text, each of at most this many letters.
fn wrap(text: &str, letters: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.replace("\r\n", "\n").split(['\r', '\n']) {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let count = u32::try_from(line.chars().count() + word.chars().count()).unwrap_or(u32::MAX);
            if !line.is_empty() && f64::from(count) > letters {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// The components of a colour; `None` for a transparent one.
fn colour(annotation: &Dict<'_>, key: &str) -> Option<String> {
    let components = numbers(&annotation.get::<Array<'_>>(key)?)?;
    let text: Vec<String> = components.iter().map(|component| format!("{component:.4}")).collect();
    matches!(components.len(), 1 | 3 | 4).then(|| text.join(" "))
}

/// The operator that sets a colour of these components.
fn set(components: &str, is_stroke: bool) -> &'static str {
    match (components.split(' ').count(), is_stroke) {
        (1, true) => "G",
        (1, false) => "g",
        (3, true) => "RG",
        (3, false) => "rg",
        (_, true) => "K",
        (_, false) => "k",
    }
}

fn numbers(array: &Array<'_>) -> Option<Vec<f64>> {
    let numbers: Vec<f64> = array.iter::<f64>().take(POINTS_MAX).collect();
    numbers.iter().all(|number| number.abs() < 1e6).then_some(numbers)
}

/// A rectangle by its corners; `None` for an empty one.
fn rectangle(corners: &[f64]) -> Option<[f64; 4]> {
    let [_, _, _, _] = corners else { return None };
    bounds(corners).filter(|[left, bottom, right, top]| right > left && top > bottom)
}

/// The bounds of points.
fn bounds(points: &[f64]) -> Option<[f64; 4]> {
    points.as_chunks::<2>().0.iter().fold(None, |all: Option<[f64; 4]>, [x, y]| {
        let [left, bottom, right, top] = all.unwrap_or([*x, *y, *x, *y]);
        Some([left.min(*x), bottom.min(*y), right.max(*x), top.max(*y)])
    })
}

fn rectangle_path([left, bottom, right, top]: [f64; 4]) -> String {
    format!("{left:.3} {bottom:.3} {:.3} {:.3} re ", right - left, top - bottom)
}

fn ellipse_path([left, bottom, right, top]: [f64; 4]) -> String {
    let (x, y) = (f64::midpoint(left, right), f64::midpoint(bottom, top));
    let (dx, dy) = ((right - left) / 2.0 * QUARTER, (top - bottom) / 2.0 * QUARTER);
    let mut path = format!("{right:.3} {y:.3} m ");
    for [x1, y1, x2, y2, x3, y3] in [
        [right, y + dy, x + dx, top, x, top],
        [x - dx, top, left, y + dy, left, y],
        [left, y - dy, x - dx, bottom, x, bottom],
        [x + dx, bottom, right, y - dy, right, y],
    ] {
        path.push_str(&format!("{x1:.3} {y1:.3} {x2:.3} {y2:.3} {x3:.3} {y3:.3} c "));
    }
    path.push_str("h ");
    path
}
