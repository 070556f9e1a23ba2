//! The size of a standalone SVG image, by its root element (SVG 2, 8.2 and 8.12).

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::Event;

/// Bytes within which the root begins, after declarations and comments.
const ROOT_WITHIN: u64 = 1024 * 1024;

/// Units of length in user units: 96 per inch, as in CSS. Font units assume the default font. A suffix of another unit
/// comes after it.
const UNITS: [(&str, f64); 12] = [
    ("px", 1.0),
    ("in", 96.0),
    ("cm", 96.0 / 2.54),
    ("mm", 96.0 / 25.4),
    ("q", 96.0 / 101.6),
    ("pt", 96.0 / 72.0),
    ("pc", 16.0),
    ("rem", 16.0),
    ("em", 16.0),
    ("ex", 8.0),
    ("ch", 8.0),
    ("", 1.0),
];

/// Width and height in user units; `None` if the root has neither, so the image adapts to its container.
pub(super) fn size(input: impl BufRead) -> Option<(f64, f64)> {
    let (mut width, mut height, mut view_box) = (None, None, None);
    let mut reader = Reader::from_reader(input.take(ROOT_WITHIN));
    let mut buffer = Vec::new();
    let root = loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(root) | Event::Empty(root) => break root.into_owned(),
            Event::Eof => return None,
            _ => {}
        }
    };
    if root.local_name().as_ref() != b"svg" {
        return None;
    }
    for attribute in root.attributes().with_checks(false).flatten() {
        let value = String::from_utf8_lossy(&attribute.value);
        match attribute.key.as_ref() {
            b"width" => width = length(&value),
            b"height" => height = length(&value),
            b"viewBox" => view_box = extent(&value),
            _ => {}
        }
    }
    let (width, height) = match (width, height, view_box) {
        (Some(width), Some(height), _) => (width, height),
        (Some(width), None, Some((across, down))) => (width, width * down / across),
        (None, Some(height), Some((across, down))) => (height * across / down, height),
        (None, None, Some(extent)) => extent,
        _ => return None,
    };
    let rounded = |length: f64| Some((length * 1000.0).round() / 1000.0).filter(|length| is_length(*length));
    Some((rounded(width)?, rounded(height)?))
}

/// A length in user units; `None` for a percentage, because a standalone image has no container.
fn length(written: &str) -> Option<f64> {
    let written = written.trim().to_ascii_lowercase();
    let (number, of_unit) =
        UNITS.iter().find_map(|(unit, size)| Some((written.strip_suffix(unit)?, *size)))?;
    Some(number.parse::<f64>().ok()? * of_unit).filter(|length| is_length(*length))
}

/// Width and height of a view box.
fn extent(written: &str) -> Option<(f64, f64)> {
    let numbers =
        written.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|part| !part.is_empty());
    let numbers: Vec<f64> = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [_, _, width, height] = numbers.as_slice() else { return None };
    (is_length(*width) && is_length(*height)).then_some((*width, *height))
}

fn is_length(length: f64) -> bool {
    length.is_finite() && length > 0.0
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn the_root_determines_the_size() {
        for (root, expected) in [
            (r#"<svg width="120" height="80px"/>"#, Some((120.0, 80.0))),
            (r#"<svg width="210mm" height="297mm" viewBox="0 0 210 297">"#, Some((793.701, 1122.52))),
            (r#"<svg width="1in" height="72pt">"#, Some((96.0, 96.0))),
            (r#"<svg width="2.54CM" height="6pc">"#, Some((96.0, 96.0))),
            (r#"<svg width="2em" height="1rem">"#, Some((32.0, 16.0))),
            (r#"<svg width="1e2" height="+.5E2">"#, Some((100.0, 50.0))),
            (r#"<svg viewBox="-10,-10, 24 12.5">"#, Some((24.0, 12.5))),
            (r#"<svg width="48" viewBox="0 0 24 12">"#, Some((48.0, 24.0))),
            (r#"<svg height="48" width="100%" viewBox="0 0 24 12">"#, Some((96.0, 48.0))),
            (
                "\u{feff}<?xml version='1.0'?>\n<!-- <svg width='1' height='1'> -->\n<!DOCTYPE svg PUBLIC '-//W3C' 'http://w3.org' [ <!ENTITY a 'b'> ]>\n<s:svg xmlns:s='&a;' width='3' height='4'>",
                Some((3.0, 4.0)),
            ),
            (r#"<svg width="100%" height="100%">"#, None),
            (r#"<svg width="0" height="10">"#, None),
            (r#"<svg width="-5" height="10">"#, None),
            (r#"<svg width="inf" height="nan">"#, None),
            (r#"<svg width="1e308in" height="1">"#, None),
            (r#"<svg width="1e300" viewBox="0 0 1e-300 1e300">"#, None),
            (r#"<svg viewBox="0 0 0 10">"#, None),
            (r#"<svg viewBox="0 0 10">"#, None),
            (r#"<svg width="10">"#, None),
            (r#"<html width="1" height="1">"#, None),
            ("<svg width='1", None),
            ("", None),
        ] {
            assert_eq!(size(root.as_bytes()), expected, "{root}");
        }
    }
}
