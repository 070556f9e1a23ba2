//! Rename an organization.

use api::people::organizations::{OrganizationResponse, UpdateOrganization};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::people::organizations;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Renames an organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, UpdateOrganization>,
) -> Result<TaggedReply<OrganizationResponse>> {
    let (call, name) = (&request.call, request.body.0.name);
    let expected = request.head.if_match()?;
    let organization = app
        .store
        .mutate(call, &request.path.org_id, async |tx, organization| {
            let condition = |current: &_| {
                let organization = Clone::clone(current);
                wire::check_if_match(expected.as_ref(), &OrganizationResponse { organization })
            };
            organizations::rename(tx, organization, call, &name, condition).await
        })
        .await?;
    Ok(Reply::ok(OrganizationResponse { organization }).etag_of_body())
}
