//! Whether the process should get requests: named checks of what it depends on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use futures_util::future::{LocalBoxFuture, join_all};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

/// Longest that a check may take; a dependency that takes longer is down.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// The checks of a process.
#[derive(Clone, Default)]
pub struct Readiness {
    checks: Vec<Check>,
    draining: Arc<watch::Sender<bool>>,
}

/// What `/readyz` answers.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    pub(crate) status: Status,
    checks: BTreeMap<&'static str, State>,
}

/// Whether to send requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// Yes.
    Ready,
    /// Yes, though something optional is down.
    Degraded,
    /// No: something required is down.
    Unavailable,
    /// No: the process is stopping.
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
enum State {
    Up,
    Down,
}

impl Readiness {
    /// No checks: ready as soon as it listens.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a dependency without which no request can be served.
    #[must_use]
    pub fn required<Fut>(self, name: &'static str, check: impl Fn() -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = Result<()>> + 'static,
    {
        self.with(name, true, check)
    }

    /// With a dependency without which only some requests fail.
    #[must_use]
    pub fn optional<Fut>(self, name: &'static str, check: impl Fn() -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = Result<()>> + 'static,
    {
        self.with(name, false, check)
    }

    /// Whether the process is stopping, for answers that would go on for ever.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.draining.subscribe()
    }

    /// From now on not ready, for good.
    pub(crate) fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Runs all checks at once.
    pub(crate) async fn report(&self) -> Report {
        let states = join_all(self.checks.iter().map(Check::state)).await;
        let down = |required| {
            let mut checks = self.checks.iter().zip(&states);
            checks.any(|(check, state)| check.required == required && *state == State::Down)
        };
        let status = if *self.draining.borrow() {
            Status::Draining
        } else if down(true) {
            Status::Unavailable
        } else if down(false) {
            Status::Degraded
        } else {
            Status::Ready
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
    async fn state(&self) -> State {
        let error = match timeout(CHECK_TIMEOUT, (self.run)()).await {
            Ok(Ok(())) => return State::Up,
            Ok(Err(error)) => format!("{error}"),
            Err(_) => "no answer in time".to_owned(),
        };
        tracing::warn!("check.name" = self.name, "check.error" = error, "a dependency is down");
        State::Down
    }
}
