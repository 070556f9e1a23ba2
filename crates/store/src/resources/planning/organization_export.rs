//! The projects of an organization's export, one after the other. Their lines are those of `project_export`.

use auth::actor::CardRead;
use database::prelude::*;
use database::schema::projects;
use domain::content::project::ProjectRef;
use domain::id::ProjectId;
use domain::{Code, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::organization_export::OrganizationExport;
use crate::access::project::Project;
use crate::resources::store::Tx;

/// The organization's next project after `after`, in the order of creation, whose cards the caller can read.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn next_project(
    tx: &mut Tx,
    export: &OrganizationExport,
    call: &Call<CardRead>,
    after: Option<ProjectId>,
) -> Result<Option<ProjectId>> {
    let mut after = after.map_or(Uuid::nil(), |project| project.0);
    loop {
        let next: Option<Uuid> = projects::table
            .filter(projects::owner_id.eq(export.organization.id.0).and(projects::id.gt(after)))
            .order(projects::id)
            .select(projects::id)
            .first(tx)
            .await
            .optional()?;
        let Some(next) = next else { return Ok(None) };
        let at = ProjectRef { project: ProjectId(next), branch: None };
        let found: Result<Project<CardRead>> = at.resolve(tx, call).await;
        match found {
            Ok(found) => return Ok(Some(found.record.id)),
            Err(error) if [Code::NotFound, Code::Forbidden].contains(&error.code) => after = next,
            Err(error) => return Err(error),
        }
    }
}
