//! The components of trees: what bills of materials read of objects, beside the trees themselves.

use std::sync::Arc;

use database::prelude::*;
use diesel::sql_types::{Nullable, Text, Uuid as SqlUuid};
use domain::content::bom::component::{ComponentReader, ComponentRecord, Components};
use domain::content::object::CommitHash;
use domain::id::{ObjectId, ProjectId};
use domain::{Error, Result};
use futures_util::TryStreamExt;
use git::{ObjectRecord, Walk};
use uuid::Uuid;

use crate::access::project::Branch;
use crate::resources::git_objects;
use crate::resources::store::Tx;
use crate::resources::store::snapshots::SnapshotKey;

/// The components of a branch at its revision.
pub(crate) async fn of_branch(tx: &mut Tx, project: ProjectId, branch: &Branch) -> Result<Arc<Components>> {
    let cache = tx.snapshots.clone();
    let build = async {
        // Boxed: the futures of a read, one in the other, would not fit the stack of a debug build.
        let committed = Box::pin(committed(tx, project, branch.head)).await?;
        Box::pin(changed(tx, branch, committed)).await
    };
    cache.components(SnapshotKey::Branch(branch.id, branch.revision), build).await
}

/// The components of a commit; `None`: of an empty tree.
pub(crate) async fn committed(
    tx: &mut Tx,
    project: ProjectId,
    head: Option<CommitHash>,
) -> Result<Arc<Components>> {
    let Some(commit) = head else { return Ok(Arc::default()) };
    let cache = tx.snapshots.clone();
    let build = async {
        let mut reader = ComponentReader::default();
        let read = |record: &ObjectRecord| reader.add(record.id, record.parse()?);
        Box::pin(git_objects::walk(tx, project, Walk::all(commit), read)).await?;
        Ok(Arc::new(reader.finish()))
    };
    cache.components(SnapshotKey::Commit(project, commit), build).await
}

/// The components of the head with the working changes of a branch.
async fn changed(tx: &mut Tx, branch: &Branch, committed: Arc<Components>) -> Result<Arc<Components>> {
    let mut rows = Statement::new(include_str!("components/changed.sql"))
        .bind::<SqlUuid, _>(branch.id)
        .load_stream::<ChangedRecordRow, _>(tx)
        .await?;
    let mut reader: Option<ComponentReader> = None;
    while let Some(ChangedRecordRow { object_id, record }) = rows.try_next().await? {
        let reader = reader.get_or_insert_with(|| ComponentReader::over(&committed));
        let record: Option<ComponentRecord<'_>> =
            record.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        match record {
            Some(record) => reader.add(ObjectId(object_id), record)?,
            None => reader.remove(ObjectId(object_id)),
        }
    }
    Ok(reader.map_or(committed, |reader| Arc::new(reader.finish())))
}

#[derive(QueryableByName)]
struct ChangedRecordRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    record: Option<String>,
}
