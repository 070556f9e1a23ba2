//! Splits a stream into the statements of an exchange structure (ISO 10303-21), at nearly the speed of a search for
//! semicolons. It knows only strings and comments.
//!
//! Memory holds one statement; of one longer than [`STATEMENT_MAX`], only the beginning.

use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use memchr::memmem;
use wide::u8x16;

use super::begins_with;
use super::limits::STATEMENT_MAX;

/// Bytes per read in a pass over a whole file. With the rest of a statement they fit into a processor's cache.
pub(super) const CHUNK: usize = 256 * 1024;
/// Bytes that are searched at once for quotes, semicolons and slashes: the bits of a mask.
const BLOCK: usize = 64;
/// Kept bytes of a statement that is too long.
const HEAD: usize = 4096;
/// Bytes after a semicolon in a string that decide whether the string was never closed.
const LOOKAHEAD: usize = 64;

/// A statement without its semicolon. White space and comments may precede it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepStatement<'a> {
    /// Offset in the file; meaningless if it is cut.
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
    /// True if these bytes are only its beginning.
    pub(super) is_cut: bool,
}

/// Calls `visit` for each statement of `input` until it breaks. Bytes after the last semicolon are not a statement.
///
/// `offset` is the position of the first byte in the file. Reads `chunk` bytes at a time.
pub(super) fn statements<R: Read>(
    input: R,
    offset: u64,
    chunk: usize,
    mut visit: impl FnMut(StepStatement<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut scanner = StatementScanner {
        input,
        window: Vec::new(),
        filled: 0,
        chunk,
        offset,
        begin: 0,
        position: 0,
        within: Within::Nothing,
        is_cut: false,
        ended: false,
    };
    loop {
        scanner.fill()?;
        if scanner.scan(&mut visit).is_break() || scanner.ended {
            return Ok(());
        }
    }
}

struct StatementScanner<R> {
    input: R,
    /// The statement so far, the bytes that were read beyond it, and free space, zeroed once.
    window: Vec<u8>,
    /// Bytes of the window that were read.
    filled: usize,
    /// Bytes per read.
    chunk: usize,
    /// Offset of the window in the file.
    offset: u64,
    /// Offset of the statement in the window.
    begin: usize,
    /// Offset of the scan in the window.
    position: usize,
    /// The construct around the current position.
    within: Within,
    /// True if the window lacks some of the statement.
    is_cut: bool,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    String,
    /// A comment; `leading` if it precedes the statement.
    Comment {
        leading: bool,
    },
}

enum Step {
    /// More input is needed to continue.
    NeedsInput,
    /// Continue at the new position.
    Continue,
    /// The visitor ended the scan.
    Stop,
}

impl<R: Read> StatementScanner<R> {
    /// Makes room and reads. Sets `ended` at the end of the input.
    fn fill(&mut self) -> io::Result<()> {
        self.drop_scanned();
        if self.window.len() < self.filled + self.chunk {
            self.window.resize(self.filled + self.chunk, 0);
        }
        let free = self.window.get_mut(self.filled..self.filled + self.chunk).unwrap_or_default();
        let read = loop {
            match self.input.read(free) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.filled += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Drops the visited statements, and the middle of one that is too long.
    fn drop_scanned(&mut self) {
        self.window.copy_within(self.begin..self.filled, 0);
        self.offset += u64::try_from(self.begin).unwrap_or(0);
        self.filled -= self.begin;
        self.position -= self.begin;
        self.begin = 0;
        if self.position > STATEMENT_MAX {
            self.window.copy_within(self.position..self.filled, HEAD);
            self.filled -= self.position - HEAD;
            // The offset of the following bytes minus the kept ones: right for all following statements, not for this one.
            self.offset += u64::try_from(self.position - HEAD).unwrap_or(0);
            self.position = HEAD;
            self.is_cut = true;
        }
    }

    fn scan(&mut self, visit: &mut impl FnMut(StepStatement<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        loop {
            let step = match self.within {
                Within::Comment { leading } => self.skip_comment(leading),
                _ => match self.unscanned().first_chunk() {
                    Some(block) => {
                        let block = *block;
                        self.scan_block(&block, visit)
                    }
                    // The last bytes of the input, or those read so far.
                    None if self.ended => self.scan_bytes(self.filled, visit),
                    None => Step::NeedsInput,
                },
            };
            match step {
                Step::Continue => {}
                Step::NeedsInput => return ControlFlow::Continue(()),
                Step::Stop => return ControlFlow::Break(()),
            }
        }
    }

    /// Scans a block at once unless it has a comment or a semicolon in a string, which is rare.
    fn scan_block(
        &mut self,
        block: &[u8; BLOCK],
        visit: &mut impl FnMut(StepStatement<'_>) -> ControlFlow<()>,
    ) -> Step {
        let [quotes, semicolons, slashes] = masks(block);
        let carried = if self.within == Within::String { u64::MAX } else { 0 };
        let inside = parity(quotes) ^ carried;
        if (slashes & !inside) | (semicolons & inside) != 0 {
            return self.scan_bytes(self.position + BLOCK, visit);
        }
        let mut ends = semicolons;
        while ends != 0 {
            let place = usize::try_from(ends.trailing_zeros()).unwrap_or(0);
            if self.end_statement(self.position + place, visit).is_break() {
                return Step::Stop;
            }
            ends &= ends - 1;
        }
        self.within = if inside >> (BLOCK - 1) == 1 { Within::String } else { Within::Nothing };
        self.position += BLOCK;
        Step::Continue
    }

    /// Scans to `end` or to the first comment before it.
    fn scan_bytes(
        &mut self,
        end: usize,
        visit: &mut impl FnMut(StepStatement<'_>) -> ControlFlow<()>,
    ) -> Step {
        while self.position < end {
            let rest = self.unscanned();
            let enough = self.ended || rest.len() >= LOOKAHEAD;
            match (rest, self.within) {
                ([b'\'', ..], Within::String) => self.within = Within::Nothing,
                ([b'\'', ..], _) => self.within = Within::String,
                ([b'/' | b';', ..], _) if !enough => return Step::NeedsInput,
                ([b'/', b'*', ..], Within::Nothing) => {
                    let before = self.window.get(self.begin..self.position).unwrap_or_default();
                    let before = before.strip_prefix("\u{feff}".as_bytes()).unwrap_or(before);
                    let leading = before.trim_ascii_start().is_empty() && !self.is_cut;
                    self.within = Within::Comment { leading };
                    self.position += 2;
                    return Step::Continue;
                }
                ([b';', after @ ..], within) if within == Within::Nothing || begins_instance(after) => {
                    self.within = Within::Nothing;
                    if self.end_statement(self.position, visit).is_break() {
                        return Step::Stop;
                    }
                }
                _ => {}
            }
            self.position += 1;
        }
        if self.ended && self.position >= self.filled { Step::NeedsInput } else { Step::Continue }
    }

    fn unscanned(&self) -> &[u8] {
        self.window.get(self.position..self.filled).unwrap_or_default()
    }

    fn skip_comment(&mut self, leading: bool) -> Step {
        let rest = self.unscanned();
        let found = memmem::find(rest, b"*/");
        // The last byte may be the first half of `*/`.
        self.position += found.map_or(rest.len().saturating_sub(1), |place| place + 2);
        // A comment before a statement isn't part of it and has no limit.
        if leading {
            self.begin = self.position;
        }
        if found.is_none() {
            return Step::NeedsInput;
        }
        self.within = Within::Nothing;
        Step::Continue
    }

    /// Visits the statement that ends at `end`, and begins the next one.
    #[inline]
    fn end_statement(
        &mut self,
        end: usize,
        visit: &mut impl FnMut(StepStatement<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bytes = self.window.get(self.begin..end).unwrap_or_default();
        let offset = self.offset + u64::try_from(self.begin).unwrap_or(0);
        let statement = StepStatement { offset, bytes, is_cut: self.is_cut };
        self.begin = end + 1;
        self.is_cut = false;
        visit(statement)
    }
}

/// Masks of the quotes, semicolons and slashes of a block; the first byte is the lowest bit.
#[inline]
fn masks(block: &[u8; BLOCK]) -> [u64; 3] {
    let (parts, _) = block.as_chunks::<16>();
    let mut masks = [0; 3];
    for part in parts.iter().rev() {
        let part = u8x16::new(*part);
        for (mask, byte) in masks.iter_mut().zip([b'\'', b';', b'/']) {
            *mask = (*mask << 16) | u64::from(part.simd_eq(u8x16::splat(byte)).to_bitmask());
        }
    }
    masks
}

/// For each bit, the parity of the bits up to it: bytes within quotes. A doubled quote closes and opens.
#[inline]
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// True if a line after a semicolon in a string begins an instance. Strings have no line breaks, so the closing quote is
/// missing and the string ends here. Otherwise text and strings would swap for the rest of the file.
fn begins_instance(after: &[u8]) -> bool {
    let trimmed = after.trim_ascii_start();
    let blank = after.get(..after.len() - trimmed.len()).unwrap_or_default();
    if !blank.contains(&b'\n') && !blank.contains(&b'\r') {
        return false;
    }
    let Some(name) = trimmed.strip_prefix(b"#") else { return begins_with(trimmed, b"ENDSEC") };
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && name.get(digits..).unwrap_or_default().trim_ascii_start().starts_with(b"=")
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, STATEMENT_MAX, statements};
    use std::io::Read;
    use std::ops::ControlFlow;

    /// Offset and text of each statement, and true if it is cut.
    fn scan(input: impl Read) -> Vec<(u64, String, bool)> {
        scan_by(CHUNK, input)
    }

    fn scan_by(chunk: usize, input: impl Read) -> Vec<(u64, String, bool)> {
        let mut found = Vec::new();
        statements(input, 0, chunk, |statement| {
            let text = String::from_utf8_lossy(statement.bytes).into_owned();
            found.push((statement.offset, text, statement.is_cut));
            ControlFlow::Continue(())
        })
        .unwrap();
        found
    }

    fn texts(input: &str) -> Vec<String> {
        scan(input.as_bytes()).into_iter().map(|(_, text, _)| text.trim().to_owned()).collect()
    }

    #[test]
    fn semicolons_in_strings_and_comments_end_no_statement() {
        assert_eq!(
            texts("#1=A('a;b'';c');/* ; it's ; */#2=B(/*;'*/1);#3=C('/*');#4=D('*/');"),
            ["#1=A('a;b'';c')", "#2=B(/*;'*/1)", "#3=C('/*')", "#4=D('*/')"]
        );
    }

    #[test]
    fn a_string_that_was_never_closed_ends_with_its_statement() {
        assert_eq!(
            texts("#1=A('lost);\n#2=B('b');\n#3=C('c;');\n#4=D('x;#5=E(''y'')');\n"),
            ["#1=A('lost)", "#2=B('b')", "#3=C('c;')", "#4=D('x;#5=E(''y'')')"]
        );
        assert_eq!(texts("#1=A('lost);\r\nENDSEC;\nEND;").len(), 3);
    }

    #[test]
    fn bytes_after_the_last_semicolon_are_no_statement() {
        assert_eq!(texts("A;B"), ["A"]);
        assert_eq!(texts("A;'B;"), ["A"]);
        assert_eq!(texts("A;/*B;"), ["A"]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn the_size_of_reads_does_not_change_the_statements() {
        let mut text = String::from("/* header; */ISO;");
        for id in 0..40 {
            let pad = " ".repeat(id);
            text.push_str(&format!("#{id}={pad}A('x;''{pad}/*',/* y';*/ ( {pad} ));\n/*{pad}*/"));
        }
        text.push_str("#99=B('lost);\n#100=C();");
        let whole = scan(text.as_bytes());
        assert_eq!(whole.len(), 43);
        for (offset, found, _) in &whole {
            let begin = usize::try_from(*offset).unwrap();
            assert_eq!(&text.as_bytes()[begin..begin + found.len()], found.as_bytes());
        }
        for size in (1..130).chain([1000]) {
            assert_eq!(scan_by(size, text.as_bytes()), whole, "{size}");
        }
    }

    #[test]
    fn a_statement_that_is_too_long_is_cut_to_its_beginning() {
        let long = "x".repeat(STATEMENT_MAX + 3 * CHUNK);
        let found = scan(format!("#1=A();\n#2=B('{long}');#3=C();").as_bytes());
        let shown: Vec<_> =
            found.iter().map(|(_, text, cut)| (text.trim().get(..3).unwrap(), *cut)).collect();
        assert_eq!(shown, [("#1=", false), ("#2=", true), ("#3=", false)]);
        assert!(found[1].1.len() <= STATEMENT_MAX);
        assert_eq!(found[2].0, u64::try_from(7 + 1 + 6 + long.len() + 3).unwrap());
    }

    #[test]
    fn a_comment_before_a_statement_may_have_any_length() {
        let found = scan(format!("#1=A();/*{}*/ #2=B();", "*".repeat(5 * STATEMENT_MAX)).as_bytes());
        assert_eq!(found[1].1, " #2=B()");
        assert!(!found[1].2);
    }
}
