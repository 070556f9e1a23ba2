//! The events of an answer: server-sent events, or one JSON text from a server that doesn't stream.
//!
//! Our own reader, because `sse-stream` refuses fields that it doesn't know, as in llama.cpp's `error: {…}`, and repeated
//! ones, and drops the event of a stream that ends without an empty line.

use std::io;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};

/// Most bytes of an answer as sent by the server.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Event {
    /// True if the server says that it is an error.
    pub(super) is_error: bool,
    /// Its data: JSON, as a rule.
    pub(super) data: String,
    /// True if it is the whole answer.
    pub(super) is_whole: bool,
}

/// The events of one answer, bounded in bytes.
pub(super) struct Events {
    bytes: BoxStream<'static, io::Result<Bytes>>,
    received: usize,
    /// The bytes that are not read yet, behind some that are.
    held: Vec<u8>,
    /// Number of those that are read.
    read: usize,
    /// Place up to which there is no end of a line.
    searched: usize,
    form: Form,
    /// The event whose lines are arriving.
    event: Option<Event>,
    /// True if a line ended in CR, which a LF may follow.
    skips_line_feed: bool,
    has_ended: bool,
}

/// The form of an answer, told by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unknown,
    Lines,
    Whole,
}

impl Events {
    pub(super) fn new(bytes: BoxStream<'static, io::Result<Bytes>>) -> Self {
        Self {
            bytes,
            received: 0,
            held: Vec::new(),
            read: 0,
            searched: 0,
            form: Form::Unknown,
            event: None,
            skips_line_feed: false,
            has_ended: false,
        }
    }

    /// The next event; `None` at the end. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            if self.form == Form::Unknown {
                self.form = self.told_form();
            }
            while self.form == Form::Lines {
                let Some(line) = self.line() else { break };
                if let Some(event) = self.read(&line) {
                    return Ok(Some(event));
                }
            }
            if self.has_ended {
                return Ok(None);
            }
            match self.bytes.next().await {
                Some(chunk) => {
                    let chunk = chunk?;
                    self.received += chunk.len();
                    if self.received > MAX_BYTES {
                        return Err(io::Error::other("the answer is too large"));
                    }
                    self.held.drain(..self.read);
                    self.searched = self.searched.saturating_sub(self.read);
                    self.read = 0;
                    self.held.extend_from_slice(&chunk);
                }
                None => {
                    self.has_ended = true;
                    return Ok(self.rest());
                }
            }
        }
    }

    /// A line of a stream begins with a letter or a colon; JSON and HTML don't.
    fn told_form(&mut self) -> Form {
        if let Some(rest) = self.held.strip_prefix(BYTE_ORDER_MARK) {
            self.held = rest.to_vec();
        }
        match self.held.trim_ascii_start().first() {
            None => Form::Unknown,
            Some(b'{' | b'[' | b'<') => Form::Whole,
            Some(_) => Form::Lines,
        }
    }

    /// The next whole line, without its end.
    fn line(&mut self) -> Option<String> {
        if self.skips_line_feed && self.read < self.held.len() {
            self.skips_line_feed = false;
            if self.held.get(self.read) == Some(&b'\n') {
                self.read += 1;
            }
        }
        self.searched = self.searched.max(self.read);
        let unsearched = self.held.get(self.searched..).unwrap_or_default();
        let Some(length) = unsearched.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.held.len();
            return None;
        };
        let end = self.searched + length;
        let line = String::from_utf8_lossy(self.held.get(self.read..end).unwrap_or_default()).into_owned();
        self.skips_line_feed = self.held.get(end) == Some(&b'\r');
        self.read = end + 1;
        Some(line)
    }

    /// Adds a line to the event that is arriving; returns the event at its end.
    fn read(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            return self.event.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" | "error" => {
                let event = self.event.get_or_insert_default();
                event.is_error |= field == "error";
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
            "event" if value == "error" => self.event.get_or_insert_default().is_error = true,
            _ => {}
        }
        None
    }

    /// The last event of an answer that has ended.
    fn rest(&mut self) -> Option<Event> {
        let rest = self.held.split_off(self.read);
        let rest = String::from_utf8_lossy(&rest).into_owned();
        match self.form {
            Form::Unknown => None,
            Form::Whole => Some(Event { data: rest, is_whole: true, is_error: false }),
            Form::Lines => {
                self.read(&rest);
                self.event.take()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use bytes::Bytes;
    use futures_util::stream::{self, StreamExt};

    use super::{Event, Events};

    /// The events of an answer that arrives in pieces of `size` bytes.
    fn read(answer: &str, size: usize) -> Vec<Event> {
        let pieces: Vec<io::Result<Bytes>> =
            answer.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let mut events = Events::new(stream::iter(pieces).boxed());
        let all = async {
            let mut read = Vec::new();
            while let Some(event) = events.next().await.unwrap() {
                read.push(event);
            }
            read
        };
        futures_util::FutureExt::now_or_never(all).unwrap()
    }

    fn data(data: &str) -> Event {
        Event { data: data.to_owned(), ..Event::default() }
    }

    #[test]
    fn events_are_read_in_every_form_and_in_pieces_of_every_size() {
        let error = Event { is_error: true, ..data("{\"code\":500}") };
        let whole = Event { is_whole: true, ..data("\n {\"a\": 1}\n") };
        for (answer, expected) in [
            ("data: a\n\ndata:b\n\n", vec![data("a"), data("b")]),
            ("data: é\r\n\r\ndata: b\r\rdata: c\n\r\n", vec![data("é"), data("b"), data("c")]),
            (
                "\u{feff}: hello\nid: 1\nid: 2\nretry: x\nodd\nx-odd: 5\ndata: a\ndata: b\n\n",
                vec![data("a\nb")],
            ),
            ("data: a\n\ndata: unended", vec![data("a"), data("unended")]),
            ("error: {\"code\":500}\n\n", vec![Event { is_error: true, ..data("{\"code\":500}") }]),
            ("event: error\ndata: {\"code\":500}\n\n", vec![error]),
            ("\n {\"a\": 1}\n", vec![whole]),
            ("", vec![]),
            (" \n", vec![]),
        ] {
            for size in 1..=answer.len().max(1) {
                assert_eq!(read(answer, size), expected, "{answer:?} by {size}");
            }
        }
    }
}
