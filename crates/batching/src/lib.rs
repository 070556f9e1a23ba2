//! A batcher: requests that arrive while a batch runs form the next one.
//!
//! A request that arrives alone runs at once. The first of those that wait leads the next batch and runs it inside its own
//! request, so there is no background task and no delay by a timer. If the leader's client disconnects in the middle,
//! its followers don't know what became of their items and run them again, each alone. Only repeatable items may therefore
//! be batched. `docs/design/batching.md` has the reasons, the rules for users and the measurements.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use domain::{Code, Error, Result};
use futures_util::future::join;
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Most items of a batch.
pub const MAX_BATCH_SIZE: usize = 32;
/// Items of a refused batch that run at a time, each alone.
const RETRY_CONCURRENCY: usize = 4;

/// A type that names queues.
pub trait QueueKey: Clone + Eq + Hash {}

impl<K: Clone + Eq + Hash> QueueKey for K {}

/// Queues of items `I` with outputs `O`, one for each key `K`. A queue exists as long as one of its batches runs.
pub struct Batcher<K: QueueKey, I, O> {
    queues: Mutex<HashMap<K, Queue<K, I, O>>>,
    /// Most batches of one key at a time.
    concurrency: usize,
    /// Longest wait of an item for the start of its batch.
    patience: Duration,
    /// Decides for each pair of items if one batch may hold both.
    compatible: fn(&I, &I) -> bool,
}

struct Queue<K: QueueKey, I, O> {
    leaders: usize,
    waiting: VecDeque<Follower<K, I, O>>,
}

/// An item that waits, or runs in a batch that another request leads.
struct Follower<K: QueueKey, I, O> {
    item: Arc<I>,
    role: oneshot::Sender<BatchRole<K, I, O>>,
}

/// A request's part in its batch.
enum BatchRole<K: QueueKey, I, O> {
    /// Runs the batch.
    Leader(Leader<K, I, O>),
    /// Another request ran the item, with this result.
    Follower(Result<O>),
    /// The leader disappeared with the item: it may have run or not.
    Orphan,
}

/// Receives a waiting item's part in its batch.
type RoleReceiver<K, I, O> = oneshot::Receiver<BatchRole<K, I, O>>;

/// The right to run the next batch of a queue. Dropping it passes it to the next item that waits.
struct Leader<K: QueueKey, I, O> {
    batcher: Arc<Batcher<K, I, O>>,
    key: K,
}

impl<K: QueueKey, I, O> Batcher<K, I, O> {
    /// Creates a batcher without queues. It runs at most `concurrency` batches of one key at a time, and no item waits
    /// longer than `patience` for the start of its batch. One batch holds only items that are `compatible`, pair by pair.
    #[must_use]
    pub fn new(concurrency: usize, patience: Duration, compatible: fn(&I, &I) -> bool) -> Self {
        Self { queues: Mutex::default(), concurrency, patience, compatible }
    }

