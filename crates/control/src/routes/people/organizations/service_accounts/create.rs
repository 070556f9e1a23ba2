//! Create a service account.

use api::people::organizations::members::OrganizationMemberResponse;
use api::people::organizations::service_accounts::{CreateServiceAccount, CreateServiceAccountRequest};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::people::service_accounts;
use wire::{Created, Reply, Request};

use crate::app::App;

/// Creates a service account as a member of the organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, CreateServiceAccount>,
) -> Result<Created<OrganizationMemberResponse>> {
    let call = &request.call;
    let CreateServiceAccountRequest { name, role } = request.body.0;
    let create = async |tx: &mut _, organization: &_| {
        service_accounts::create(tx, organization, call, &name, role).await
    };
    let created = app.store.create(call, &request.path.org_id, create).await?;
    Ok(Reply::created(created.map(|member| OrganizationMemberResponse { member })))
}
