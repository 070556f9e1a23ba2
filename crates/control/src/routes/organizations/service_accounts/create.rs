//! Create a service account.

use api::organizations::{CreateServiceAccountRequest, OrganizationMemberResponse};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::service_accounts;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;

/// Creates a service account as a member of the organization.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath, NoQuery, Json<CreateServiceAccountRequest>>,
) -> Result<Created<OrganizationMemberResponse>> {
    let call = &request.call;
    let CreateServiceAccountRequest { name, role } = request.body.0;
    let create = async |tx: &mut _, organization: &_| {
        service_accounts::create(tx, organization, call, &name, role).await
    };
    let created = app.store.create(call, &request.path.org_id, create).await?;
    Ok(Reply::created(created.map(|member| OrganizationMemberResponse { member })))
}
