//! Work of requests that shares transactions: who comes while others' work of the same kind is being done waits, and all who
//! wait share the next transaction. One commit then serves all of them, and each statement does the work of all.
//!
//! Who comes alone waits for nobody. Whoever is first of those who share does the work of all of them in its own request; if
//! that is given up in mid-way, the others cannot know what became of theirs and do it again by themselves. So only work may
//! be shared that does no harm when it is repeated.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Code, Error, Result};
use futures_util::future::join;
use futures_util::{StreamExt, stream};
use tokio::sync::oneshot::{self, error::RecvError};
use tokio::time::timeout;

/// Most requests that share a transaction.
const SHARING: usize = 32;
/// How many of them are worked for at a time where what they shared has failed.
const APART: usize = 4;

/// The queues of work `W` with results `R`, one for each `K`; one is there as long as somebody leads it. Cheap to clone.
pub struct Queues<K: Clone + Eq + Hash, W, R> {
    queues: Arc<Mutex<ByKey<K, W, R>>>,
    /// Most transactions of one queue at a time.
    leaders: usize,
    /// Longest wait for one's turn.
    patience: Duration,
}

type ByKey<K, W, R> = HashMap<K, Queue<K, W, R>>;
type Wait<K, W, R> = oneshot::Receiver<Turn<K, W, R>>;

struct Queue<K: Clone + Eq + Hash, W, R> {
    leaders: usize,
    waiting: VecDeque<Waiting<K, W, R>>,
}

/// Work in a queue.
struct Waiting<K: Clone + Eq + Hash, W, R> {
    work: Arc<W>,
    turn: oneshot::Sender<Turn<K, W, R>>,
}

/// What becomes of one that waits.
enum Turn<K: Clone + Eq + Hash, W, R> {
    /// It was done, or not.
    Done(Result<R>),
    /// It is the next to lead.
    Lead(Leader<K, W, R>),
}

/// The right to do what waits in a queue. Dropped, it goes to the next in the queue.
struct Leader<K: Clone + Eq + Hash, W, R> {
    queues: Queues<K, W, R>,
    key: K,
}

impl<K: Clone + Eq + Hash, W, R> Queues<K, W, R> {
    /// No queue yet. Of each there are at most `leaders` transactions at a time, and nobody waits longer than `patience` for
    /// the beginning of theirs.
    #[must_use]
    pub fn new(leaders: usize, patience: Duration) -> Self {
        Self { queues: Arc::default(), leaders, patience }
    }

    /// Does `work` by `together`, which does all that it is given in one transaction, or nothing, and returns the results in
    /// their order. With it goes what waits in the queue of `key`, as far as `fits` lets all of them go together, pair by
    /// pair. Where what went together is refused each is done by itself, and learns whether it is the one.
    ///
    /// # Errors
    /// Those of `together` for the work by itself; `UNAVAILABLE` where its turn does not come in time, or the database was
    /// unavailable to what went together.
    pub async fn share(
        &self,
        key: K,
        work: W,
        fits: impl Fn(&W, &W) -> bool,
        together: impl AsyncFn(&[&W]) -> Result<Vec<R>>,
    ) -> Result<R> {
        let work = Arc::new(work);
        let alone = async |work: &W| {
            let result = together(&[work]).await?.pop();
            result.ok_or_else(|| Error::internal("work has no result"))
        };
        let leader = match self.join(&key, &work) {
            Ok(leader) => leader,
            Err(waits) => match self.turn(&key, &work, waits).await? {
                Ok(Turn::Done(done)) => return done,
                Ok(Turn::Lead(leader)) => leader,
                // Whoever led was given up in mid-way.
                Err(_) => return alone(&work).await,
            },
        };
        let followers = leader.followers(&work, fits);
        if followers.is_empty() {
            return alone(&work).await;
        }
        let all: Vec<&W> = std::iter::once(&*work).chain(followers.iter().map(|one| &*one.work)).collect();
        match together(&all).await {
            Ok(results) => {
                let mut results = results.into_iter();
                let own = results.next().ok_or_else(|| Error::internal("work has no result"));
                followers.into_iter().zip(results).for_each(|(follower, result)| follower.answer(Ok(result)));
                own
            }
            // That is nobody's fault, and to repeat it for each would make it worse.
            Err(error) if error.code == Code::Unavailable => {
                for follower in followers {
                    follower.answer(Err(Error::unavailable("the transaction that was shared has failed")));
                }
                Err(error)
            }
            // One that is refused takes back all.
            Err(_) => {
                let others = stream::iter(followers).for_each_concurrent(APART, async |follower| {
                    let done = alone(&follower.work).await;
                    follower.answer(done);
                });
                join(alone(&work), others).await.0
            }
        }
    }

