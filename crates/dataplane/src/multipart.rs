//! A scanner for `multipart/form-data` bodies whose parts are files, each named `file`.
//!
//! It does no I/O and copies nothing: chunks of any size go in, slices of the same memory come out. Its memory is
//! bounded for every body, and tests cover every way of splitting a body into chunks. The caller limits sizes.
//!
//! `actix-multipart` takes a boundary behind a lone CR for the end of the file, and restarts its search at each CR,
//! which a hostile body turns into a cheap attack on the processor. The tests compare both scanners on other bodies.

pub mod head;

use bytes::Bytes;
use domain::{Code, Error, Result};
use memchr::memmem::Finder;
use memchr::memrchr;

use self::head::{Boundary, PartHead};

/// Most bytes before the first boundary, and after the last. Both are ignored, and clients send far fewer.
pub const MAX_PADDING_BYTES: usize = 16 * 1024;

/// Longest headers of a part, in bytes.
pub const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Most bytes of a body beyond those of its file. Used to judge a declared `Content-Length`.
pub const MAX_OVERHEAD_BYTES: u64 = 64 * 1024;

/// A scan of one body. Feed it with [`Scanner::push`], then call [`Scanner::finish`].
#[derive(Debug)]
pub struct Scanner {
    /// CR LF `--` boundary. Its only CR is its first byte, so occurrences never overlap.
    delimiter: Bytes,
    finder: Finder<'static>,
    state: ScanState,
    /// Files whose bytes have begun.
    files: usize,
    most_files: usize,
}

/// A piece of a form, in the order of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormPiece {
    /// A file begins, with the client's name for it, unchanged.
    Begin(Option<String>),
    /// The file's next bytes.
    Bytes(Bytes),
    /// The file is complete.
    End,
}

#[derive(Debug)]
enum ScanState {
    /// Before the first delimiter; the last `matched` bytes are a prefix of it.
    Preamble { matched: usize, seen: usize },
    /// Behind a delimiter, through the empty line that ends the headers of the next file.
    Head(Vec<u8>),
    /// Inside the file; the last `matched` bytes are held back because they may start the delimiter.
    File { matched: usize },
    /// Behind the delimiter after the last file: the next two bytes must be `--`.
    Closing { dashes: usize },
    /// Behind the closing delimiter.
    Epilogue { seen: usize },
}

impl Scanner {
    /// Starts a scan of a body with this boundary, and with one file to `most_files`.
    pub fn new(boundary: &Boundary, most_files: usize) -> Self {
        let delimiter = Bytes::from(format!("\r\n--{}", boundary.as_str()));
        Self {
            finder: Finder::new(&delimiter).into_owned(),
            delimiter,
            // The first delimiter needs no line break of its own at the very beginning of the body.
            state: ScanState::Preamble { matched: 2, seen: 0 },
            files: 0,
            most_files,
        }
    }

