//! Read one session.

use auth::actor::ProjectRead;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::sessions::{SessionPath, SessionView, status};

/// One session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetSessionResponse")]
pub struct Answer {
    session: SessionView,
}

/// Reads one session with its current status. A closed session has `no_session`.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath>) -> Result<TaggedReply<Answer>> {
    let at = request.path.target();
    let record = app.store.read(&request.call, &at, async |_, session| Ok(session.record.clone())).await?;
    let status = status(&app, &record).await;
    Ok(Reply::ok(Answer { session: SessionView::of(record, status) }).etag_of_body())
}