    /// Waits for the turn of `work`.
    ///
    /// # Errors
    /// `UNAVAILABLE` where it does not come in time; the work is in nobody's hands then.
    async fn turn(
        &self,
        key: &K,
        work: &Arc<W>,
        mut waits: Wait<K, W, R>,
    ) -> Result<Result<Turn<K, W, R>, RecvError>> {
        match timeout(self.patience, &mut waits).await {
            Ok(turn) => Ok(turn),
            Err(elapsed) if self.leave(key, work) => Err(Error::unavailable(elapsed)),
            // Somebody has just taken it along.
            Err(_) => Ok(waits.await),
        }
    }

    /// Takes `work` out of the queue; whether it was still there.
    fn leave(&self, key: &K, work: &Arc<W>) -> bool {
        let mut queues = self.lock();
        let Some(queue) = queues.get_mut(key) else { return false };
        let place = queue.waiting.iter().position(|one| Arc::ptr_eq(&one.work, work));
        place.is_some_and(|place| queue.waiting.remove(place).is_some())
    }

    /// Leads the queue of `key`, where one more may; else waits in it.
    fn join(&self, key: &K, work: &Arc<W>) -> Result<Leader<K, W, R>, Wait<K, W, R>> {
        let mut queues = self.lock();
        let queue =
            queues.entry(key.clone()).or_insert_with(|| Queue { leaders: 0, waiting: VecDeque::new() });
        if queue.leaders < self.leaders {
            queue.leaders += 1;
            return Ok(Leader { queues: self.clone(), key: key.clone() });
        }
        let (turn, waits) = oneshot::channel();
        queue.waiting.push_back(Waiting { work: work.clone(), turn });
        Err(waits)
    }

    fn lock(&self) -> MutexGuard<'_, ByKey<K, W, R>> {
        // No holder leaves a queue half changed.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash, W, R> Clone for Queues<K, W, R> {
    fn clone(&self) -> Self {
        Self { queues: self.queues.clone(), ..*self }
    }
}

impl<K: Clone + Eq + Hash, W, R> Leader<K, W, R> {
    /// Those that wait, as far as they may share the transaction of `work`.
    fn followers(&self, work: &W, fits: impl Fn(&W, &W) -> bool) -> Vec<Waiting<K, W, R>> {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&self.key) else { return Vec::new() };
        let mut followers: Vec<Waiting<K, W, R>> = Vec::new();
        let mut waiting = std::mem::take(&mut queue.waiting).into_iter();
        while followers.len() + 1 < SHARING
            && let Some(one) = waiting.next()
        {
            let fits_all =
                || fits(work, &one.work) && followers.iter().all(|other| fits(&other.work, &one.work));
            if one.turn.is_closed() {
                continue;
            }
            if fits_all() {
                followers.push(one);
            } else {
                queue.waiting.push_back(one);
            }
        }
        queue.waiting.extend(waiting);
        followers
    }
}

impl<K: Clone + Eq + Hash, W, R> Waiting<K, W, R> {
    /// Says what became of it.
    fn answer(self, done: Result<R>) {
        // Nobody waits for the answer any more where the request was given up.
        let _gone = self.turn.send(Turn::Done(done));
    }
}

