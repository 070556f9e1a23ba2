//! List the members of an organization.

use api::people::organizations::members::{ListMembers, ListMembersResponse};
use auth::actor::TeamRead;
use domain::Result;
use store::people::members;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::MemberPage;

/// Lists the people and service accounts of an organization. Guests see themselves alone.
pub async fn handle(app: App, request: Request<TeamRead, ListMembers>) -> Result<Reply<ListMembersResponse>> {
    let at = request.path.org_id;
    let page = MemberPage::open(request.query, &app.cursors, ("members", at))?;
    let list = async |tx: &mut _, found: &_| members::list(tx, found, &page.filter()).await;
    let found = app.store.read(&request.call, &at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(ListMembersResponse { members, meta }))
}
