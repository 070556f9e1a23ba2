//! Single objects of a branch: found in its working changes or its head, added to its working changes.

use diesel::prelude::*;
use diesel::sql_types::{Array, Jsonb, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::object::Object;
use domain::time::Timestamp;
use domain::{Error, Result};
use git::{Record, Walk};
use serde_json::Value;
use uuid::Uuid;

use crate::access::project::Branch;
use crate::content::git_objects;
use crate::failure::failure;
use crate::schema::working_changes;
use crate::statement::Statement;
use crate::transaction::Tx;

/// Who changes which branch, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) branch: Uuid,
    pub(crate) user: UserId,
    pub(crate) now: Timestamp,
}

/// An object with its uncommitted state. Reads the path to it, never the project.
pub(crate) async fn find(
    tx: &mut Tx,
    project: ProjectId,
    branch: &Branch,
    id: ObjectId,
) -> Result<Option<Object>> {
    let changed: Option<Option<Value>> = working_changes::table
        .find((branch.id, id.0))
        .select(working_changes::record)
        .first(tx.connection()?)
        .await
        .optional()
        .map_err(failure)?;
    match (changed, branch.head) {
        (Some(record), _) => record.map(serde_json::from_value).transpose().map_err(Error::internal),
        (None, None) => Ok(None),
        (None, Some(head)) => {
            let cache = tx.snapshots.clone();
            let read = async {
                let found = git_objects::walk(tx, project, Walk::only(head, [id]), Record::object).await?;
                Ok(found.into_iter().next())
            };
            cache.object((project, head, id), read).await
        }
    }
}

/// Adds objects that neither the branch's head nor its working changes hold.
pub(crate) async fn add(tx: &mut Tx, change: &Change, objects: &[Object]) -> Result<()> {
    let ids: Vec<Uuid> = objects.iter().map(|object| object.id.0).collect();
    let records: Result<Vec<Value>, _> = objects.iter().map(serde_json::to_value).collect();
    Statement::new(include_str!("objects/add.sql"))
        .bind::<SqlUuid, _>(change.branch)
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Array<Jsonb>, _>(records.map_err(Error::internal)?)
        .bind::<SqlUuid, _>(change.user.0)
        .bind::<Timestamptz, _>(change.now.0)
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(())
}
