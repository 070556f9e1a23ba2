//! Create a service account.

use auth::actor::BrowserProjectManage;
use auth::role::OrganizationRole;
use domain::Result;
use domain::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use store::service_accounts;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;
use crate::routes::organizations::members::MemberAnswer;

/// A service account to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateServiceAccountRequest")]
pub struct Body {
    /// Display name, as members and histories show it.
    name: Name,
    /// Role in the organization: `guest`, `member` or `admin`.
    role: OrganizationRole,
}

/// Creates a service account as a member of the organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath, NoQuery, Json<Body>>,
) -> Result<Created<MemberAnswer>> {
    let call = &request.call;
    let Body { name, role } = request.body.0;
    let create = async |tx: &mut _, organization: &_| {
        service_accounts::create(tx, organization, call, &name, role).await
    };
    let created = app.store.create(call, &request.path.org_id, create).await?;
    Ok(Reply::created(created.map(|member| MemberAnswer { member })))
}
