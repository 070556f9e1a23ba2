//! Delete an organization without projects and teams.

use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::OrganizationId;
use schemars::JsonSchema;
use serde::Serialize;
use store::organizations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::organizations::OrganizationAnswer;
use crate::routes::organizations::get::OrganizationPath;

/// The deleted organization.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeleteOrganizationResponse")]
pub struct Answer {
    deleted: bool,
    org_id: OrganizationId,
}

/// Deletes an organization with its memberships, invitations and service accounts.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath>,
) -> Result<Reply<Answer>> {
    let (call, at) = (&request.call, request.path.org_id);
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &_| {
                let organization = Clone::clone(current);
                wire::check_if_match(expected.as_ref(), &OrganizationAnswer { organization })
            };
            organizations::delete(tx, organization, call, condition).await
        })
        .await?;
    Ok(Reply::ok(Answer { deleted: true, org_id: at }))
}
