//! What many tests begin with: a deployment with a user, a project and a session; and waiting for what happens in the
//! background.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::time::Duration;

use crate::api::Api;
use crate::caller::Caller;
use crate::seed::{MANAGE, User};
use crate::session::{Session, create_project};

/// How often and how long a test looks for what happens in the background.
const POLL: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(20);

/// A deployment with one user, one project and a session on it.
pub struct Workshop {
    /// The services.
    pub api: Api,
    /// The user.
    pub alice: User,
    /// Who calls with a key of hers that may do everything with projects.
    pub caller: Caller,
    /// Her project.
    pub project: String,
    /// Her session on it.
    pub session: Session,
    /// The reserved package under which files go.
    pub model: String,
}

impl Workshop {
    /// On the servers that tests share.
    pub async fn open() -> Self {
        Self::on(Api::start().await).await
    }

    /// On a deployment that was started already.
    pub async fn on(api: Api) -> Self {
        let alice = api.operator().user("alice").await;
        let caller = alice.key(MANAGE).await;
        let project = create_project(&caller, "Gear").await;
        let session = Session::open(&caller, &project).await;
        let model = session.model().await;
        Self { api, alice, caller, project, session, model }
    }

    /// The ids of the objects that uploads have added and no commit holds.
    pub async fn added(&self) -> Vec<String> {
        added(&self.caller, &self.project).await
    }
}

/// The ids of the objects that a project's branch `main` has added since its commit.
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

/// Waits until something that happens in the background has.
pub async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let end = tokio::time::Instant::now() + PATIENCE;
    while !holds() {
        assert!(tokio::time::Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}

/// As `eventually`, of what has to be asked for.
pub async fn eventually_async(what: &str, holds: impl AsyncFn() -> bool) {
    let end = tokio::time::Instant::now() + PATIENCE;
    while !holds().await {
        assert!(tokio::time::Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}
