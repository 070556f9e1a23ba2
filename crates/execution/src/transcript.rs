//! What code writes, as text: as much of it as is kept.

use domain::execution::OUTPUT_MAX_BYTES;

/// What stands for bytes that are no text.
const REPLACEMENT: &str = "\u{fffd}";

/// A piece of what code wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text. What is no UTF-8, or NUL, which databases can't hold, is replaced.
    pub text: String,
    /// Whether more was written than is kept.
    pub truncated: bool,
}

/// Gathers what code writes until it is told.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// The beginning of a character whose end is still to come.
    unfinished: Vec<u8>,
    piece: Piece,
    kept_bytes: usize,
    /// Nothing more is kept.
    is_full: bool,
}

impl Transcript {
    /// Adds what was written.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.unfinished.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.unfinished);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.keep(chunk.valid());
            // Bytes at the end may be a character's beginning.
            if chunks.peek().is_none() && is_beginning(chunk.invalid()) {
                self.unfinished = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                self.keep(REPLACEMENT);
            }
        }
    }

    /// Nothing more will be written.
    pub(crate) fn finish(&mut self) {
        if !std::mem::take(&mut self.unfinished).is_empty() {
            self.keep(REPLACEMENT);
        }
    }

    /// How much waits to be told, in bytes.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.piece.text.len() + usize::from(self.piece.truncated)
    }

    /// What waits to be told; `None` where nothing does.
    pub(crate) fn take(&mut self) -> Option<Piece> {
        (self.waiting_bytes() > 0).then(|| std::mem::take(&mut self.piece))
    }

    fn keep(&mut self, text: &str) {
        for character in text.chars() {
            let character = if character == '\0' { char::REPLACEMENT_CHARACTER } else { character };
            let kept_bytes = self.kept_bytes + character.len_utf8();
            if self.is_full || kept_bytes > OUTPUT_MAX_BYTES {
                self.piece.truncated |= !self.is_full;
                self.is_full = true;
                return;
            }
            self.kept_bytes = kept_bytes;
            self.piece.text.push(character);
        }
    }
}

/// Whether more bytes could make a character of these: they are no error yet.
fn is_beginning(bytes: &[u8]) -> bool {
    let error = std::str::from_utf8(bytes).err();
    error.is_some_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use domain::execution::OUTPUT_MAX_BYTES;

    use super::{Piece, Transcript};

    fn told(pieces: &[&[u8]]) -> Vec<String> {
        let mut transcript = Transcript::default();
        let mut told = Vec::new();
        for piece in pieces {
            transcript.write(piece);
            told.extend(transcript.take().map(|piece| piece.text));
        }
        transcript.finish();
        told.extend(transcript.take().map(|piece| piece.text));
        told
    }

    #[test]
    fn a_character_that_comes_in_two_pieces_stays_one() {
        assert_eq!(told(&[b"a\xc3", b"\xa4b"]), ["a", "\u{e4}b"]);
        assert_eq!(told(&[b"\xf0\x9f", b"\x98", b"\x80"]), ["\u{1f600}"]);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(told(&[b"a\xffb\0c"]), ["a\u{fffd}b\u{fffd}c"]);
        assert_eq!(told(&[b"a\xc3"]), ["a", "\u{fffd}"]);
    }

    #[test]
    fn what_is_too_much_is_cut_off_at_a_character_and_told_once() {
        let mut transcript = Transcript::default();
        transcript.write(&vec![b'x'; OUTPUT_MAX_BYTES - 1]);
        assert!(!transcript.take().unwrap().truncated);
        transcript.write("\u{e4}b".as_bytes());
        assert_eq!(transcript.take(), Some(Piece { text: String::new(), truncated: true }));
        transcript.write(b"more");
        assert_eq!(transcript.take(), None);
    }
}
