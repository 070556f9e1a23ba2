//! A limit of the bytes that uploads and downloads move in a second, over all requests of a client and its clones.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream};
use futures_util::{StreamExt, TryStreamExt};
use parking_lot::Mutex;

/// Parts of a second's bytes that move at once, so that no connection is silent for long.
const PARTS: u64 = 8;
/// Requests that share the bandwidth at most.
const SHARES: u64 = 32;

/// A number of bytes a second. Clones share it.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    bytes_per_second: NonZeroU64,
    /// The moment from which on more bytes may move.
    free: Arc<Mutex<Instant>>,
}

impl Bandwidth {
    /// A limit of bytes a second.
    #[must_use]
    pub fn new(bytes_per_second: NonZeroU64) -> Self {
        Self { bytes_per_second, free: Arc::new(Mutex::new(Instant::now())) }
    }

    /// The bytes a second that a request is sure of beside others.
    pub(crate) fn share(&self) -> u64 {
        (self.bytes_per_second.get() / SHARES).max(1)
    }

    /// The chunks at this pace, in smaller parts.
    pub(crate) fn paced<E: Send + 'static>(
        self,
        chunks: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> BoxStream<'static, Result<Bytes, E>> {
        let most = usize::try_from(self.bytes_per_second.get() / PARTS).unwrap_or(usize::MAX).max(1);
        let parts = chunks.map_ok(move |chunk| stream::iter(split(chunk, most)).map(Ok)).try_flatten();
        let paced = parts.and_then(move |part| {
            let start = self.book(Instant::now(), part.len());
            async move {
                tokio::time::sleep_until(start.into()).await;
                Ok(part)
            }
        });
        paced.boxed()
    }

    /// Books the next bytes; answers when they may move.
    fn book(&self, now: Instant, bytes: usize) -> Instant {
        let nanos = u128::try_from(bytes).unwrap_or(u128::MAX).saturating_mul(1_000_000_000)
            / u128::from(self.bytes_per_second.get());
        let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        let mut free = self.free.lock();
        let start = now.max(*free);
        *free = start + time;
        start
    }
}

/// The parts of a chunk, of at most `most` bytes each.
fn split(mut chunk: Bytes, most: usize) -> Vec<Bytes> {
    let mut parts = Vec::new();
    while chunk.len() > most {
        parts.push(chunk.split_to(most));
    }
    parts.push(chunk);
    parts
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use bytes::Bytes;

    use super::{Bandwidth, split};

    #[test]
    fn bytes_wait_for_those_before_them() {
        let bandwidth = Bandwidth::new(1_000.try_into().unwrap());
        let now = Instant::now() + Duration::from_secs(1);
        let starts = [(now, 500), (now, 250), (now, 1), (now + Duration::from_secs(9), 1)]
            .map(|(now, bytes)| bandwidth.book(now, bytes));
        let waits = [0, 500, 750, 9_000].map(|ms| now + Duration::from_millis(ms));
        assert_eq!(starts, waits);
    }

    #[test]
    fn a_chunk_moves_in_parts() {
        let parts = split(Bytes::from_static(b"abcdefg"), 3);
        assert_eq!(parts, ["abc", "def", "g"].map(Bytes::from));
    }
}
