//! List the open invitations to the caller's address.

use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::InvitationId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::Me;
use store::invitations::{self, InvitationRecord};
use wire::{NoPath, Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};

/// A page of open invitations, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListOwnInvitationsResponse")]
pub struct Answer {
    invitations: Vec<InvitationRecord>,
    meta: PageMeta,
}

/// Lists the open invitations to the address of the caller's account, newest first.
pub async fn handle(app: App, request: Request<BrowserOnly, NoPath, PageQuery>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let page: PageRequest<_, InvitationId> =
        request.query.open(&app.cursors, ("ownInvitations", call.actor.user))?;
    let list =
        async |tx: &mut _, me: &_| invitations::list_own(tx, me, call.now, page.from, page.rows()).await;
    let found = app.store.read(call, &Me, list).await?;
    let (invitations, meta) = page.cut(found, |invitation| invitation.id)?;
    Ok(Reply::ok(Answer { invitations, meta }))
}
