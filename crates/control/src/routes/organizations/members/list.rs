//! List the members of an organization.

use auth::actor::TeamRead;
use domain::Result;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::members::{self, OrganizationMember};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;
use crate::routes::page::MemberQuery;

/// A page of members, in the order of their ids.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListMembersResponse")]
pub struct Answer {
    members: Vec<OrganizationMember>,
    meta: PageMeta,
}

/// Lists the people and service accounts of an organization. Guests see themselves alone.
pub async fn handle(
    app: App,
    request: Request<TeamRead, OrganizationPath, MemberQuery>,
) -> Result<Reply<Answer>> {
    let at = request.path.org_id;
    let page = request.query.open(&app.cursors, ("members", at))?;
    let list = async |tx: &mut _, found: &_| members::list(tx, found, &page.filter()).await;
    let found = app.store.read(&request.call, &at, list).await?;
    let (members, meta) = page.cut(found, |member| member.user_id)?;
    Ok(Reply::ok(Answer { members, meta }))
}
