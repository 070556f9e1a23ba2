//! Agent runs as jobs. The crate `agent` works on them.

use std::time::Duration;

use agent::run::{RunLimits, Runner};
use domain::Result;
use domain::id::{RunId, SessionId};
use domain::time::Timestamp;
use store::work::runs;
use store::{JobKind, Tx};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::App;
use crate::jobs::Job;

/// Works on the agent runs of a process.
pub(super) struct AgentRuns(Runner<App>);

impl AgentRuns {
    /// Runs with the models, tools and limits of `app`.
    pub(super) fn new(app: App) -> Self {
        Self(Runner {
            executor: app.tools.clone(),
            store: app.store.clone(),
            link: app.link.clone(),
            models: app.models.clone(),
            limits: RunLimits { steps: app.bounds.run_steps, time: Duration::from_secs(app.bounds.run_secs) },
            clock: app.clock,
            app,
        })
    }
}

impl Job for AgentRuns {
    const KIND: &'static JobKind = &runs::AGENT_RUN;
    const IS_RESUMED: bool = true;

    async fn work(&self, id: Uuid, cancel: &CancellationToken) -> Result<()> {
        self.0.work(RunId(id), cancel).await
    }

    async fn fail_lost(tx: &mut Tx, id: Uuid, session: SessionId, now: Timestamp) -> Result<()> {
        runs::fail_lost(tx, RunId(id), session, now).await
    }
}