    /// Scans the next chunk of the body and passes the pieces in it to `take`, in order.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` as soon as the body can't be such a form; the scan is then over.
    pub fn push(&mut self, chunk: Bytes, mut take: impl FnMut(FormPiece)) -> Result<()> {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match &mut self.state {
                ScanState::Preamble { .. } => self.preamble(rest)?,
                ScanState::Head(_) => self.head(rest, &mut take)?,
                ScanState::File { .. } => self.file(rest, &mut take),
                ScanState::Closing { dashes } => {
                    if rest.first() != Some(&b'-') {
                        return Err(too_many_parts(self.most_files));
                    }
                    *dashes += 1;
                    if *dashes == 2 {
                        self.state = ScanState::Epilogue { seen: 0 };
                    }
                    rest.slice(1..)
                }
                ScanState::Epilogue { seen } => {
                    *seen = padded(*seen, rest.len())?;
                    Bytes::new()
                }
            };
        }
        Ok(())
    }

    /// Ends the scan at the end of the body.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` if the body ends before its closing boundary, or has no part named `file`.
    pub fn finish(self) -> Result<()> {
        match self.state {
            ScanState::Epilogue { .. } => Ok(()),
            ScanState::Preamble { .. } => Err(invalid("The body does not contain its boundary.")),
            ScanState::Head(_) | ScanState::File { .. } | ScanState::Closing { .. } => {
                Err(invalid("The body ends before its closing boundary."))
            }
        }
    }

    fn preamble(&mut self, chunk: Bytes) -> Result<Bytes> {
        let ScanState::Preamble { matched, seen } = self.state else {
            return Ok(chunk);
        };
        let total = chunk.len();
        let (_, next) = self.split(chunk, matched);
        let read = match &next {
            SplitEnd::Delimiter(rest) => total.saturating_sub(rest.len()),
            SplitEnd::More { .. } => total,
        };
        // The delimiter itself may straddle the limit, which is generous enough.
        let seen = padded(seen, read)?;
        match next {
            SplitEnd::Delimiter(rest) => {
                self.state = ScanState::Head(Vec::new());
                Ok(rest)
            }
            SplitEnd::More { matched } => {
                self.state = ScanState::Preamble { matched, seen };
                Ok(Bytes::new())
            }
        }
    }

    fn head(&mut self, chunk: Bytes, take: &mut impl FnMut(FormPiece)) -> Result<Bytes> {
        let ScanState::Head(head) = &mut self.state else {
            return Ok(chunk);
        };
        let before = head.len();
        let room = (MAX_HEAD_BYTES + HEAD_END.len()).saturating_sub(before);
        head.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if head.starts_with(b"--") {
            if self.files == 0 {
                return Err(invalid("The body has no part named `file`."));
            }
            let seen = before.saturating_add(chunk.len()).saturating_sub(b"--".len());
            self.state = ScanState::Epilogue { seen: padded(0, seen)? };
            return Ok(Bytes::new());
        }
        // Two dashes mark a closing delimiter; the end of the headers is searched behind them.
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
            return Err(invalid("Each part of the body must be named `file`."));
        }
        take(FormPiece::Begin(part.file_name));
        self.files += 1;
        self.state = ScanState::File { matched: 0 };
        let used = (end + HEAD_END.len()).saturating_sub(before);
        Ok(chunk.slice(used.min(chunk.len())..))
    }

    fn file(&mut self, chunk: Bytes, take: &mut impl FnMut(FormPiece)) -> Bytes {
        let ScanState::File { matched } = self.state else {
            return chunk;
        };
        let (data, next) = self.split(chunk, matched);
        for slice in data {
            if !slice.is_empty() {
                take(FormPiece::Bytes(slice));
            }
        }
        match next {
            SplitEnd::Delimiter(rest) => {
                take(FormPiece::End);
                self.state = if self.files < self.most_files {
                    ScanState::Head(Vec::new())
                } else {
                    ScanState::Closing { dashes: 0 }
                };
                rest
            }
            SplitEnd::More { matched } => {
                self.state = ScanState::File { matched };
                Bytes::new()
            }
        }
    }

    /// Splits a chunk, before which `matched` bytes of the delimiter were held back, into the data before the delimiter
    /// (released held-back bytes first) and the rest.
    fn split(&self, chunk: Bytes, matched: usize) -> ([Bytes; 2], SplitEnd) {
        let mut held = Bytes::new();
        if matched > 0 {
            let wanted = self.delimiter.get(matched..).unwrap_or_default();
            let common = wanted.iter().zip(&chunk).take_while(|(wanted, found)| wanted == found).count();
            if common == wanted.len() {
                return ([Bytes::new(), Bytes::new()], SplitEnd::Delimiter(chunk.slice(common..)));
            }
            if common == chunk.len() {
                return ([Bytes::new(), Bytes::new()], SplitEnd::More { matched: matched + common });
            }
            held = self.delimiter.slice(..matched);
        }
        if let Some(at) = self.finder.find(&chunk) {
            let rest = chunk.slice(at + self.delimiter.len()..);
            return ([held, chunk.slice(..at)], SplitEnd::Delimiter(rest));
        }
        let matched = self.held_back(&chunk);
        let data = chunk.slice(..chunk.len().saturating_sub(matched));
        ([held, data], SplitEnd::More { matched })
    }

    /// Number of trailing bytes of a chunk that may start the delimiter.
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

/// The end of the data found by [`Scanner::split`].
enum SplitEnd {
    /// The delimiter, with the rest of the chunk behind it.
    Delimiter(Bytes),
    /// The end of the chunk; its last `matched` bytes may start the delimiter.
    More { matched: usize },
}

const HEAD_END: &[u8] = b"\r\n\r\n";

fn padded(seen: usize, more: usize) -> Result<usize> {
    match seen.saturating_add(more) {
        total if total <= MAX_PADDING_BYTES => Ok(total),
        _ => Err(invalid("There is too much before the first boundary, or after the last.")),
    }
}

fn too_many_parts(most: usize) -> Error {
    match most {
        1 => invalid("The body has more than one part. To send several files at once, use `uploadFiles`."),
        _ => invalid(&format!("The body has more parts than {most}.")),
    }
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidUpload, message)
}
