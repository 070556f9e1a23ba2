//! A queue of tasks that process the batches of one blob in order, in the background.
//!
//! Each batch is one task, which receives the worker from the previous task. The next batch starts at once, and an
//! upload whose client is silent occupies no thread.

use std::collections::VecDeque;

use domain::{Error, Result};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

/// Most unfinished batches in a lane: one in progress and one waiting. Hash and disk stall at different times; a
/// waiting batch keeps the stall of one from reaching the other. With six, an upload took 17.6 MiB of memory.
pub(super) const MAX_QUEUED: usize = 2;

/// A worker and its queued batches.
#[derive(Debug)]
pub(super) struct Lane<T> {
    /// Receives the worker from the task of the last batch.
    worker: oneshot::Receiver<T>,
    tasks: VecDeque<JoinHandle<Result<()>>>,
}

impl<T: Send + 'static> Lane<T> {
    /// A lane without batches.
    pub(super) fn new(worker: T) -> Self {
        let (leave, left) = oneshot::channel();
        // The receiver exists: it is stored below.
        let _sent = leave.send(worker);
        Self { worker: left, tasks: VecDeque::new() }
    }

    /// Waits until the lane accepts another batch.
    ///
    /// # Errors
    /// The error of an earlier batch; the lane can then only be dropped.
    pub(super) async fn ready(&mut self) -> Result<()> {
        while self.tasks.len() >= MAX_QUEUED {
            self.first_done().await?;
        }
        Ok(())
    }

    /// Queues blocking work.
    pub(super) fn push(&mut self, work: impl FnOnce(T) -> Result<T> + Send + 'static) {
        let (worker, leave) = self.next();
        self.tasks.push_back(spawn_blocking(move || {
            let worker = work(worker.blocking_recv().map_err(|_| lost())?)?;
            // The receiver is gone if the upload was abandoned.
            let _abandoned = leave.send(worker);
            Ok(())
        }));
    }

    /// Queues asynchronous work.
    pub(super) fn push_async<W>(&mut self, work: impl FnOnce(T) -> W + Send + 'static)
    where
        W: Future<Output = Result<T>> + Send,
    {
        let (worker, leave) = self.next();
        self.tasks.push_back(tokio::spawn(async move {
            let worker = work(worker.await.map_err(|_| lost())?).await?;
            let _abandoned = leave.send(worker);
            Ok(())
        }));
    }

    /// Waits for every batch and returns the worker, which ends the lane.
    ///
    /// # Errors
    /// The error of a batch.
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

    /// The channel ends of the next task: where it receives the worker and where it passes it on.
    fn next(&mut self) -> (oneshot::Receiver<T>, oneshot::Sender<T>) {
        let (leave, left) = oneshot::channel();
        (std::mem::replace(&mut self.worker, left), leave)
    }
}

/// The worker was lost: an earlier batch failed, or the lane was dropped.
fn lost() -> Error {
    Error::internal("a blob writer was used after it failed")
}
