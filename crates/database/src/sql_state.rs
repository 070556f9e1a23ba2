//! The SQLSTATE of an error, and the stream that keeps it.
//!
//! diesel keeps the SQLSTATE of eight kinds of errors and drops it for all others: `DatabaseErrorInformation` has no
//! method for it, and diesel-async's type with the original error is private. Messages can't tell errors apart, because
//! PostgreSQL writes them in the language of its cluster. So the stream from the server puts the SQLSTATE of each error
//! in front of its message.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_util::io::poll_read_buf;

/// Length of an SQLSTATE, in bytes.
const STATE_BYTES: usize = 5;
/// Type of the message ErrorResponse.
const ERROR_RESPONSE: u8 = b'E';
/// Fields of an ErrorResponse: its SQLSTATE and its message.
const STATE: u8 = b'C';
const MESSAGE: u8 = b'M';
/// Type and length of a message, in bytes.
const HEADER_BYTES: usize = 5;
/// Longest error whose message is changed, in bytes.
const ERROR_MAX_BYTES: usize = 1024 * 1024;
/// Room for one read, in bytes.
const READ_BYTES: usize = 8 * 1024;

/// The SQLSTATE in front of a message.
pub(crate) fn of_message(message: &str) -> Option<&str> {
    let (state, _) = message.split_once(' ')?;
    let is_state = state.len() == STATE_BYTES
        && state.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_state.then_some(state)
}

/// A stream from PostgreSQL, without TLS or within it, whose errors have their SQLSTATE in front of their message.
pub(crate) struct StatesInMessages<S> {
    stream: S,
    /// Bytes that are not passed on yet.
    received: BytesMut,
    /// Bytes of the current message that pass unchanged.
    passing: usize,
    /// The server has closed the stream.
    is_over: bool,
}

impl<S> StatesInMessages<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, received: BytesMut::new(), passing: 0, is_over: false }
    }

    /// Passes on what has arrived and has room in `buffer`; returns whether there was anything.
    fn pass(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let before = buffer.filled().len();
        while buffer.remaining() > 0 && (self.passing > 0 || self.begin_message()) {
            let count = self.passing.min(self.received.len()).min(buffer.remaining());
            if count == 0 {
                break;
            }
            buffer.put_slice(self.received.get(..count).unwrap_or_default());
            self.received.advance(count);
            self.passing -= count;
        }
        buffer.filled().len() > before
    }

    /// Reads the header of the next message, and changes an error. Returns `false` while bytes of it are missing.
    fn begin_message(&mut self) -> bool {
        let Some((kind, rest)) = self.received.split_first() else { return false };
        let Some(length) = rest.first_chunk() else { return false };
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX).saturating_add(1);
        if *kind != ERROR_RESPONSE || length > ERROR_MAX_BYTES {
            self.passing = length;
            return true;
        }
        if self.received.len() < length {
            return false;
        }
        let error = self.received.split_to(length);
        let rest = std::mem::replace(&mut self.received, with_state(&error));
        self.passing = self.received.len();
        self.received.extend_from_slice(&rest);
        true
    }
}

/// The ErrorResponse with its SQLSTATE in front of its message.
fn with_state(error: &[u8]) -> BytesMut {
    let body = error.get(HEADER_BYTES..).unwrap_or_default();
    // Each field is a byte for its type and a text that ends with a zero; a zero ends the fields.
    let fields = || body.split(|byte| *byte == 0).filter_map(<[u8]>::split_first);
    let state = fields().find(|(kind, _)| **kind == STATE).map(|(_, state)| state).unwrap_or_default();
    let mut changed = Vec::with_capacity(body.len() + STATE_BYTES + 1);
    for (kind, text) in fields() {
        changed.push(*kind);
        if *kind == MESSAGE {
            changed.extend_from_slice(state);
            changed.push(b' ');
        }
        changed.extend_from_slice(text);
        changed.push(0);
    }
    changed.push(0);
    let mut message = BytesMut::with_capacity(HEADER_BYTES + changed.len());
    message.put_u8(ERROR_RESPONSE);
    // The length counts itself, and not the type.
    message.put_u32(u32::try_from(HEADER_BYTES - 1 + changed.len()).unwrap_or(u32::MAX));
    message.put_slice(&changed);
    message
}

impl<S: AsyncRead + Unpin> AsyncRead for StatesInMessages<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while !this.pass(buffer) && !this.is_over {
            this.received.reserve(READ_BYTES);
            let count = ready!(poll_read_buf(Pin::new(&mut this.stream), context, &mut this.received))?;
            if count == 0 {
                this.is_over = true;
                // A message that was cut off.
                this.passing = this.received.len();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StatesInMessages<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: TlsStream + Unpin> TlsStream for StatesInMessages<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

/// TLS whose plaintext is a [`StatesInMessages`].
pub(crate) struct StatesInTls<T>(pub(crate) T);

impl<S, T> TlsConnect<S> for StatesInTls<T>
where
    T: TlsConnect<S, Future: Send + 'static>,
{
    type Error = T::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, T::Error>> + Send>>;
    type Stream = StatesInMessages<T::Stream>;

    fn connect(self, stream: S) -> Self::Future {
        let connecting = self.0.connect(stream);
        Box::pin(async move { connecting.await.map(StatesInMessages::new) })
    }
}
