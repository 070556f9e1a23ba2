//! The usual starting point of a test: a deployment with a user, a project and a session. Also waits for
//! background work.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::time::Duration;

use crate::caller::Caller;
use crate::deployment::Deployment;
use crate::seed::{MANAGE, User};
use crate::session::{Session, create_project};

/// Interval and limit of polling for background work.
const POLL: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(20);

/// A deployment with one user, one project and one session.
pub struct OpenSession {
    /// The services.
    pub deployment: Deployment,
    /// The user.
    pub alice: User,
    /// A caller with the user's key for all operations on projects.
    pub caller: Caller,
    /// Her project.
    pub project: String,
    /// Her session on it.
    pub session: Session,
    /// The reserved package under which files are uploaded.
    pub model: String,
}

impl OpenSession {
    /// On the shared deployment.
    pub async fn open() -> Self {
        Self::on(Deployment::shared()).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::on(Deployment::start().await).await
    }

    /// Creates it on a running deployment.
    pub async fn on(deployment: Deployment) -> Self {
        let alice = deployment.operator().user("alice").await;
        let caller = alice.key(MANAGE).await;
        let project = create_project(&caller, "Gear").await;
        let session = Session::open(&caller, &project).await;
        let model = session.model().await;
        Self { deployment, alice, caller, project, session, model }
    }

    /// The ids of uploaded objects that no commit contains.
    pub async fn added(&self) -> Vec<String> {
        added(&self.caller, &self.project).await
    }
}

/// The ids of objects added to a project's branch `main` since its last commit.
pub async fn added(caller: &Caller, project: &str) -> Vec<String> {
    let changes = caller.get(&format!("/api/v2/projects/{project}/branches/main/changes")).await.expect(200);
    let mut ids: Vec<String> = changes.json()["added"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

/// Waits until a background condition holds.
pub async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = tokio::time::Instant::now() + PATIENCE;
    while !holds() {
        assert!(tokio::time::Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}

/// As `eventually`, with an asynchronous condition.
pub async fn eventually_async(what: &str, holds: impl AsyncFn() -> bool) {
    let end = tokio::time::Instant::now() + PATIENCE;
    while !holds().await {
        assert!(tokio::time::Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}
