//! One TCP connection under actix: what its HTTP/1 server leaves open, closed here.
//!
//! - What is no HTTP, and a head that is too large or too slow, actix answers by itself, with a bare status. No
//!   hook sees that answer, so it is replaced by the envelope on its way out. The one exception is garbage that
//!   a client pipelines behind a request that is still being answered: its bare status may leave together with
//!   that answer, and stays.
//! - actix times only the first head of a connection. Here every later one has the same time.
//! - A client that stops reading its answer loses the connection.
//! - actix takes a client that has closed its connection for one that has sent all that it has to say, and would find
//!   out by writing: twice, which takes an answer that seldom says something half a minute. Such an answer ends here.

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
use auth::credential::Clients;
use bytes::{Buf, Bytes, BytesMut};
use domain::id::RequestId;
use domain::time::Clock;
use domain::{Code, Error};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use crate::{envelope, metrics};

/// How long a client may be silent, by what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// From the first byte of a request's head to its last.
    pub(crate) head: Duration,
    /// Between two requests.
    pub(crate) keep_alive: Duration,
    /// While an answer waits to be read.
    pub(crate) write: Duration,
}

/// A client's connection.
pub(crate) struct Connection {
    io: TcpStream,
    patience: Patience,
    shared: Rc<Shared>,
    idle: Option<Idle>,
    stalled: Option<Pin<Box<Sleep>>>,
    /// An envelope that replaces an answer of actix's own, as far as it isn't written.
    replacement: BytesMut,
    _open: metrics::OpenConnection,
    _permit: OwnedSemaphorePermit,
}

/// One request and its answer on a connection, from the call of the service to the last byte of the body.
pub(crate) struct Exchange(Option<Rc<Shared>>);

/// In the extensions of an answer: its body goes on until somebody ends it, which the client does by closing its side of
/// the connection, be it in one direction only.
#[derive(Clone, Copy, Debug)]
pub struct UntilClientLeaves;

/// What a connection and its exchanges know of each other.
#[derive(Default)]
struct Shared {
    /// Whether the client has closed its side.
    left: Cell<bool>,
    /// Exchanges begun so far.
    begun: Cell<u64>,
    /// Those that have not ended.
    active: Cell<u64>,
    /// Whether something of an exchange may not be written yet. Where not, actix writes for itself.
    unwritten: Cell<bool>,
}

/// The wait for a request.
struct Idle {
    since_exchange: u64,
    heard: bool,
    timer: Pin<Box<Sleep>>,
}

/// The body of an answer, which ends its exchange when it is dropped.
struct Tracked {
    body: BoxBody,
    until_client_leaves: bool,
    exchange: Exchange,
}

impl Connection {
    pub(crate) fn new(io: TcpStream, patience: Patience, permit: OwnedSemaphorePermit) -> Self {
        Self {
            io,
            patience,
            shared: Rc::default(),
            idle: None,
            stalled: None,
            replacement: BytesMut::new(),
            _open: metrics::OpenConnection::begin(),
            _permit: permit,
        }
    }

    /// Lets the requests of this connection find it.
    pub(crate) fn introduce(&self, extensions: &mut Extensions) {
        extensions.insert(Rc::clone(&self.shared));
    }

