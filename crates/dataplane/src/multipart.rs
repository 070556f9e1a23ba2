//! A scanner for `multipart/form-data` bodies that hold exactly one part, named `file`.
//!
//! It does no I/O: chunks of any size go in, slices of the same memory come out, nothing is copied. So its
//! memory is bounded whatever the body is, and every way of splitting a body into chunks can be tested.
//! Not here: how large a file may be, and what becomes of its bytes.
//!
//! `actix-multipart` takes a boundary behind a lone CR for the end of the file, and restarts its search at each
//! CR, which a hostile body turns into a cheap attack on the processor. Where neither matters, the tests hold
//! this scanner against it.

pub mod head;

use bytes::Bytes;
use domain::{Code, Error, Result};
use memchr::memmem::Finder;
use memchr::memrchr;

use self::head::{Boundary, PartHead};

/// Most bytes that may stand before the first boundary, and most after the last: far more than any client
/// sends, as both are ignored.
pub const MAX_PADDING_BYTES: usize = 16 * 1024;

/// Most bytes that the headers of the part may take.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Most bytes that a body can have beyond those of its file, for judging a declared `Content-Length`.
pub const MAX_OVERHEAD_BYTES: u64 = 64 * 1024;

/// The state of a scan. Feed it with [`Scanner::push`], then [`Scanner::finish`] it.
#[derive(Debug)]
pub struct Scanner {
    /// CR LF `--` boundary. Its only CR is its first byte, so that a part of it never begins inside another.
    delimiter: Bytes,
    finder: Finder<'static>,
    state: State,
    /// File name of the part, as the client sent it.
    file_name: Option<String>,
}

#[derive(Debug)]
enum State {
    /// Before the first delimiter, of which the last `matched` bytes read are the beginning.
    Preamble { matched: usize, seen: usize },
    /// Behind the first delimiter, up to and including the empty line that ends the headers.
    Head(Vec<u8>),
    /// Inside the file; the last `matched` bytes read may turn out to be the delimiter and are held back.
    File { matched: usize },
    /// Behind the delimiter that follows the file: the next two bytes must be `--`.
    Closing { dashes: usize },
    /// Behind the closing delimiter.
    Epilogue { seen: usize },
}

impl Scanner {
    /// A scan of a body that is divided by `boundary`.
    pub fn new(boundary: &Boundary) -> Self {
        let delimiter = Bytes::from(format!("\r\n--{}", boundary.as_str()));
        Self {
            finder: Finder::new(&delimiter).into_owned(),
            delimiter,
            // The first delimiter needs no line break of its own at the very beginning of the body.
            state: State::Preamble { matched: 2, seen: 0 },
            file_name: None,
        }
    }

