//! Links with short intervals to a private Redis.

use std::time::{Duration, Instant};

use domain::content::project::BranchName;
use domain::id::{ProcessId, ProjectId, SessionId};
use domain::time::Clock;
use domain::work::session::ConnectionId;
use link::{Link, LinkConfig, MessageKey, NamedJob, Presence, ProcessRequest, Registration};
use testkit::redis::PrivateRedis;
use uuid::Uuid;

/// Timeout of every wait.
const PATIENCE: Duration = Duration::from_secs(20);

/// The settings of these tests: a heartbeat of 100 ms, a lease of 1 s, long timeouts for a busy machine.
pub(crate) fn config(redis: &PrivateRedis) -> LinkConfig {
    LinkConfig {
        timeout: Duration::from_secs(2),
        heartbeat: Duration::from_millis(100),
        lease: Duration::from_secs(1),
        ..LinkConfig::new(redis.url(), "test")
    }
}

/// The link of a process to which every request is done at once.
pub(crate) fn open(redis: &PrivateRedis) -> Link {
    open_with(config(redis))
}

/// The same with other settings.
pub(crate) fn open_with(settings: LinkConfig) -> Link {
    let link = Link::open(settings, ProcessId::new(Clock::system().now())).unwrap();
    link.seal_with(&SECRET);
    link.serve(async |_| true);
    link
}

/// The link of a process that doesn't read its inbox yet.
pub(crate) fn open_unserved(redis: &PrivateRedis) -> Link {
    let link = Link::open(config(redis), ProcessId::new(Clock::system().now())).unwrap();
    link.seal_with(&SECRET);
    link
}

/// The key of the tests' processes.
pub(crate) const SECRET: [u8; 32] = [7; 32];

/// A message as a process with this secret sends it.
pub(crate) fn sealed_by(secret: &[u8; 32], message: &str) -> String {
    MessageKey::new(secret).seal(message)
}

pub(crate) fn new_session() -> Registration {
    let now = Clock::system().now();
    Registration {
        session: SessionId::new(now),
        project: ProjectId::new(now),
        branch: BranchName::main(),
        opened_at: now,
    }
}

pub(crate) fn connection(registration: &Registration) -> ConnectionId {
    ConnectionId::of_session(registration.session)
}

/// Waits until `condition` holds.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition().await {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until the session has this state.
pub(crate) async fn until_presence(link: &Link, session: SessionId, presence: Presence) {
    until(&format!("{presence:?}"), async || link.presence(session).await == presence).await;
}

/// A connection to inspect Redis directly.
pub(crate) async fn redis_connection(redis: &PrivateRedis) -> redis::aio::MultiplexedConnection {
    let client = redis::Client::open(redis.url()).unwrap();
    client.get_multiplexed_async_connection().await.unwrap()
}

/// The process that hosts a session, if any.
pub(crate) async fn host_of(link: &Link, registration: &Registration) -> Option<ProcessId> {
    let found = link.find_session(registration.session).await.unwrap()?;
    found.live.then_some(found.host)
}

/// A request to work on a job.
pub(crate) fn start_job() -> ProcessRequest {
    ProcessRequest::StartJob { job: NamedJob { kind: "agent_run".to_owned(), id: Uuid::new_v4() } }
}