    /// Fails once the client has been silent for too long between or in heads.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        match &mut self.idle {
            Some(idle) => {
                ready!(idle.timer.as_mut().poll(cx));
                Poll::Ready(io::ErrorKind::TimedOut.into())
            }
            None => Poll::Pending,
        }
    }

    /// Starts or ends the wait for a request, as things stand.
    fn settle_idle(&mut self) {
        let begun = self.shared.begun.get();
        if self.shared.active.get() > 0 {
            self.idle = None;
        } else if self.idle.as_ref().is_none_or(|idle| idle.since_exchange != begun) {
            let timer = Box::pin(sleep(self.patience.keep_alive.saturating_add(self.patience.head)));
            self.idle = Some(Idle { since_exchange: begun, heard: false, timer });
        }
    }

    /// Something of a head has arrived: the rest has to follow in time.
    fn hear(&mut self) {
        if let Some(idle) = &mut self.idle
            && !idle.heard
        {
            idle.heard = true;
            idle.timer = Box::pin(sleep(self.patience.head));
        }
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

    fn poll_write_in_time(&mut self, cx: &mut Context<'_>, answer: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_replacement(cx))?;
        if !self.shared.unwritten.get()
            && let Some(status) = status_of_failure(answer)
        {
            self.replacement = early_answer(status);
            return match self.poll_replacement(cx) {
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                _ => Poll::Ready(Ok(answer.len())),
            };
        }
        Pin::new(&mut self.io).poll_write(cx, answer)
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.settle_idle();
        let before = buf.filled().len();
        match Pin::new(&mut this.io).poll_read(cx, buf) {
            Poll::Ready(read) => {
                if buf.filled().len() > before {
                    this.hear();
                } else {
                    this.shared.left.set(true);
                }
                Poll::Ready(read)
            }
            Poll::Pending => this.poll_patience(cx).map(Err),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, answer: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match this.poll_write_in_time(cx, answer) {
            Poll::Ready(written) => {
                this.stalled = None;
                Poll::Ready(written)
            }
            Poll::Pending => {
                let patience = this.patience.write;
                let timer = this.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
                ready!(timer.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(cx))?;
        // actix flushes only once its buffer is empty.
        this.shared.unwritten.set(this.shared.active.get() > 0);
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(cx))?;
        Pin::new(&mut this.io).poll_shutdown(cx)
    }
}

impl Exchange {
    /// The exchange that a request begins.
    pub(crate) fn begin(http: &HttpRequest) -> Self {
        let shared = http.conn_data::<Rc<Shared>>().map(Rc::clone);
        if let Some(shared) = &shared {
            shared.begun.set(shared.begun.get().wrapping_add(1));
            shared.active.set(shared.active.get().saturating_add(1));
            shared.unwritten.set(true);
        }
        Self(shared)
    }

    /// The answer, whose body carries the exchange to its end.
    pub(crate) fn track(self, answer: HttpResponse) -> HttpResponse {
        let until_client_leaves = answer.extensions().get::<UntilClientLeaves>().is_some();
        answer.map_body(|_, body| Tracked { body, until_client_leaves, exchange: self }.boxed())
    }

    fn client_has_left(&self) -> bool {
        self.0.as_ref().is_some_and(|shared| shared.left.get())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.active.set(shared.active.get().saturating_sub(1));
        }
    }
}

impl MessageBody for Tracked {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        // actix has just read: it reads from the connection before it asks for more of the body.
        if this.until_client_leaves && this.exchange.client_has_left() {
            return Poll::Ready(None);
        }
        Pin::new(&mut this.body).poll_next(cx)
    }
}

/// The status of an answer that is a failure.
fn status_of_failure(answer: &[u8]) -> Option<StatusCode> {
    let status = StatusCode::from_bytes(answer.strip_prefix(b"HTTP/1.")?.get(2..5)?).ok()?;
    (status.is_client_error() || status.is_server_error()).then_some(status)
}

/// The answer to what never became a request.
fn early_answer(status: StatusCode) -> BytesMut {
    let error = match status {
        StatusCode::REQUEST_TIMEOUT => {
            Error::new(Code::RequestTimeout, "The head of the request did not arrive in time.")
        }
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            Error::new(Code::InvalidRequest, "The head of the request is too large.")
        }
        status if status.is_server_error() => Error::internal("the server's own answer"),
        _ => Error::new(Code::InvalidRequest, "The request is not valid HTTP."),
    };
    let started = Instant::now();
    let request_id = RequestId::new(Clock::system().now()).to_string();
    let body = envelope::body(&error, &request_id, Clients::Any);
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\nx-request-id: {request_id}\r\nconnection: close\r\n\r\n",
        status.as_str(),
        status.canonical_reason().unwrap_or_default(),
        body.len(),
    );
    metrics::record("malformedRequest", status, started.elapsed());
    tracing::info!(
        "http.status" = status.as_u16(),
        "request.id" = request_id,
        "a malformed request was refused"
    );
    let mut answer = BytesMut::from(head.as_bytes());
    answer.extend_from_slice(&body);
    answer
}
