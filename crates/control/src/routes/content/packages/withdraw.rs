//! Withdraw a package from publication.

use api::content::packages::{WithdrawPackage, WithdrawPackageResponse};
use auth::actor::ProjectManage;
use domain::{Error, Result};
use store::content::packages;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::content::packages::current;

/// Withdraws a package from the branch, with all its published commits. Includes of it become empty.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, WithdrawPackage>,
) -> Result<Reply<WithdrawPackageResponse>> {
    let (call, path) = (&request.call, &request.path);
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let published = packages::hold(tx, project, path.package_id).await?;
                let published = published.ok_or_else(Error::not_found)?;
                wire::check_if_match(expected.as_ref(), &current(&published))?;
            }
            packages::withdraw(tx, project, call, path.package_id).await
        })
        .await?;
    Ok(Reply::ok(WithdrawPackageResponse { deleted: true, package_id: path.package_id }))
}