    /// Runs `item` in a batch of the queue `key` and returns its output.
    ///
    /// `run_batch` runs all of its items or none, and returns their outputs in the same order. It must tolerate an item that
    /// has run before. If it refuses a batch, each item of the batch runs alone and gets its own result.
    ///
    /// # Errors
    /// Those of `run_batch` for the item alone; `UNAVAILABLE` if the batch doesn't start in time or fails with that code.
    pub async fn submit(
        self: &Arc<Self>,
        key: K,
        item: Arc<I>,
        run_batch: impl AsyncFn(&[&I]) -> Result<Vec<O>>,
    ) -> Result<O> {
        let run_single = async |item: &I| run_batch(&[item]).await?.pop().ok_or_else(missing_output);
        let leader = match self.wait_for_role(&key, &item).await? {
            BatchRole::Leader(leader) => leader,
            BatchRole::Follower(result) => return result,
            BatchRole::Orphan => return run_single(&item).await,
        };
        let followers = leader.take_followers(&item);
        if followers.is_empty() {
            return run_single(&item).await;
        }
        let items: Vec<&I> =
            iter::once(&*item).chain(followers.iter().map(|follower| &*follower.item)).collect();
        match run_batch(&items).await {
            Ok(outputs) => {
                let mut outputs = outputs.into_iter();
                let own = outputs.next().ok_or_else(missing_output);
                followers.into_iter().zip(outputs).for_each(|(follower, output)| follower.finish(Ok(output)));
                own
            }
            // No item is at fault, and running each alone would add load to what is down.
            Err(error) if error.code == Code::Unavailable => {
                for follower in followers {
                    let failed = Error::unavailable("the batch has failed");
                    let is_unknown = error.is_outcome_unknown();
                    follower.finish(Err(if is_unknown { failed.outcome_unknown() } else { failed }));
                }
                Err(error)
            }
            // One refused item takes the others back with it.
            Err(_) => {
                let others =
                    stream::iter(followers).for_each_concurrent(RETRY_CONCURRENCY, async |follower| {
                        let result = run_single(&follower.item).await;
                        follower.finish(result);
                    });
                join(run_single(&item), others).await.0
            }
        }
    }

    /// Becomes a leader of the queue, or waits in it until the item's batch ends or is the next.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the item's batch doesn't start in time. No leader has the item then.
    async fn wait_for_role(self: &Arc<Self>, key: &K, item: &Arc<I>) -> Result<BatchRole<K, I, O>> {
        let mut role = match self.join(key, item) {
            Ok(leader) => return Ok(BatchRole::Leader(leader)),
            Err(role) => role,
        };
        let received = match timeout(self.patience, &mut role).await {
            Ok(received) => received,
            Err(elapsed) if self.leave(key, item) => return Err(Error::unavailable(elapsed)),
            // A leader has just taken it.
            Err(_) => role.await,
        };
        Ok(received.unwrap_or(BatchRole::Orphan))
    }

    /// Leads the queue if one more batch may run; waits in it otherwise.
    fn join(self: &Arc<Self>, key: &K, item: &Arc<I>) -> Result<Leader<K, I, O>, RoleReceiver<K, I, O>> {
        let mut queues = self.queues.lock();
        let queue =
            queues.entry(key.clone()).or_insert_with(|| Queue { leaders: 0, waiting: VecDeque::new() });
        if queue.leaders < self.concurrency {
            queue.leaders += 1;
            return Ok(Leader { batcher: Arc::clone(self), key: key.clone() });
        }
        let (role, received) = oneshot::channel();
        queue.waiting.push_back(Follower { item: Arc::clone(item), role });
        Err(received)
    }

    /// Removes an item from its queue; `false` if it isn't there any more.
    fn leave(&self, key: &K, item: &Arc<I>) -> bool {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(key) else { return false };
        let place = queue.waiting.iter().position(|follower| Arc::ptr_eq(&follower.item, item));
        place.is_some_and(|place| queue.waiting.remove(place).is_some())
    }
}

impl<K: QueueKey, I, O> Leader<K, I, O> {
    /// Takes the items that may share a batch with `item` out of the queue. The others keep their order.
    fn take_followers(&self, item: &I) -> Vec<Follower<K, I, O>> {
        let mut queues = self.batcher.queues.lock();
        let Some(queue) = queues.get_mut(&self.key) else { return Vec::new() };
        let compatible = self.batcher.compatible;
        let mut followers: Vec<Follower<K, I, O>> = Vec::new();
        for waiting in std::mem::take(&mut queue.waiting) {
            let is_compatible = |waiting: &I| {
                compatible(item, waiting)
                    && followers.iter().all(|follower| compatible(&follower.item, waiting))
            };
            if waiting.role.is_closed() {
                continue;
            }
            if followers.len() + 1 < MAX_BATCH_SIZE && is_compatible(&waiting.item) {
                followers.push(waiting);
            } else {
                queue.waiting.push_back(waiting);
            }
        }
        followers
    }
}

