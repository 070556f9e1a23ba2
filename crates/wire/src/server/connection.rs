//! A TCP connection under actix's HTTP/1 server, with the timeouts and answers that actix lacks.
//!
//! - actix answers invalid HTTP, and heads that are too large or too slow, with a bare status that no hook sees. The
//!   connection replaces such an answer by the envelope when it is written. One exception: the bare status of garbage
//!   that a client pipelines behind an unfinished request may be sent together with that request's answer.
//! - A body that is not framed as its headers say ends a connection under actix without an answer. The envelope is sent
//!   where no answer has begun; the handler reads the same failure.
//! - actix limits the time of a connection's first head only. Here the limit holds for all of them.
//! - A client that stops reading its answer loses the connection.
//! - To actix, a client that has closed its connection has merely sent everything. Two failed writes would show the end,
//!   half a minute later for an event stream that rarely writes. Such an answer ends here at once.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::Extensions;
use actix_web::http::StatusCode;
use actix_web::rt::net::TcpStream;
use actix_web::{HttpRequest, HttpResponse};
use bytes::{Buf, Bytes, BytesMut};
use domain::id::RequestId;
use domain::time::Clock;
use domain::{Code, Error};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Sleep, sleep};

use crate::contract::envelope;
use crate::contract::protocol::Protocol;
use crate::server::capacity::ConnectionPermit;
use crate::server::framing::Framing;
use crate::server::{metrics, trace_context};

/// The start of the answer that asks for the body of a request.
const CONTINUE: &[u8] = b"HTTP/1.1 100 ";

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionTimeouts {
    /// From the first byte of a request's head to its last.
    pub(crate) head: Duration,
    /// Between two requests.
    pub(crate) keep_alive: Duration,
    /// While an answer waits to be read.
    pub(crate) write: Duration,
}

/// A client's connection.
pub(crate) struct ClientConnection {
    io: TcpStream,
    timeouts: ConnectionTimeouts,
    state: Rc<ConnectionState>,
    idle: Option<Idle>,
    framing: Framing,
    write_timer: Option<Pin<Box<Sleep>>>,
    /// The unwritten rest of an envelope that replaces actix's own answer.
    replacement: BytesMut,
    /// True once the process is stopping, which ends connections, too.
    stopping: watch::Receiver<bool>,
    _open: metrics::OpenConnection,
    _permit: ConnectionPermit,
}

/// A request and its answer on a connection, from the call of the service to the last byte of the body.
pub(crate) struct Exchange(Option<Rc<ConnectionState>>);

/// An extension of an answer whose body has no end of its own. It ends when the client closes its side of the
/// connection, even in one direction only.
#[derive(Clone, Copy, Debug)]
pub struct EndlessBody;

/// The state that a connection shares with its exchanges.
#[derive(Default)]
struct ConnectionState {
    /// True once the client has closed its side.
    is_client_gone: Cell<bool>,
    /// Number of exchanges so far.
    begun: Cell<u64>,
    /// Number of unfinished exchanges.
    active: Cell<u64>,
    /// The number of exchanges when bytes of an answer were last written.
    answered: Cell<u64>,
    /// True while bytes of an exchange may be unwritten. Otherwise, a write is an answer of actix's own.
    has_unwritten: Cell<bool>,
}

/// The wait for the next request.
struct Idle {
    /// The number of exchanges before it.
    after_exchange: u64,
    has_received: bool,
    timer: Pin<Box<Sleep>>,
}

/// The body of an answer. Dropping it ends the exchange.
struct ExchangeBody {
    body: BoxBody,
    is_endless: bool,
    exchange: Exchange,
}

impl ClientConnection {
    pub(crate) fn new(
        io: TcpStream,
        timeouts: ConnectionTimeouts,
        permit: ConnectionPermit,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self {
            io,
            timeouts,
            state: Rc::default(),
            idle: None,
            framing: Framing::default(),
            write_timer: None,
            replacement: BytesMut::new(),
            stopping,
            _open: metrics::OpenConnection::begin(),
            _permit: permit,
        }
    }

    /// Makes the connection's state available to its requests.
    pub(crate) fn share_state(&self, extensions: &mut Extensions) {
        extensions.insert(Rc::clone(&self.state));
    }

    /// Fails once the client has been silent for too long between or in heads.
    fn poll_idle_timeout(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        match &mut self.idle {
            Some(idle) => {
                ready!(idle.timer.as_mut().poll(cx));
                Poll::Ready(io::ErrorKind::TimedOut.into())
            }
            None => Poll::Pending,
        }
    }

    /// Starts the wait for a request after the last exchange, or ends it during an exchange.
    fn update_idle(&mut self) {
        let begun = self.state.begun.get();
        if self.state.active.get() > 0 {
            self.idle = None;
        } else if self.idle.as_ref().is_none_or(|idle| idle.after_exchange != begun) {
            let timer = Box::pin(sleep(self.timeouts.keep_alive.saturating_add(self.timeouts.head)));
            self.idle = Some(Idle { after_exchange: begun, has_received: false, timer });
        }
    }

