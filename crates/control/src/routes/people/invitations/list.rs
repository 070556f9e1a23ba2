//! List the open invitations to the caller's address.

use api::people::invitations::{ListOwnInvitations, ListOwnInvitationsResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::InvitationId;
use store::Me;
use store::people::invitations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the open invitations to the address of the caller's account, newest first.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, ListOwnInvitations>,
) -> Result<Reply<ListOwnInvitationsResponse>> {
    let call = &request.call;
    let page: PageRequest<_, InvitationId> =
        PageRequest::of(request.query, &app.cursors, ("ownInvitations", call.actor.user))?;
    let list =
        async |tx: &mut _, me: &_| invitations::list_own(tx, me, call.now, page.from, page.rows()).await;
    let found = app.store.read(call, &Me, list).await?;
    let (invitations, meta) = page.cut(found, |invitation| invitation.id)?;
    Ok(Reply::ok(ListOwnInvitationsResponse { invitations, meta }))
}
