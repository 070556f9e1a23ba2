//! Public packages of a project. None can be published yet, so there is none to list.

use auth::actor::ProjectRead;
use domain::Result;
use domain::package::Package;

use crate::access::project::Project;
use crate::transaction::Tx;

/// The packages that the project has published on the witness' branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(_: &mut Tx, _: &Project<ProjectRead>) -> Result<Vec<Package>> {
    Ok(Vec::new())
}
