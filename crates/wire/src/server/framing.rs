//! The heads and bodies in the bytes that a client sends, as actix reads them.
//!
//! actix takes a bare LF for the end of a line, at which other readers of the same bytes see none. So each bare LF of a
//! head is replaced by a byte that no head may have, also of a head that follows another request in one segment.

/// Longest line of a head that is looked at, in bytes. actix refuses a longer head.
const LINE_MAX_BYTES: usize = 128 * 1024;

/// The position in a client's bytes.
#[derive(Debug, Default)]
pub(super) struct Framing {
    part: RequestPart,
    /// The line so far, without its end.
    line: Vec<u8>,
    /// True if the last byte was CR.
    follows_cr: bool,
    head: Head,
}

/// A part of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RequestPart {
    #[default]
    Head,
    /// Bytes of a body, or of a chunk with its end.
    Bytes {
        left: u64,
        is_chunk: bool,
    },
    ChunkSize,
    Trailers,
    /// actix refuses what comes, or reads no head in it.
    Unread,
}

/// The lines of a head that say how its body ends.
#[derive(Debug, Default)]
struct Head {
    has_begun: bool,
    length: Option<u64>,
    is_chunked: bool,
    is_unread: bool,
}

impl Framing {
    /// Replaces each bare LF at the end of a line: in a head by NUL, among trailers by CR. actix refuses both.
    pub(super) fn spoil_bare_line_ends(&mut self, received: &mut [u8]) {
        let mut rest = received;
        loop {
            match self.part {
                RequestPart::Unread => return,
                RequestPart::Bytes { left, is_chunk } => {
                    let here = usize::try_from(left).map_or(rest.len(), |left| left.min(rest.len()));
                    let left = left.saturating_sub(u64::try_from(here).unwrap_or(u64::MAX));
                    rest = rest.get_mut(here..).unwrap_or_default();
                    self.part = match (left, is_chunk) {
                        (0, true) => RequestPart::ChunkSize,
                        (0, false) => RequestPart::Head,
                        _ => RequestPart::Bytes { left, is_chunk },
                    };
                    if left > 0 {
                        return;
                    }
                }
                RequestPart::Head | RequestPart::ChunkSize | RequestPart::Trailers => {
                    let Some((byte, others)) = rest.split_first_mut() else { return };
                    self.take(byte);
                    rest = others;
                }
            }
        }
    }

    /// Takes a byte of a line.
    fn take(&mut self, byte: &mut u8) {
        let follows_cr = std::mem::replace(&mut self.follows_cr, *byte == b'\r');
        match *byte {
            b'\n' if follows_cr => {
                self.line.pop();
                let line = std::mem::take(&mut self.line);
                self.part = self.after(&line);
            }
            b'\n' if self.part == RequestPart::Head => *byte = 0,
            b'\n' if self.part == RequestPart::Trailers => *byte = b'\r',
            _ if self.line.len() == LINE_MAX_BYTES => self.part = RequestPart::Unread,
            byte => self.line.push(byte),
        }
    }

    /// The part that follows a line.
    fn after(&mut self, line: &[u8]) -> RequestPart {
        match self.part {
            // Empty lines before a request are ignored.
            RequestPart::Head if line.is_empty() && self.head.has_begun => {
                std::mem::take(&mut self.head).body()
            }
            RequestPart::Head if line.is_empty() => RequestPart::Head,
            RequestPart::Head => {
                self.head.take(line);
                RequestPart::Head
            }
            RequestPart::ChunkSize => match chunk_size(line) {
                Some(0) => RequestPart::Trailers,
                // The chunk ends with CRLF.
                Some(size) => RequestPart::Bytes { left: size.saturating_add(2), is_chunk: true },
                None => RequestPart::Unread,
            },
            RequestPart::Trailers if line.is_empty() => RequestPart::Head,
            part => part,
        }
    }
}

impl Head {
    fn take(&mut self, line: &[u8]) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let Some(colon) = line.iter().position(|byte| *byte == b':').filter(|_| !is_first) else {
            self.is_unread |= is_first && line.starts_with(b"CONNECT ");
            return;
        };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            self.length = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            self.is_unread |= self.length.is_none();
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.is_chunked |= value.eq_ignore_ascii_case(b"chunked");
        } else if name.eq_ignore_ascii_case(b"upgrade") {
            self.is_unread |= value.eq_ignore_ascii_case(b"websocket");
        }
    }

    /// The part that follows the head.
    fn body(self) -> RequestPart {
        match self {
            Self { is_unread: true, .. } => RequestPart::Unread,
            Self { is_chunked: true, .. } => RequestPart::ChunkSize,
            Self { length: Some(left @ 1..), .. } => RequestPart::Bytes { left, is_chunk: false },
            _ => RequestPart::Head,
        }
    }
}

/// The size in the line before a chunk.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii_end();
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::Framing;

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const BARE: &str = "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n";
    const LENGTH: &str = "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:  9 \r\n\r\na\nb\r\n\r\nc\n";
    const CHUNKED: &str = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
        5;x=y\r\n\n\r\n\r\n\r\nA \r\n0\n\n3456789\r\n0\r\nTrailer: t\r\n\r\n";

    /// The bytes that actix gets, if they arrive in pieces of this size.
    fn passed(sent: &str, piece: usize) -> String {
        let (mut framing, mut bytes) = (Framing::default(), sent.as_bytes().to_vec());
        bytes.chunks_mut(piece).for_each(|piece| framing.spoil_bare_line_ends(piece));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_bare_line_end_of_any_head_is_spoiled_and_bodies_pass_unchanged() {
        let spoiled = BARE.replace("a\nX", "a\0X");
        for before in ["", GET, LENGTH, CHUNKED, "\r\n\r\n", &[GET, CHUNKED, LENGTH, GET].concat()] {
            for piece in [1, 2, 7, 4096] {
                assert_eq!(passed(&[before, GET].concat(), piece), [before, GET].concat());
                let sent = [before, BARE, GET].concat();
                assert_eq!(passed(&sent, piece), [before, &spoiled, GET].concat(), "{piece}");
            }
        }
        assert_eq!(passed("GET / HTTP/1.1\nHost: a\n\n", 3), "GET / HTTP/1.1\0Host: a\0\0");
    }

    #[test]
    fn a_bare_line_end_among_trailers_ends_the_line_for_nobody() {
        let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
        assert_eq!(passed(&format!("{start}T: t\n\nGET"), 5), format!("{start}T: t\r\rGET"));
    }

    #[test]
    fn bytes_that_actix_does_not_read_as_requests_pass_unchanged() {
        for head in [
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        ] {
            let sent = format!("{head}a\nb\n\n");
            assert_eq!(passed(&sent, 10), sent);
        }
    }
}
