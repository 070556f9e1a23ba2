//! The executions that this process works on: each in its turn, stopped on request, their leases renewed; and those of
//! processes that died, which are ended as failed.

mod broker;
mod work;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::Result;
use domain::id::{ExecutionId, ProcessId};
use domain::time::Timestamp;
use execution::Engine;
use link::{Link, Request};
use store::Store;
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::LocalPoolHandle;

use self::broker::Broker;
use crate::app::App;
use crate::under_way::UnderWay;

/// The hidden subcommand that runs a worker.
pub const WORKER: &str = "execute";

/// Threads that look after executions, whose code runs in processes of its own.
const THREADS: usize = 1;
/// How often leases are renewed, and those of others looked at: several times within a lease.
const LEASE_INTERVAL: Duration = Duration::from_secs(4);
/// Longest wait for the end of an execution that is stopped, after which whoever asks writes it.
const WAIT: Duration = Duration::from_secs(2);

/// The executions of this process. Cheap to clone.
#[derive(Clone)]
pub struct Executions(Arc<Shared>);

struct Shared {
    store: Store,
    link: Link,
    engine: Engine,
    broker: Broker,
    /// One for each that may go on at a time.
    turns: Semaphore,
    threads: LocalPoolHandle,
    under_way: UnderWay<ExecutionId>,
    /// What evaluation runs are made on, once there is one.
    app: OnceLock<App>,
}

impl Executions {
    /// None yet; `at_once` go on at a time, and the rest wait. Leases are renewed until the process ends.
    ///
    /// # Errors
    /// The client of the data plane can't be made.
    pub fn open(store: Store, link: Link, engine: Engine, at_once: u16) -> anyhow::Result<Self> {
        let executions = Self(Arc::new(Shared {
            store,
            link,
            engine,
            broker: Broker::new()?,
            turns: Semaphore::new(at_once.into()),
            threads: LocalPoolHandle::new(THREADS),
            under_way: UnderWay::default(),
            app: OnceLock::new(),
        }));
        let keeper = executions.clone();
        executions.0.threads.spawn_pinned(move || keeper.keep_leases());
        Ok(executions)
    }

    /// Lets executions begin, whose evaluation runs are made on `app`.
    pub fn serve(&self, app: App) {
        self.0.app.get_or_init(|| app);
    }

    /// Works on an execution that was queued for this process. One that it works on already is left alone.
    pub fn start(&self, execution: ExecutionId) {
        let Some(begun) = self.0.under_way.begin(execution) else { return };
        let executions = self.clone();
        self.0.threads.spawn_pinned(move || async move {
            if let Err(error) = executions.work(execution, &begun.cancel).await {
                tracing::warn!(execution.id = %execution, "error.chain" = error.chain(), "an execution could not be worked on");
            }
            drop(begun);
        });
    }

    /// Stops an execution where the process `at` works on it, and waits for its end, within bounds. It may go on after
    /// that: whoever asks writes the end then.
    pub async fn stop(&self, execution: ExecutionId, at: ProcessId) {
        let link = &self.0.link;
        if at == link.process() {
            self.cancel(execution).await;
        } else if let Err(error) = link.ask(at, Request::StopExecution { execution }, WAIT).await {
            tracing::info!(execution.id = %execution, %error, "an execution's process could not be asked to stop it");
        }
    }

    /// Stops an execution of this process, and waits for its end, within bounds.
    pub async fn cancel(&self, execution: ExecutionId) {
        self.0.under_way.end(execution, WAIT).await;
    }

    async fn keep_leases(self) {
        let mut ticks = interval(LEASE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.keep_leases_once().await {
                tracing::warn!("error.chain" = error.chain(), "the leases of executions can't be kept");
            }
        }
    }

    async fn keep_leases_once(&self) -> Result<()> {
        let Shared { store, link, under_way, .. } = &*self.0;
        let mut mine = under_way.ids();
        if !mine.is_empty() {
            let renewed = store.renew_executions(link.process(), &mine).await?;
            mine.retain(|execution| !renewed.contains(execution));
        }
        for session in store.fail_lost_executions(Timestamp::now()).await? {
            tracing::warn!(session.id = %session, "an execution has failed, as its process died");
            link.announce_events(session);
        }
        // They have ended here meanwhile, or somebody has ended them: this process, too, where it slept.
        mine.into_iter().for_each(|lost| under_way.ask_to_end(lost));
        Ok(())
    }
}
