//! Uploads that wait to be attached through one session, in one process: who comes while others are being attached
//! waits, and all who wait share the next transaction. One commit then serves all of them, where they would wait for
//! each other's commits on the branch.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::Result;
use domain::id::SessionId;
use domain::time::Timestamp;
use domain::upload::Attached;
use tokio::sync::oneshot;

use crate::uploads::FinishedUpload;

/// Most uploads that share a transaction.
const SHARING: usize = 32;

/// The queues of all sessions; one is there as long as somebody leads it. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Queues(Arc<Mutex<HashMap<SessionId, VecDeque<Waiting>>>>);

/// An upload in a queue.
pub(super) struct Waiting {
    pub(super) upload: FinishedUpload,
    pub(super) now: Timestamp,
    turn: oneshot::Sender<Turn>,
}

/// What becomes of one that waits.
pub(super) enum Turn {
    /// It was attached, or not.
    Done(Result<Attached>),
    /// It is the next to lead.
    Lead(Leader),
}

/// The right to attach what waits in a session's queue. Dropped, it goes to the next in the queue.
pub(super) struct Leader {
    queues: Queues,
    session: SessionId,
}

impl Queues {
    /// Leads the session's queue, where nobody does; else waits in it.
    pub(super) fn join(
        &self,
        session: SessionId,
        upload: &FinishedUpload,
        now: Timestamp,
    ) -> Result<Leader, oneshot::Receiver<Turn>> {
        let mut queues = self.lock();
        match queues.get_mut(&session) {
            Some(queue) => {
                let (turn, waits) = oneshot::channel();
                queue.push_back(Waiting { upload: upload.clone(), now, turn });
                Err(waits)
            }
            None => {
                queues.insert(session, VecDeque::new());
                Ok(Leader { queues: self.clone(), session })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, VecDeque<Waiting>>> {
        // No holder leaves a queue half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leader {
    /// Those that wait and act by the same authority as the leader, as far as they may share its transaction.
    pub(super) fn followers(&self, upload: &FinishedUpload) -> Vec<Waiting> {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&self.session) else { return Vec::new() };
        let waiting = std::mem::take(queue);
        let mut followers = Vec::new();
        for one in waiting {
            if followers.len() + 1 < SHARING && one.upload.terms == upload.terms && !one.turn.is_closed() {
                followers.push(one);
            } else {
                queue.push_back(one);
            }
        }
        followers
    }
}

impl Waiting {
    /// Says what became of it.
    pub(super) fn answer(self, done: Result<Attached>) {
        // Nobody waits for the answer any more where the request was given up.
        let _gone = self.turn.send(Turn::Done(done));
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let mut queues = self.queues.lock();
        let next = queues.get_mut(&self.session).and_then(|queue| {
            std::iter::from_fn(|| queue.pop_front()).find(|waiting| !waiting.turn.is_closed())
        });
        match next {
            Some(waiting) => {
                drop(queues);
                let leader = Self { queues: self.queues.clone(), session: self.session };
                // One that goes away just now drops its right, which goes on to the next.
                let _gone = waiting.turn.send(Turn::Lead(leader));
            }
            None => drop(queues.remove(&self.session)),
        }
    }
}
