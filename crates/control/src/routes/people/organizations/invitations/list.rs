//! List the open invitations of an organization.

use api::people::organizations::invitations::{ListInvitations, ListInvitationsResponse};
use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::InvitationId;
use store::people::invitations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the open invitations of an organization, newest first, without their secrets.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, ListInvitations>,
) -> Result<Reply<ListInvitationsResponse>> {
    let (call, at) = (&request.call, request.path.org_id);
    let page: PageRequest<_, InvitationId> =
        PageRequest::of(request.query, &app.cursors, ("invitations", at))?;
    let list = async |tx: &mut _, organization: &_| {
        invitations::list(tx, organization, call.now, page.from, page.rows()).await
    };
    let found = app.store.read(call, &at, list).await?;
    let (invitations, meta) = page.cut(found, |invitation| invitation.id)?;
    Ok(Reply::ok(ListInvitationsResponse { invitations, meta }))
}
