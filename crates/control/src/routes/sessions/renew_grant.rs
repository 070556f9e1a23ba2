//! Renew a session's grant while the session lives.

use auth::actor::ProjectWrite;
use domain::session::SessionStatus;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Reply, Request};

use crate::app::App;
use crate::credentials::grants::DataPlane;
use crate::routes::sessions::{SessionPath, status};

/// The access to the data plane.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RenewGrantResponse")]
pub struct Answer {
    data_plane: DataPlane,
}

/// Issues a new grant. Earlier ones remain valid until they expire. If the session's host is gone, this process takes
/// over.
pub async fn handle(app: App, request: Request<ProjectWrite, SessionPath>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let at = request.path.target();
    let record = app.store.read(call, &at, async |_, session| Ok(session.record.clone())).await?;
    match status(&app, &record).await {
        SessionStatus::NoSession => return Err(Error::not_found()),
        SessionStatus::ProjectNotRunning => {
            app.link.ensure_hosted(record.id).await?;
        }
        _ => {}
    }
    Ok(Reply::ok(Answer { data_plane: app.grants.mint(call, &record)? }))
}