    /// Starts the timeout of a head at its first byte, and checks the line ends of what was received.
    fn receive(&mut self, received: &mut [u8]) {
        if let Some(idle) = self.idle.as_mut().filter(|idle| !idle.has_received) {
            idle.has_received = true;
            idle.timer = Box::pin(sleep(self.timeouts.head));
        }
        self.framing.spoil_bare_line_ends(received);
    }

    fn poll_replacement(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.replacement.has_remaining() {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, &self.replacement))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.replacement.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_or_replace(&mut self, cx: &mut Context<'_>, answer: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_replacement(cx))?;
        if !self.state.has_unwritten.get()
            && let Some(status) = status_of_failure(answer)
        {
            self.replacement = early_answer(status);
            return match self.poll_replacement(cx) {
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                _ => Poll::Ready(Ok(answer.len())),
            };
        }
        if !answer.starts_with(CONTINUE) {
            self.state.answered.set(self.state.begun.get());
        }
        Pin::new(&mut self.io).poll_write(cx, answer)
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        let state = &self.state;
        let is_unanswered = state.answered.get() != state.begun.get();
        if is_unanswered && !state.is_client_gone.get() && !*self.stopping.borrow() {
            // Nothing was written, so the answer fits into the socket's buffer. If it doesn't, the client sees the end.
            let _ = self.io.try_write(&early_answer(StatusCode::BAD_REQUEST));
        }
    }
}

impl AsyncRead for ClientConnection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.update_idle();
        let before = buf.filled().len();
        match Pin::new(&mut this.io).poll_read(cx, buf) {
            Poll::Ready(read) => {
                if let Some(received @ [_, ..]) = buf.filled_mut().get_mut(before..) {
                    this.receive(received);
                } else {
                    this.state.is_client_gone.set(true);
                }
                Poll::Ready(read)
            }
            Poll::Pending => this.poll_idle_timeout(cx).map(Err),
        }
    }
}

impl AsyncWrite for ClientConnection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, answer: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match this.poll_write_or_replace(cx, answer) {
            Poll::Ready(written) => {
                this.write_timer = None;
                Poll::Ready(written)
            }
            Poll::Pending => {
                let limit = this.timeouts.write;
                let timer = this.write_timer.get_or_insert_with(|| Box::pin(sleep(limit)));
                ready!(timer.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(cx))?;
        // actix flushes only once its buffer is empty.
        this.state.has_unwritten.set(this.state.active.get() > 0);
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(cx))?;
        Pin::new(&mut this.io).poll_shutdown(cx)
    }
}

impl Exchange {
    /// Begins the exchange of a request.
    pub(crate) fn begin(http: &HttpRequest) -> Self {
        let state = http.conn_data::<Rc<ConnectionState>>().map(Rc::clone);
        if let Some(state) = &state {
            state.begun.set(state.begun.get().wrapping_add(1));
            state.active.set(state.active.get().saturating_add(1));
            state.has_unwritten.set(true);
        }
        Self(state)
    }

    /// Attaches the exchange to the body of its answer, which ends it.
    pub(crate) fn track(self, answer: HttpResponse) -> HttpResponse {
        let is_endless = answer.extensions().get::<EndlessBody>().is_some();
        answer.map_body(|_, body| ExchangeBody { body, is_endless, exchange: self }.boxed())
    }

    fn is_client_gone(&self) -> bool {
        self.0.as_ref().is_some_and(|state| state.is_client_gone.get())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(state) = &self.0 {
            state.active.set(state.active.get().saturating_sub(1));
        }
    }
}

impl MessageBody for ExchangeBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        // actix reads from the connection before it polls the body, so the flag is current.
        if this.is_endless && this.exchange.is_client_gone() {
            return Poll::Ready(None);
        }
        Pin::new(&mut this.body).poll_next(cx)
    }
}

/// The status of an answer, if it is a failure.
fn status_of_failure(answer: &[u8]) -> Option<StatusCode> {
    let status = StatusCode::from_bytes(answer.strip_prefix(b"HTTP/1.")?.get(2..5)?).ok()?;
    (status.is_client_error() || status.is_server_error()).then_some(status)
}

/// The answer to bytes that are not a request.
fn early_answer(status: StatusCode) -> BytesMut {
    let error = match status {
        StatusCode::REQUEST_TIMEOUT => {
            Error::new(Code::RequestTimeout, "The head of the request did not arrive in time.")
        }
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            Error::new(Code::InvalidRequest, "The head of the request is too large.")
        }
        status if status.is_server_error() => {
            Error::internal("the HTTP server failed before a request was read")
        }
        _ => Error::new(Code::InvalidRequest, "The request is not valid HTTP."),
    };
    let started = Instant::now();
    let request_id = RequestId::new(Clock::system().now()).to_string();
    let body = envelope::body(&error, &request_id, Protocol::OWN);
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n",
        status.as_str(),
        status.canonical_reason().unwrap_or_default(),
        body.len(),
    );
    metrics::record("malformedRequest", status, started.elapsed());
    tracing::info!(
        "http.response.status_code" = status.as_u16(),
        "request.id" = request_id,
        "trace.id" = trace_context::new_trace_id(),
        "malformed request refused"
    );
    let mut answer = BytesMut::from(head.as_bytes());
    answer.extend_from_slice(&body);
    answer
}
