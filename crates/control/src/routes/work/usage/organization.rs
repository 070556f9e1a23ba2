//! Report the usage of an organization.

use api::work::usage::GetOrganizationUsage;
use auth::actor::UsageRead;
use domain::Result;
use store::work::usage::report;
use wire::Request;

use crate::app::App;
use crate::routes::work::usage::{self, Answer};

/// Reports the spending of an organization on its projects, by all users, deleted projects included. For its admins and
/// owners.
pub async fn handle(app: App, request: Request<UsageRead, GetOrganizationUsage>) -> Result<Answer> {
    let filter = usage::filter(&request.query)?;
    let read = app
        .store
        .read(&request.call, &request.path.org_id, async |tx, organization| {
            report::of_organization(tx, organization, &filter).await
        })
        .await?;
    Ok(Answer { report: read, format: request.query.format })
}
