//! A request body as it arrives, and the minimum rate at which a client has to send it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::Bytes;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout};

/// The minimum rate of a body. Only time that the server spends waiting for the client counts.
#[derive(Clone, Copy, Debug)]
pub struct BodyRate {
    /// Timeout of the first byte.
    pub first_byte: Duration,
    /// Time over which the rate is measured, window after window.
    pub window: Duration,
    /// Minimum number of bytes in each window.
    pub bytes_per_window: u64,
}

/// A request body, as a stream of chunks without a limit of its own. Dropping it early makes the server close the
/// connection after the answer instead of reading the rest.
pub struct BodyStream {
    payload: Payload,
    rate: BodyRate,
    started: bool,
    waited: Duration,
    received_bytes: u64,
    /// Counts all bytes for the rate limits.
    counter: Option<Arc<AtomicU64>>,
}

impl BodyStream {
    pub(crate) fn new(payload: Payload, rate: BodyRate) -> Self {
        Self { payload, rate, started: false, waited: Duration::ZERO, received_bytes: 0, counter: None }
    }

    /// The stream with a counter of its bytes.
    #[must_use]
    pub(crate) fn counted_by(self, counter: Arc<AtomicU64>) -> Self {
        Self { counter: Some(counter), ..self }
    }

    /// A body in memory.
    pub(crate) fn of_bytes(bytes: Bytes) -> Self {
        Self::new(Payload::from(bytes), BodyRate::default())
    }

    /// The next chunk; `None` at the end of the body.
    ///
    /// # Errors
    /// `REQUEST_TIMEOUT` if the client is too slow; `INVALID_REQUEST` if the body ends early or its framing is invalid.
    pub async fn next(&mut self) -> Option<Result<Bytes>> {
        loop {
            let limit = if self.started { self.rate.window } else { self.rate.first_byte };
            let since = Instant::now();
            let chunk = timeout(limit.saturating_sub(self.waited), self.payload.next()).await;
            self.waited += since.elapsed();
            match chunk {
                Ok(None) => return None,
                Ok(Some(Err(error))) => return Some(Err(broken(error))),
                Ok(Some(Ok(chunk))) => {
                    let bytes = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
                    self.received_bytes += bytes;
                    if let Some(counter) = &self.counter {
                        counter.fetch_add(bytes, Ordering::Relaxed);
                    }
                    let in_time = !self.started || self.waited < self.rate.window || self.end_window();
                    self.started = true;
                    return Some(if in_time { Ok(chunk) } else { Err(too_slow()) });
                }
                Err(_) if self.started && self.end_window() => {}
                Err(_) => return Some(Err(too_slow())),
            }
        }
    }

    /// Begins the next window. Returns whether enough bytes arrived in this one.
    fn end_window(&mut self) -> bool {
        let enough = self.received_bytes >= self.rate.bytes_per_window;
        self.waited = Duration::ZERO;
        self.received_bytes = 0;
        enough
    }
}

impl Default for BodyRate {
    /// Ten seconds to the first byte, then at least 1 KiB/s over any 30 s.
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(10),
            window: Duration::from_secs(30),
            bytes_per_window: 30 * 1024,
        }
    }
}

fn too_slow() -> Error {
    Error::new(Code::RequestTimeout, "The body did not arrive in time.")
}

fn broken(error: PayloadError) -> Error {
    let message = match error {
        PayloadError::Incomplete(_) => "ended before all of it had arrived",
        _ => "is not framed as its headers say",
    };
    Error::invalid("", Rule::Syntax, message).at(Location::Body).with_source(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::dev::Payload;
    use bytes::Bytes;
    use domain::Code;
    use futures_util::stream;
    use tokio::time::{Instant, interval};

    use super::{BodyRate, BodyStream};

    const RATE: BodyRate = BodyRate {
        first_byte: Duration::from_millis(200),
        window: Duration::from_millis(200),
        bytes_per_window: 100,
    };

    /// A client that sends `size` bytes every 10 ms, for a second.
    fn client(size: usize) -> BodyStream {
        let clock = interval(Duration::from_millis(10));
        let chunks = stream::unfold((clock, 0), move |(mut clock, sent)| async move {
            clock.tick().await;
            (sent < 100).then(|| (Ok(Bytes::from(vec![0; size])), (clock, sent + 1)))
        });
        let chunks: std::pin::Pin<Box<dyn futures_util::Stream<Item = _>>> = Box::pin(chunks);
        BodyStream::new(Payload::from(chunks), RATE)
    }

    async fn end(mut body: BodyStream) -> Option<Code> {
        loop {
            match body.next().await {
                None => return None,
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(error.code),
            }
        }
    }

    #[tokio::test]
    async fn a_trickle_times_out_and_a_slow_but_steady_client_does_not() {
        let started = Instant::now();
        assert_eq!(end(client(1)).await, Some(Code::RequestTimeout));
        assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
        assert_eq!(end(client(50)).await, None);
    }

    #[tokio::test]
    async fn a_client_that_stops_after_the_first_byte_times_out() {
        let first = stream::iter([Ok(Bytes::from_static(b"x"))]);
        let chunks: std::pin::Pin<Box<dyn futures_util::Stream<Item = _>>> =
            Box::pin(futures_util::StreamExt::chain(first, stream::pending()));
        assert_eq!(end(BodyStream::new(Payload::from(chunks), RATE)).await, Some(Code::RequestTimeout));
    }

    #[tokio::test]
    async fn time_between_reads_does_not_count() {
        let mut body = client(50);
        assert!(body.next().await.is_some());
        tokio::time::sleep(RATE.window * 2).await;
        assert_eq!(end(body).await, None);
    }
}