impl<K: Clone + Eq + Hash, W, R> Drop for Leader<K, W, R> {
    fn drop(&mut self) {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&self.key) else { return };
        let next = std::iter::from_fn(|| queue.waiting.pop_front()).find(|next| !next.turn.is_closed());
        match next {
            Some(next) => {
                drop(queues);
                let leader = Self { queues: self.queues.clone(), key: self.key.clone() };
                // One that goes away just now drops its right, which goes on to the next.
                let _gone = next.turn.send(Turn::Lead(leader));
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt;
    use futures_util::future::{join_all, pending};
    use tokio::sync::Notify;
    use tokio::task::yield_now;

    use super::*;

    type Doubling = Queues<(), u32, u32>;

    const PATIENCE: Duration = Duration::from_secs(5);

    /// Doubles even numbers after a moment, and fails where there is an odd one among them.
    async fn double(all: &[&u32]) -> Result<Vec<u32>> {
        yield_now().await;
        match all.iter().all(|number| **number % 2 == 0) {
            true => Ok(all.iter().map(|number| **number * 2).collect()),
            false => Err(Error::not_found()),
        }
    }

    #[tokio::test]
    async fn each_gets_the_result_of_its_own_work_and_no_queue_is_left() {
        let (queues, rounds) = (Doubling::new(2, PATIENCE), AtomicUsize::new(0));
        let work = async |all: &[&u32]| {
            rounds.fetch_add(1, Ordering::Relaxed);
            double(all).await
        };
        let results = join_all((0..50).map(|number| queues.share((), 2 * number, |_, _| true, work))).await;
        let results: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(results, (0..50).map(|number| 4 * number).collect::<Vec<_>>());
        // Two that came first, and two that took along who had come meanwhile, as many as may.
        assert_eq!(rounds.into_inner(), 4);
        assert!(queues.lock().is_empty());
    }

    #[tokio::test]
    async fn one_that_fails_fails_alone() {
        let queues = Doubling::new(1, PATIENCE);
        let results = join_all((0..10).map(|number| queues.share((), number, |_, _| true, double))).await;
        for (number, result) in (0..10).zip(results) {
            assert_eq!(result.ok(), (number % 2 == 0).then_some(2 * number));
        }
        assert!(queues.lock().is_empty());
    }

    #[tokio::test]
    async fn what_does_not_fit_goes_with_another() {
        let queues = Doubling::new(1, PATIENCE);
        let seen = Mutex::new(Vec::new());
        let work = async |all: &[&u32]| {
            seen.lock().unwrap().push(all.iter().map(|number| **number).collect::<Vec<_>>());
            double(all).await
        };
        let differ = |one: &u32, other: &u32| one != other;
        let work = [2, 4, 4, 6, 2].map(|number| queues.share((), number, differ, work));
        assert!(join_all(work).await.iter().all(Result::is_ok));
        assert_eq!(seen.into_inner().unwrap(), [vec![2], vec![4, 6, 2], vec![4]]);
    }

    #[tokio::test]
    async fn whoever_follows_one_that_is_given_up_does_its_work_itself_and_the_next_leads() {
        let queues = Doubling::new(1, PATIENCE);
        let share = |number| queues.share((), number, |_, _| true, double);
        let never = async |_: &[&u32]| pending().await;
        // The first holds the queue; the second will lead and take the third along, and never end.
        let mut first = Box::pin(share(2));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(queues.share((), 4, |_, _| true, never));
        assert!(second.as_mut().now_or_never().is_none());
        let mut third = Box::pin(share(6));
        assert!(third.as_mut().now_or_never().is_none());
        assert_eq!(first.await.unwrap(), 4);
        assert!(second.as_mut().now_or_never().is_none());
        let mut fourth = Box::pin(share(8));
        assert!(fourth.as_mut().now_or_never().is_none());
        drop(second);
        assert_eq!(third.await.unwrap(), 12);
        assert_eq!(fourth.await.unwrap(), 16);
        assert!(queues.lock().is_empty());
    }

    #[tokio::test]
    async fn the_lead_of_one_that_has_gone_goes_to_the_next() {
        let queues = Doubling::new(1, PATIENCE);
        let share = |number| queues.share((), number, |_, _| true, double);
        let mut first = Box::pin(share(2));
        let (mut gone, mut next) = (Box::pin(share(4)), Box::pin(share(6)));
        assert!(first.as_mut().now_or_never().is_none());
        assert!(gone.as_mut().now_or_never().is_none());
        assert!(next.as_mut().now_or_never().is_none());
        // It is to lead, and goes away before it knows.
        drop(first);
        drop(gone);
        assert_eq!(next.await.unwrap(), 12);
        assert!(queues.lock().is_empty());
    }

    #[tokio::test]
    async fn what_is_unavailable_is_so_to_all_and_not_asked_for_again() {
        let (queues, rounds) = (Doubling::new(1, PATIENCE), AtomicUsize::new(0));
        let work = async |all: &[&u32]| {
            rounds.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
            if all.len() > 1 { Err(Error::unavailable("no connection")) } else { double(all).await }
        };
        let results = join_all((0..10).map(|number| queues.share((), 2 * number, |_, _| true, work))).await;
        let unavailable =
            |result: &Result<u32>| matches!(result, Err(error) if error.code == Code::Unavailable);
        assert!(results[0].is_ok() && results[1..].iter().all(unavailable));
        assert_eq!(rounds.into_inner(), 2);
    }

    #[tokio::test]
    async fn a_turn_that_does_not_come_in_time_is_given_up_but_not_work_that_was_taken_along() {
        let queues = Doubling::new(1, Duration::from_secs(1));
        let gate = Notify::new();
        let gated = async |all: &[&u32]| {
            if all.len() > 1 {
                gate.notified().await;
            }
            double(all).await
        };
        let fits = |one: &u32, other: &u32| one % 4 == other % 4;
        // The second takes the third along, and holds the queue until the fourth has given up.
        let first = join_all([2, 4, 8].map(|number| queues.share((), number, fits, gated)));
        let last = async {
            let refused = queues.share((), 6, fits, gated).await.unwrap_err();
            gate.notify_one();
            refused.code
        };
        let (results, last) = join(first, last).await;
        let results: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!((results, last), (vec![4, 8, 16], Code::Unavailable));
        assert!(queues.lock().is_empty());
    }
}
