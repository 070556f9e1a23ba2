//! Folding of projects' names again, after a change of `domain::search::fold`.

use database::prelude::*;
use database::schema::project_refolds;
use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::Result;
use domain::search::fold;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::resources::store::{Store, Tx};

/// The present way of folding: a row of `project_refolds`.
const VERSION: i64 = 3;

impl Store {
    /// Folds the next projects' names; returns their number, which is 0 at the end. Concurrent calls exclude each other.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn refold_projects(&self, now: Timestamp) -> Result<usize> {
        self.transaction(async |tx| refold(tx, now).await).await
    }
}

async fn refold(tx: &mut Tx, now: Timestamp) -> Result<usize> {
    let progress: Option<Uuid> = project_refolds::table
        .find(VERSION)
        .filter(project_refolds::finished_at.is_null())
        .select(project_refolds::after_project_id)
        .for_update()
        .skip_locked()
        .first(tx)
        .await
        .optional()?;
    let Some(after) = progress else { return Ok(0) };
    let projects: Vec<ProjectNameRow> =
        Statement::new(include_str!("refolding/next.sql")).bind::<SqlUuid, _>(after).load(tx).await?;
    let row = diesel::update(project_refolds::table.find(VERSION));
    let Some(last) = projects.last().map(|project| project.id) else {
        row.set(project_refolds::finished_at.eq(now.0)).execute(tx).await?;
        return Ok(0);
    };
    row.set(project_refolds::after_project_id.eq(last)).execute(tx).await?;
    let (ids, names): (Vec<Uuid>, Vec<String>) =
        projects.iter().map(|project| (project.id, fold(&project.name))).unzip();
    Statement::new(include_str!("refolding/write.sql"))
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Array<Text>, _>(names)
        .execute(tx)
        .await?;
    Ok(projects.len())
}

/// The name of a project.
#[derive(QueryableByName)]
struct ProjectNameRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
}
