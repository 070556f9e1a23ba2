//! Renew a session's grant while the session lives.

use api::work::sessions::{RenewGrant, RenewGrantResponse};
use auth::actor::ProjectWrite;
use domain::work::session::SessionStatus;
use domain::{Error, Result};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::status;

/// Issues a new grant. Earlier ones remain valid until they expire. If the session's host is gone, this process takes
/// over.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, RenewGrant>,
) -> Result<Reply<RenewGrantResponse>> {
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
    Ok(Reply::ok(RenewGrantResponse { data_plane: app.grants.mint(call, &record)? }))
}
