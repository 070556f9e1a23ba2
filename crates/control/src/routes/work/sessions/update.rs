//! Change what a session's agent may spend. A merge patch: absent fields stay, and `null` clears.

use api::work::sessions::{GetSessionResponse, UpdateSession, UpdateSessionRequest};
use auth::actor::ProjectWrite;
use domain::Result;
use store::work::sessions::{self, SessionChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::{answer, refuse_lapsed, status};

/// Changes the budget of an open session. A run in progress has the new one from its next call of the model.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UpdateSession>,
) -> Result<TaggedReply<GetSessionResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let expected = request.head.if_match()?;
    let UpdateSessionRequest { budget } = request.body.0;
    let budget = budget.nullable().map(|budget| budget.map(|budget| budget.credits));
    let changes = domain::patch::not_empty(SessionChanges { budget })?;
    let record = app.store.read(call, &at, async |_, session| Ok(session.record.clone())).await?;
    refuse_lapsed(&app, record.id).await?;
    let status = status(&app, &record).await;
    let (owner, record) = app
        .store
        .mutate(call, &at, async |tx, session| {
            let owner = session.project.record.owner_id;
            let record = sessions::hold(tx, session).await?;
            if expected.is_some() {
                wire::check_if_match(expected.as_ref(), &answer(&app, owner, record.clone(), status))?;
            }
            Ok((owner, sessions::update(tx, record, call, &changes).await?))
        })
        .await?;
    Ok(Reply::ok(answer(&app, owner, record, status)).etag_of_body())
}
