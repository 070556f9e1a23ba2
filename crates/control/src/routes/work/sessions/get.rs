//! Read one session.

use api::work::sessions::{GetSession, GetSessionResponse};
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::{answer, status};

/// Reads one session with its current status. A closed session has `no_session`.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetSession>,
) -> Result<TaggedReply<GetSessionResponse>> {
    let at = request.path.target();
    let (owner, record) = app
        .store
        .read(&request.call, &at, async |_, session| {
            Ok((session.project.record.owner_id, session.record.clone()))
        })
        .await?;
    let status = status(&app, &record).await;
    Ok(Reply::ok(answer(&app, owner, record, status)).etag_of_body())
}
