//! Readiness: named checks of the dependencies of a process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use futures_util::future::{LocalBoxFuture, join_all};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

/// Timeout of a check; a slower dependency counts as down.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// The checks of a process.
#[derive(Clone, Default)]
pub struct Readiness {
    checks: Vec<Check>,
    draining: Arc<watch::Sender<bool>>,
}

/// The answer of `/readyz`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    pub(crate) status: ReadinessStatus,
    checks: BTreeMap<&'static str, DependencyState>,
}

/// The readiness of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReadinessStatus {
    /// All dependencies are up.
    Ready,
    /// Ready, with an optional dependency down.
    Degraded,
    /// Not ready: a required dependency is down.
    Unavailable,
    /// Not ready: the process is stopping.
    Draining,
}

#[derive(Clone)]
struct Check {
    name: &'static str,
    required: bool,
    run: Arc<dyn Fn() -> LocalBoxFuture<'static, Result<()>> + Send + Sync>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum DependencyState {
    Up,
    Down,
}

impl Readiness {
    /// Readiness without checks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a dependency that every request needs.
    #[must_use]
    pub fn required<Fut>(self, name: &'static str, check: impl Fn() -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = Result<()>> + 'static,
    {
        self.with(name, true, check)
    }

    /// Adds a dependency that only some requests need.
    #[must_use]
    pub fn optional<Fut>(self, name: &'static str, check: impl Fn() -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = Result<()>> + 'static,
    {
        self.with(name, false, check)
    }

    /// Becomes true when the process stops, for answers without an end of their own.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.draining.subscribe()
    }

    /// Marks the process as stopping, for good.
    pub(crate) fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Runs all checks concurrently.
    pub(crate) async fn report(&self) -> Report {
        let states = join_all(self.checks.iter().map(Check::state)).await;
        let down = |required| {
            let mut checks = self.checks.iter().zip(&states);
            checks.any(|(check, state)| check.required == required && *state == DependencyState::Down)
        };
        let status = if *self.draining.borrow() {
            ReadinessStatus::Draining
        } else if down(true) {
            ReadinessStatus::Unavailable
        } else if down(false) {
            ReadinessStatus::Degraded
        } else {
            ReadinessStatus::Ready
        };
        Report { status, checks: self.checks.iter().map(|check| check.name).zip(states).collect() }
    }

    fn with<Fut>(
        mut self,
        name: &'static str,
        required: bool,
        check: impl Fn() -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<()>> + 'static,
    {
        self.checks.push(Check { name, required, run: Arc::new(move || Box::pin(check())) });
        self
    }
}

impl Check {
    async fn state(&self) -> DependencyState {
        let error = match timeout(CHECK_TIMEOUT, (self.run)()).await {
            Ok(Ok(())) => return DependencyState::Up,
            Ok(Err(error)) => error.chain(),
            Err(_) => "no answer in time".to_owned(),
        };
        tracing::warn!("check.name" = self.name, "check.error" = error, "a dependency is down");
        DependencyState::Down
    }
}