    /// Takes the next chunk of the body and hands the file's bytes in it to `file`, in order.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` as soon as the body can't be one part named `file` any more; the scan is then over.
    pub fn push(&mut self, chunk: Bytes, mut file: impl FnMut(Bytes)) -> Result<()> {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match &mut self.state {
                State::Preamble { .. } => self.preamble(rest)?,
                State::Head(_) => self.head(rest)?,
                State::File { .. } => self.file(rest, &mut file),
                State::Closing { dashes } => {
                    if rest.first() != Some(&b'-') {
                        return Err(invalid("The body has more than the one part named `file`."));
                    }
                    *dashes += 1;
                    if *dashes == 2 {
                        self.state = State::Epilogue { seen: 0 };
                    }
                    rest.slice(1..)
                }
                State::Epilogue { seen } => {
                    *seen = padded(*seen, rest.len())?;
                    Bytes::new()
                }
            };
        }
        Ok(())
    }

    /// Ends the scan where the body ended and returns the file name that the client sent, if any.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` where the body stops before its closing boundary, or has no part named `file`.
    pub fn finish(self) -> Result<Option<String>> {
        match self.state {
            State::Epilogue { .. } => Ok(self.file_name),
            State::Preamble { .. } => Err(invalid("The body does not contain its boundary.")),
            State::Head(_) | State::File { .. } | State::Closing { .. } => {
                Err(invalid("The body ends before its closing boundary."))
            }
        }
    }

    fn preamble(&mut self, chunk: Bytes) -> Result<Bytes> {
        let State::Preamble { matched, seen } = self.state else {
            return Ok(chunk);
        };
        let total = chunk.len();
        let (_, next) = self.split(chunk, matched);
        let read = match &next {
            Next::Delimiter(rest) => total.saturating_sub(rest.len()),
            Next::More { .. } => total,
        };
        // The delimiter itself may well straddle the limit: it is generous enough for that not to matter.
        let seen = padded(seen, read)?;
        match next {
            Next::Delimiter(rest) => {
                self.state = State::Head(Vec::new());
                Ok(rest)
            }
            Next::More { matched } => {
                self.state = State::Preamble { matched, seen };
                Ok(Bytes::new())
            }
        }
    }

    fn head(&mut self, chunk: Bytes) -> Result<Bytes> {
        let State::Head(head) = &mut self.state else {
            return Ok(chunk);
        };
        let before = head.len();
        let room = (MAX_HEAD_BYTES + HEAD_END.len()).saturating_sub(before);
        head.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if head.starts_with(b"--") {
            return Err(invalid("The body has no part named `file`."));
        }
        // Two dashes tell a closing delimiter from a part's, so the end is not looked for before both are here.
        let searched = before.saturating_sub(HEAD_END.len() - 1);
        let tail = head.get(searched..).unwrap_or_default();
        let Some(at) = memchr::memmem::find(tail, HEAD_END) else {
            if head.len() >= MAX_HEAD_BYTES + HEAD_END.len() {
                return Err(invalid("The headers of the part are too large."));
            }
            return Ok(Bytes::new());
        };
        let end = searched + at;
        let part = PartHead::parse(head.get(..end).unwrap_or_default())?;
        if part.name != "file" {
            return Err(invalid("The body's only part must be named `file`."));
        }
        self.file_name = part.file_name;
        self.state = State::File { matched: 0 };
        let used = (end + HEAD_END.len()).saturating_sub(before);
        Ok(chunk.slice(used.min(chunk.len())..))
    }

    fn file(&mut self, chunk: Bytes, file: &mut impl FnMut(Bytes)) -> Bytes {
        let State::File { matched } = self.state else {
            return chunk;
        };
        let (data, next) = self.split(chunk, matched);
        for slice in data {
            if !slice.is_empty() {
                file(slice);
            }
        }
        match next {
            Next::Delimiter(rest) => {
                self.state = State::Closing { dashes: 0 };
                rest
            }
            Next::More { matched } => {
                self.state = State::File { matched };
                Bytes::new()
            }
        }
    }

    /// Splits a chunk, before which `matched` bytes of the delimiter were held back, into what stands before
    /// the delimiter (bytes held back in vain first) and what comes next.
    fn split(&self, chunk: Bytes, matched: usize) -> ([Bytes; 2], Next) {
        let mut held = Bytes::new();
        if matched > 0 {
            let wanted = self.delimiter.get(matched..).unwrap_or_default();
            let common = wanted.iter().zip(&chunk).take_while(|(wanted, found)| wanted == found).count();
            if common == wanted.len() {
                return ([Bytes::new(), Bytes::new()], Next::Delimiter(chunk.slice(common..)));
            }
            if common == chunk.len() {
                return ([Bytes::new(), Bytes::new()], Next::More { matched: matched + common });
            }
            held = self.delimiter.slice(..matched);
        }
        if let Some(at) = self.finder.find(&chunk) {
            let rest = chunk.slice(at + self.delimiter.len()..);
            return ([held, chunk.slice(..at)], Next::Delimiter(rest));
        }
        let matched = self.held_back(&chunk);
        let data = chunk.slice(..chunk.len().saturating_sub(matched));
        ([held, data], Next::More { matched })
    }

    /// How many of the last bytes of a chunk may be the beginning of the delimiter.
    fn held_back(&self, chunk: &[u8]) -> usize {
        let window_start = chunk.len().saturating_sub(self.delimiter.len() - 1);
        let window = chunk.get(window_start..).unwrap_or_default();
        let Some(cr) = memrchr(b'\r', window) else {
            return 0;
        };
        let tail = window.get(cr..).unwrap_or_default();
        if self.delimiter.starts_with(tail) { tail.len() } else { 0 }
    }
}

/// What follows the bytes that [`Scanner::split`] found to be data.
enum Next {
    /// The delimiter, and behind it the rest of the chunk.
    Delimiter(Bytes),
    /// Nothing; the last `matched` bytes may be the beginning of the delimiter.
    More { matched: usize },
}

const HEAD_END: &[u8] = b"\r\n\r\n";

fn padded(seen: usize, more: usize) -> Result<usize> {
    match seen.saturating_add(more) {
        total if total <= MAX_PADDING_BYTES => Ok(total),
        _ => Err(invalid("There is too much before the first boundary, or after the last.")),
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidUpload, message)
}
