//! Work that takes long, beside the event loops: a loop serves many callers, who would all wait for it.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use domain::{Error, Result};
use tokio::sync::Semaphore;

/// Length from which reading a text takes long, in bytes: a millisecond, and more than ten where rules are broken.
const LONG_BYTES: usize = 16 * 1024;

/// Places for long work. Half of the cores stay with the event loops.
static PLACES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new((available_parallelism().map_or(1, std::num::NonZero::get) / 2).max(1)));

/// Does work that may take longer than 10 ms on a thread of its own, when it has a place.
///
/// # Errors
/// `INTERNAL_ERROR` if the work panics.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let place = PLACES.acquire().await.map_err(Error::internal)?;
    // The work holds its place itself: it goes on if its caller leaves.
    let placed = move || {
        let _place = place;
        work()
    };
    tokio::task::spawn_blocking(placed).await.map_err(Error::internal)
}

/// Does work on a text: aside if the text is long, else at once.
///
/// # Errors
/// As [`run`].
pub async fn run_if_long<T: Send + 'static>(
    length_bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if length_bytes < LONG_BYTES { Ok(work()) } else { run(work).await }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::{PLACES, run};

    /// Waits until `count` places are free.
    async fn wait_for_free(count: usize) {
        while PLACES.available_permits() != count {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn work_has_its_place_until_it_ends_or_panics_even_if_its_caller_has_left() {
        let free = PLACES.available_permits();
        let failed = run(|| -> usize { "no number".parse().unwrap() }).await;
        assert!(failed.is_err());
        wait_for_free(free).await;

        let (end, ended) = std::sync::mpsc::channel::<()>();
        let left = run(move || ended.recv()).now_or_never();
        assert!(left.is_none());
        assert_eq!(PLACES.available_permits(), free - 1);
        end.send(()).unwrap();
        wait_for_free(free).await;
    }
}
