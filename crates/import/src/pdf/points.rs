//! Points: lines that end where they begin, which round caps make visible (ISO 32000-2, 8.5.3.2) and hayro leaves out.

use hayro::hayro_syntax::content::UntypedIter;
use hayro::hayro_syntax::object::{MaybeRef, Object, Stream};
use hayro::hayro_syntax::page::Page;

use super::revision::write;

/// Length of the line that stands for a point, in units of the page.
const LENGTH: f64 = 0.05;
/// Longest content that is searched for points, in bytes.
const CONTENT_MAX: usize = 4 * 1024 * 1024;

/// The content of a page with short lines for its points; `None` without points, with pictures in the content, and for
/// content of more packed bytes than `left`, which it reduces.
pub(super) fn with_lines(page: &Page<'_>, left: &mut usize) -> Option<Vec<u8>> {
    *left = left.checked_sub(packed_size(page)?)?;
    let content = page.page_stream().filter(|content| content.len() <= CONTENT_MAX)?;
    // Most pages have none, and writing costs more than reading.
    if !rewrite(content, None)? {
        return None;
    }
    let mut out = Vec::new();
    rewrite(content, Some(&mut out))?;
    Some(out)
}

/// The size of a page's content as the file has it; `None` if it is packed several times, and may be of any size.
fn packed_size(page: &Page<'_>) -> Option<usize> {
    let size = |stream: Stream<'_>| (stream.filters().len() <= 1).then(|| stream.raw_data().len());
    match page.raw().get::<Object<'_>>("Contents")? {
        Object::Stream(stream) => size(stream),
        Object::Array(parts) => {
            let sizes: Option<Vec<usize>> = parts.iter::<Stream<'_>>().map(size).collect();
            sizes.map(|sizes| sizes.into_iter().fold(0, usize::saturating_add))
        }
        _ => None,
    }
}

/// Finds points, and writes the content with lines for them; true if there are some.
fn rewrite(content: &[u8], mut out: Option<&mut Vec<u8>>) -> Option<bool> {
    // The begin of a path, while nothing else belongs to it.
    let mut start: Option<[f64; 2]> = None;
    let mut has_points = false;
    let mut instructions = UntypedIter::new(content);
    while let Some(instruction) = instructions.next() {
        let operator: &[u8] = instruction.operator;
        let mut numbers = instruction.operands().filter_map(|operand| match operand {
            Object::Number(number) => Some(number.as_f64()),
            _ => None,
        });
        let point = numbers.next().zip(numbers.next()).map(|(x, y)| [x, y]);
        let is_point = match operator {
            b"BI" => return None,
            b"h" | b"s" => start.is_some(),
            b"l" => start.is_some() && point == start,
            _ => false,
        };
        if let (true, Some([x, y])) = (is_point, start) {
            has_points = true;
            if let Some(out) = &mut out {
                let stroke = if operator == b"s" { "S\n" } else { "" };
                out.extend_from_slice(format!("{:.4} {y} l\n{stroke}", x + LENGTH).as_bytes());
            }
        }
        start = if operator == b"m" { point } else { None };
        if let (Some(out), false) = (&mut out, is_point) {
            for operand in instruction.operands() {
                write(out, &MaybeRef::NotRef(operand.clone()));
            }
            out.push(b' ');
            out.extend_from_slice(operator);
            out.push(b'\n');
        }
    }
    Some(has_points)
}
