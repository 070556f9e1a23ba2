//! Output of code as text, up to a limit.

use domain::work::execution::OUTPUT_MAX_BYTES;

use crate::mask::Masker;

/// Replacement of invalid bytes.
const REPLACEMENT: &str = "\u{fffd}";

/// A piece of a program's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputPiece {
    /// The text. Credentials are masked; invalid UTF-8 and NUL, which PostgreSQL refuses, are replaced.
    pub text: String,
    /// True if the output exceeded the limit in this piece.
    pub truncated: bool,
}

/// Buffers output until it is published.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// The beginning of an incomplete character.
    unfinished: Vec<u8>,
    masker: Masker,
    piece: OutputPiece,
    kept_bytes: usize,
    /// The limit was reached.
    is_full: bool,
}

impl Transcript {
    /// Adds output.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.unfinished.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.unfinished);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.add(chunk.valid());
            // The last bytes may begin a character.
            if chunks.peek().is_none() && is_beginning(chunk.invalid()) {
                self.unfinished = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                self.add(REPLACEMENT);
            }
        }
    }

    /// Ends the output; an incomplete character is replaced.
    pub(crate) fn finish(&mut self) {
        if !std::mem::take(&mut self.unfinished).is_empty() {
            self.add(REPLACEMENT);
        }
        let held = self.masker.finish();
        self.keep(&held);
    }

    /// Bytes of buffered output.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.piece.text.len() + usize::from(self.piece.truncated)
    }

    /// Takes the buffered output, if any.
    pub(crate) fn take(&mut self) -> Option<OutputPiece> {
        (self.waiting_bytes() > 0).then(|| std::mem::take(&mut self.piece))
    }

    fn add(&mut self, text: &str) {
        let masked = self.masker.mask(text);
        self.keep(&masked);
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

/// True if more bytes could complete these to a character.
fn is_beginning(bytes: &[u8]) -> bool {
    let error = std::str::from_utf8(bytes).err();
    error.is_some_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use domain::work::execution::OUTPUT_MAX_BYTES;

    use super::{OutputPiece, Transcript};

    fn published(pieces: &[&[u8]]) -> Vec<String> {
        let mut transcript = Transcript::default();
        let mut published = Vec::new();
        for piece in pieces {
            transcript.write(piece);
            published.extend(transcript.take().map(|piece| piece.text));
        }
        transcript.finish();
        published.extend(transcript.take().map(|piece| piece.text));
        published
    }

    #[test]
    fn a_character_split_over_two_pieces_stays_whole() {
        assert_eq!(published(&[b"a\xc3", b"\xa4b"]), ["a", "\u{e4}b"]);
        assert_eq!(published(&[b"\xf0\x9f", b"\x98", b"\x80"]), ["\u{1f600}"]);
    }

    #[test]
    fn invalid_bytes_and_nul_are_replaced() {
        assert_eq!(published(&[b"a\xffb\0c"]), ["a\u{fffd}b\u{fffd}c"]);
        assert_eq!(published(&[b"a\xc3"]), ["a", "\u{fffd}"]);
    }

    #[test]
    fn excess_output_is_cut_at_a_character_and_reported_once() {
        let mut transcript = Transcript::default();
        transcript.write(&vec![b'x'; OUTPUT_MAX_BYTES - 1]);
        assert!(!transcript.take().unwrap().truncated);
        transcript.write("\u{e4}b".as_bytes());
        assert_eq!(transcript.take(), Some(OutputPiece { text: String::new(), truncated: true }));
        transcript.write(b"more");
        assert_eq!(transcript.take(), None);
    }
}
