//! Close a session. Its grants are invalid from the commit on.

use api::work::sessions::{CloseSession, CloseSessionResponse, GetSessionResponse};
use auth::actor::ProjectWrite;
use domain::{Error, Result};
use store::work::{runs, sessions};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::{answer, refuse_lapsed, status_by};

/// Closes a session and revokes its grants.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CloseSession>,
) -> Result<Reply<CloseSessionResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let expected = request.head.if_match()?;
    let (owner, record, run, last) = app
        .store
        .read(call, &at, async |tx, session| {
            let run = runs::in_session(tx, session).await?;
            let owner = session.project.record.owner_id;
            Ok((owner, session.record.clone(), run, runs::last(tx, session).await?))
        })
        .await?;
    refuse_lapsed(&app, at.session).await?;
    if expected.is_some() {
        let presence = app.link.presence(at.session).await;
        let status = status_by(presence, last.map(|(_, status)| status));
        wire::check_if_match(expected.as_ref(), &answer(&app, owner, record, status))?;
    }
    // The run's process stores the model's partial answer and its cost.
    if let Some((run, process)) = run {
        app.jobs.stop(run, process).await;
    }
    let last = last.map(|(run, _)| run);
    let closed = app
        .store
        .mutate(call, &at, async |tx, session| {
            let closed = sessions::close(tx, session, call).await?;
            if expected.is_some() && runs::last(tx, session).await?.map(|(run, _)| run) != last {
                // Another run has begun since the state was compared.
                wire::check_if_match_any(expected.as_ref(), None::<&GetSessionResponse>)?;
            }
            Ok(closed)
        })
        .await?;
    if !closed {
        return Err(Error::not_found());
    }
    app.link.announce_events(at.session);
    app.link.release_session(at.session).await;
    Ok(Reply::ok(CloseSessionResponse { deleted: true, session_id: at.session }))
}
