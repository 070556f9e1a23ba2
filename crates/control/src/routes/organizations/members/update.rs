//! Change a member's role.

use auth::actor::BrowserProjectManage;
use auth::role::OrganizationRole;
use domain::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use store::members::{self, OrganizationMember};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::organizations::members::{MemberAnswer, MemberPath};

/// The new role.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UpdateMemberRequest")]
pub struct Body {
    /// Role in the organization. Only owners make owners.
    role: OrganizationRole,
}

/// Gives a member another role.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, MemberPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<MemberAnswer>> {
    let (call, at, user) = (&request.call, request.path.org_id, request.path.member_id);
    let (role, expected) = (request.body.0.role, request.head.if_match()?);
    let member = app
        .store
        .mutate(call, &at, async |tx, organization| {
            let condition = |current: &OrganizationMember| {
                let member = current.clone();
                wire::check_if_match(expected.as_ref(), &MemberAnswer { member })
            };
            members::set_role(tx, organization, call, user, role, condition).await
        })
        .await?;
    Ok(Reply::ok(MemberAnswer { member }).etag_of_body())
}
