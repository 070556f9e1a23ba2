//! Open a session on a project. This process hosts it.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::id::{ProjectId, SessionId};
use domain::project::{BranchName, ProjectRef};
use domain::session::{SessionRecord, SessionStatus};
use domain::time::Timestamp;
use link::Registration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Call, SessionRef, sessions};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::{App, DataPlane};
use crate::routes::projects::ProjectPath;

/// Nothing to choose yet: the body may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateSessionRequest")]
pub struct Body {}

/// The session, and how to reach the data plane for it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateSessionResponse")]
pub struct Answer {
    session_id: SessionId,
    project_id: ProjectId,
    branch: BranchName,
    status: SessionStatus,
    created_at: Timestamp,
    data_plane: DataPlane,
}

/// Opens a session on a project and issues a grant for the data plane. A repeat under the same idempotency key
/// answers the same session with a fresh grant.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Option<Json<Body>>>,
) -> Result<Created<Answer>> {
    let call = &request.call;
    // A session that nothing could find is of no use: without Redis none is made.
    app.link.ping().await?;
    let opened = app
        .store
        .create(call, &request.path.project_id, async |tx, project| sessions::create(tx, project, call).await)
        .await?;
    let session = &opened.value;
    // A repeat, too, of a session that is still open: the process that answered first may have died before it hosted it.
    if !opened.replayed || is_open(&app, call, session).await? {
        host(&app, session).await;
    }
    let data_plane = app.grants.mint(call, session)?;
    Ok(Reply::created(opened.map(|session| Answer {
        session_id: session.id,
        project_id: session.project,
        branch: session.branch,
        status: SessionStatus::Idle,
        created_at: session.created_at,
        data_plane,
    })))
}

async fn is_open(app: &App, call: &Call<ProjectWrite>, session: &SessionRecord) -> Result<bool> {
    let project = ProjectRef { project: session.project, branch: Some(session.branch.clone()) };
    let at = SessionRef { project, session: session.id };
    app.store.read(call, &at, async |_, found| Ok(found.record.closed_at.is_none())).await
}

async fn host(app: &App, session: &SessionRecord) {
    let registration = Registration {
        session: session.id,
        project: session.project,
        branch: session.branch.clone(),
        opened_at: session.created_at,
    };
    if let Err(error) = app.link.host_session(registration).await {
        let cause: &dyn std::error::Error = &error;
        tracing::warn!(session.id = %session.id, error = cause, "registering is put off");
    }
}
