//! Delete an organization without projects and teams.

use api::people::organizations::{DeleteOrganization, DeleteOrganizationResponse, OrganizationResponse};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::people::organizations;
use wire::{Reply, Request};

use crate::app::App;

/// Deletes an organization with its memberships, invitations and service accounts.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, DeleteOrganization>,
) -> Result<Reply<DeleteOrganizationResponse>> {
    let (call, at) = (&request.call, request.path.org_id);
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &_| {
                let organization = Clone::clone(current);
                wire::check_if_match(expected.as_ref(), &OrganizationResponse { organization })
            };
            organizations::delete(tx, organization, call, condition).await
        })
        .await?;
    Ok(Reply::ok(DeleteOrganizationResponse { deleted: true, org_id: at }))
}