impl<K: QueueKey, I, O> Drop for Leader<K, I, O> {
    fn drop(&mut self) {
        let mut queues = self.batcher.queues.lock();
        let Some(queue) = queues.get_mut(&self.key) else { return };
        let next = iter::from_fn(|| queue.waiting.pop_front()).find(|next| !next.role.is_closed());
        match next {
            Some(next) => {
                drop(queues);
                let leader = Self { batcher: Arc::clone(&self.batcher), key: self.key.clone() };
                // A request that disappears at this moment drops the leader, which passes the right on.
                let _disappeared = next.role.send(BatchRole::Leader(leader));
            }
            None => {
                queue.leaders -= 1;
                if queue.leaders == 0 {
                    queues.remove(&self.key);
                }
            }
        }
    }
}

impl<K: QueueKey, I, O> Follower<K, I, O> {
    /// Sends the item's result to its request.
    fn finish(self, result: Result<O>) {
        // The request may have disappeared.
        let _disappeared = self.role.send(BatchRole::Follower(result));
    }
}

fn missing_output() -> Error {
    Error::internal("an item of a batch has no output")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;
    use futures_util::future::{join_all, pending};
    use tokio::sync::Notify;
    use tokio::task::yield_now;

    use super::*;

    type Doubler = Batcher<(), u32, u32>;

    const PATIENCE: Duration = Duration::from_secs(5);

    fn doubler(concurrency: usize) -> Arc<Doubler> {
        Arc::new(Doubler::new(concurrency, PATIENCE, |_, _| true))
    }

    /// Doubles even numbers after a moment, and refuses a batch that holds an odd one.
    async fn double(numbers: &[&u32]) -> Result<Vec<u32>> {
        yield_now().await;
        match numbers.iter().all(|number| **number % 2 == 0) {
            true => Ok(numbers.iter().map(|number| **number * 2).collect()),
            false => Err(Error::not_found()),
        }
    }

    #[tokio::test]
    async fn each_item_gets_its_own_output_and_no_queue_remains() {
        let (batcher, batches) = (doubler(2), AtomicUsize::new(0));
        let run = async |numbers: &[&u32]| {
            batches.fetch_add(1, Ordering::Relaxed);
            double(numbers).await
        };
        let results = join_all((0..50).map(|number| batcher.submit((), Arc::new(2 * number), run))).await;
        let results: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(results, (0..50).map(|number| 4 * number).collect::<Vec<_>>());
        // Two items ran alone, then two batches took the rest: 32 and 16.
        assert_eq!(batches.into_inner(), 4);
        assert!(batcher.queues.lock().is_empty());
    }

    #[tokio::test]
    async fn queues_of_different_keys_do_not_wait_for_each_other() {
        let batcher = Arc::new(Batcher::<u32, u32, u32>::new(1, PATIENCE, |_, _| true));
        let never = async |_: &[&u32]| pending().await;
        let mut stuck = Box::pin(batcher.submit(1, Arc::new(2), never));
        assert!(stuck.as_mut().now_or_never().is_none());
        assert_eq!(batcher.submit(2, Arc::new(4), double).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn a_refused_item_fails_alone() {
        let batcher = doubler(1);
        let results = join_all((0..10).map(|number| batcher.submit((), Arc::new(number), double))).await;
        for (number, result) in (0..10).zip(results) {
            assert_eq!(result.ok(), (number % 2 == 0).then_some(2 * number));
        }
        assert!(batcher.queues.lock().is_empty());
    }

    #[tokio::test]
    async fn incompatible_jobs_run_in_different_batches() {
        let batcher = Arc::new(Doubler::new(1, PATIENCE, |one, other| one != other));
        let batches = Mutex::new(Vec::new());
        let run = async |numbers: &[&u32]| {
            batches.lock().push(numbers.iter().map(|number| **number).collect::<Vec<_>>());
            double(numbers).await
        };
        let items = [2, 4, 4, 6, 2].map(|number| batcher.submit((), Arc::new(number), run));
        assert!(join_all(items).await.iter().all(Result::is_ok));
        assert_eq!(batches.into_inner(), [vec![2], vec![4, 6, 2], vec![4]]);
    }

    #[tokio::test]
    async fn the_followers_of_a_dropped_leader_run_alone_and_the_next_item_leads() {
        let batcher = doubler(1);
        let submit = |number| batcher.submit((), Arc::new(number), double);
        let never = async |_: &[&u32]| pending().await;
        // The first occupies the queue. The second then leads, takes the third as follower, and never ends.
        let mut first = Box::pin(submit(2));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(batcher.submit((), Arc::new(4), never));
        assert!(second.as_mut().now_or_never().is_none());
        let mut third = Box::pin(submit(6));
        assert!(third.as_mut().now_or_never().is_none());
        assert_eq!(first.await.unwrap(), 4);
        assert!(second.as_mut().now_or_never().is_none());
        let mut fourth = Box::pin(submit(8));
        assert!(fourth.as_mut().now_or_never().is_none());
        drop(second);
        assert_eq!(third.await.unwrap(), 12);
        assert_eq!(fourth.await.unwrap(), 16);
        assert!(batcher.queues.lock().is_empty());
    }

    #[tokio::test]
    async fn the_lead_of_a_request_that_disappears_passes_to_the_next() {
        let batcher = doubler(1);
        let submit = |number| batcher.submit((), Arc::new(number), double);
        let mut first = Box::pin(submit(2));
        let (mut dropped, mut next) = (Box::pin(submit(4)), Box::pin(submit(6)));
        assert!(first.as_mut().now_or_never().is_none());
        assert!(dropped.as_mut().now_or_never().is_none());
        assert!(next.as_mut().now_or_never().is_none());
        // It receives the lead and disappears before it notices.
        drop(first);
        drop(dropped);
        assert_eq!(next.await.unwrap(), 12);
        assert!(batcher.queues.lock().is_empty());
    }

    #[tokio::test]
    async fn an_unavailable_batch_fails_for_all_and_is_not_repeated() {
        let (batcher, batches) = (doubler(1), AtomicUsize::new(0));
        let run = async |numbers: &[&u32]| {
            batches.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
            if numbers.len() > 1 { Err(Error::unavailable("no connection")) } else { double(numbers).await }
        };
        let results = join_all((0..10).map(|number| batcher.submit((), Arc::new(2 * number), run))).await;
        let unavailable =
            |result: &Result<u32>| matches!(result, Err(error) if error.code == Code::Unavailable);
        assert!(results[0].is_ok() && results[1..].iter().all(unavailable));
        assert_eq!(batches.into_inner(), 2);
    }

    #[tokio::test]
    async fn an_item_gives_up_waiting_in_time_but_not_once_its_batch_runs() {
        let compatible = |one: &u32, other: &u32| one % 4 == other % 4;
        let batcher = Arc::new(Doubler::new(1, Duration::from_secs(1), compatible));
        let gate = Notify::new();
        let gated = async |numbers: &[&u32]| {
            if numbers.len() > 1 {
                gate.notified().await;
            }
            double(numbers).await
        };
        // The second takes the third as follower, and occupies the queue until the fourth has given up.
        let first = join_all([2, 4, 8].map(|number| batcher.submit((), Arc::new(number), gated)));
        let last = async {
            let refused = batcher.submit((), Arc::new(6), gated).await.unwrap_err();
            gate.notify_one();
            refused.code
        };
        let (results, last) = join(first, last).await;
        let results: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!((results, last), (vec![4, 8, 16], Code::Unavailable));
        assert!(batcher.queues.lock().is_empty());
    }
}
