//! Read one session.

use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::sessions::{SessionAnswer, SessionPath, status};

/// Reads one session with its current status. A closed session has `no_session`.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath>,
) -> Result<TaggedReply<SessionAnswer>> {
    let at = request.path.target();
    let (owner, record) = app
        .store
        .read(&request.call, &at, async |_, session| {
            Ok((session.project.record.owner_id, session.record.clone()))
        })
        .await?;
    let status = status(&app, &record).await;
    Ok(Reply::ok(SessionAnswer::of(&app, owner, record, status)).etag_of_body())
}
