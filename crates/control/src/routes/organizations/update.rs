//! Rename an organization.

use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use store::organizations;
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::organizations::OrganizationAnswer;
use crate::routes::organizations::get::OrganizationPath;

/// The new name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UpdateOrganizationRequest")]
pub struct Body {
    /// Name. The organization's name in URLs stays.
    name: Name,
}

/// Renames an organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<OrganizationAnswer>> {
    let (call, name) = (&request.call, request.body.0.name);
    let expected = request.head.if_match()?;
    let organization = app
        .store
        .mutate(call, &request.path.org_id, async |tx, organization| {
            let condition = |current: &_| {
                let organization = Clone::clone(current);
                wire::check_if_match(expected.as_ref(), &OrganizationAnswer { organization })
            };
            organizations::rename(tx, organization, call, &name, condition).await
        })
        .await?;
    Ok(Reply::ok(OrganizationAnswer { organization }).etag_of_body())
}
