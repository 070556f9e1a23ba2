//! Work on the batches of a blob, one after the other in their order, beside whoever hands them over.
//!
//! Each batch is a task of its own, which takes the worker over from the task before it. So a worker goes on with the
//! next batch at once, and an upload whose client says nothing keeps no thread.

use std::collections::VecDeque;

use domain::{Error, Result};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

/// Batches that may have been handed over and not be done: one that is worked on, and those that follow it at once. Hash
/// and disk pause at different times, and neither's pause is the other's for as long as something waits here.
pub(super) const AHEAD: usize = 2;

/// A worker, and the batches that it has yet to do.
#[derive(Debug)]
pub(super) struct Lane<T> {
    /// The worker, as the task of the last batch leaves it.
    worker: oneshot::Receiver<T>,
    tasks: VecDeque<JoinHandle<Result<()>>>,
}

impl<T: Send + 'static> Lane<T> {
    /// A lane without batches.
    pub(super) fn new(worker: T) -> Self {
        let (leave, left) = oneshot::channel();
        // Whoever receives it is here.
        let _left = leave.send(worker);
        Self { worker: left, tasks: VecDeque::new() }
    }

    /// Waits until another batch may be handed over.
    ///
    /// # Errors
    /// What a batch before it failed with; the lane is then only good for being dropped.
    pub(super) async fn ready(&mut self) -> Result<()> {
        while self.tasks.len() >= AHEAD {
            self.first_done().await?;
        }
        Ok(())
    }

    /// Hands over work that blocks.
    pub(super) fn push(&mut self, work: impl FnOnce(T) -> Result<T> + Send + 'static) {
        let (worker, leave) = self.next();
        self.tasks.push_back(spawn_blocking(move || {
            let worker = work(worker.blocking_recv().map_err(|_| lost())?)?;
            // Nobody takes it where the upload was given up.
            let _given_up = leave.send(worker);
            Ok(())
        }));
    }

    /// Hands over work that waits for others.
    pub(super) fn push_waiting<W>(&mut self, work: impl FnOnce(T) -> W + Send + 'static)
    where
        W: Future<Output = Result<T>> + Send,
    {
        let (worker, leave) = self.next();
        self.tasks.push_back(tokio::spawn(async move {
            let worker = work(worker.await.map_err(|_| lost())?).await?;
            let _given_up = leave.send(worker);
            Ok(())
        }));
    }

    /// The worker, once it has done every batch; the lane is then over.
    ///
    /// # Errors
    /// What a batch failed with.
    pub(super) async fn finish(&mut self) -> Result<T> {
        while !self.tasks.is_empty() {
            self.first_done().await?;
        }
        (&mut self.worker).await.map_err(|_| lost())
    }

    async fn first_done(&mut self) -> Result<()> {
        match self.tasks.pop_front() {
            Some(task) => task.await.map_err(Error::internal)?,
            None => Ok(()),
        }
    }

    /// What the next task takes the worker from, and where it leaves it.
    fn next(&mut self) -> (oneshot::Receiver<T>, oneshot::Sender<T>) {
        let (leave, left) = oneshot::channel();
        (std::mem::replace(&mut self.worker, left), leave)
    }
}

/// A batch before had failed, or nobody waited for the end of the lane.
fn lost() -> Error {
    Error::internal("a writer of a blob was used after it had failed")
}
