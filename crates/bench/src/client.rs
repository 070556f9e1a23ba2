//! A minimal HTTP client: one kept-alive connection, one request at a time. It shares the processors with the service, so
//! it must be cheap. It supports the part of HTTP that the contestants answer with.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// One connection.
pub(crate) struct Client {
    host: String,
    stream: BufReader<TcpStream>,
    line: String,
}

/// A request without its body.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) bearer: &'a str,
    /// Whole header lines, without line ends.
    pub(crate) headers: &'a [String],
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The value of `ETag`.
    pub(crate) etag: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// Connects to `http://<host>:<port>`.
    pub(crate) fn connect(url: &str) -> Result<Self> {
        let host = url.strip_prefix("http://").context("not a plain HTTP URL")?.to_owned();
        let stream = TcpStream::connect(&host).with_context(|| format!("connect to {host}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { host, stream: BufReader::new(stream), line: String::new() })
    }

    /// Sends a request with a small body.
    pub(crate) fn send(&mut self, request: &Request<'_>, body: &[u8]) -> Result<Answer> {
        let mut message = self.head(request, body.len());
        message.extend_from_slice(body);
        self.stream.get_mut().write_all(&message)?;
        self.answer()
    }

    /// Sends a request whose body comes in pieces.
    pub(crate) fn send_pieces<'a>(
        &mut self,
        request: &Request<'_>,
        length: usize,
        pieces: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Answer> {
        let head = self.head(request, length);
        let stream = self.stream.get_mut();
        stream.write_all(&head)?;
        for piece in pieces {
            if let Err(error) = stream.write_all(piece) {
                // A server that closes early has answered with the reason.
                let answer = self.answer().map(|answer| answer.describe()).unwrap_or_default();
                return Err(error).with_context(|| format!("the body was refused {answer}"));
            }
        }
        self.answer()
    }

    fn head(&self, request: &Request<'_>, length: usize) -> Vec<u8> {
        let Request { method, path, bearer, headers } = request;
        let host = &self.host;
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {bearer}\r\ncontent-length: {length}\r\n"
        );
        for header in *headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn answer(&mut self) -> Result<Answer> {
        let status = self.line()?.split_whitespace().nth(1).and_then(|status| status.parse().ok());
        let status = status.context("not an HTTP answer")?;
        let (mut length, mut etag) = (None, None);
        loop {
            let line = self.line()?;
            match line.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = Some(value.trim().parse()?);
                }
                Some((name, value)) if name.eq_ignore_ascii_case("etag") => {
                    etag = Some(value.trim().to_owned());
                }
                Some(_) => {}
                None => break,
            }
        }
        // A 304 has no body and no length.
        let length = if status == 304 { 0 } else { length.context("an answer of unknown length")? };
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, etag, body })
    }

    fn line(&mut self) -> Result<&str> {
        self.line.clear();
        ensure!(self.stream.read_line(&mut self.line)? > 0, "the connection was closed");
        Ok(self.line.trim_end())
    }
}

impl Answer {
    /// The answer.
    ///
    /// # Errors
    /// It has another status.
    pub(crate) fn expect(self, status: u16) -> Result<Self> {
        if self.status != status {
            bail!("{} instead of {status}", self.describe());
        }
        Ok(self)
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).context("the answer is not JSON")
    }

    fn describe(&self) -> String {
        format!("{}: {}", self.status, String::from_utf8_lossy(&self.body))
    }
}
