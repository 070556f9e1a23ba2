//! List the open invitations of an organization.

use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::InvitationId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::invitations::{self, InvitationRecord};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;
use crate::routes::page::{PageQuery, PageRequest};

/// A page of open invitations, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListInvitationsResponse")]
pub struct Answer {
    invitations: Vec<InvitationRecord>,
    meta: PageMeta,
}

/// Lists the open invitations of an organization, newest first, without their secrets.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let (call, at) = (&request.call, request.path.org_id);
    let page: PageRequest<_, InvitationId> = request.query.open(&app.cursors, ("invitations", at))?;
    let list = async |tx: &mut _, organization: &_| {
        invitations::list(tx, organization, call.now, page.from, page.rows()).await
    };
    let found = app.store.read(call, &at, list).await?;
    let (invitations, meta) = page.cut(found, |invitation| invitation.id)?;
    Ok(Reply::ok(Answer { invitations, meta }))
}
