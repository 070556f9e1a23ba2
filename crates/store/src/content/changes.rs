//! What a branch holds that its head does not (specification, "Uncommitted changes of a branch"). Read off the
//! working changes alone: the cost follows them, never the project.

use auth::actor::ProjectRead;
use diesel::QueryableByName;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::ObjectId;
use domain::object::{CommitHash, DeletedObject, UncommittedChanges};
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::project::Project;
use crate::decode;
use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// The uncommitted changes of the witness' branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(tx: &mut Tx, project: &Project<ProjectRead>) -> Result<UncommittedChanges> {
    let rows: Vec<Row> = Statement::new(include_str!("changes/list.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    let mut changes = UncommittedChanges {
        has_changes: !rows.is_empty(),
        total_object_changes: u64::try_from(rows.len()).map_err(Error::internal)?,
        added: Vec::new(),
        modified: Vec::new(),
        deleted: Vec::new(),
        deleted_objects: Vec::new(),
        committed_hash: project.branch.head.unwrap_or(CommitHash::ZERO).to_string(),
    };
    for row in rows {
        let id = ObjectId(row.object_id);
        if row.is_added {
            changes.added.push(id);
        } else if row.is_deleted {
            changes.deleted.push(id);
            changes.deleted_objects.push(row.deleted_object()?);
        } else {
            changes.modified.push(id);
        }
    }
    Ok(changes)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Bool)]
    is_added: bool,
    #[diesel(sql_type = Bool)]
    is_deleted: bool,
    #[diesel(sql_type = Nullable<Text>)]
    deleted_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    deleted_type: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    deleted_parent: Option<Uuid>,
}

impl Row {
    fn deleted_object(self) -> Result<DeletedObject> {
        let missing = || Error::internal("a deleted object's committed state is incomplete");
        Ok(DeletedObject {
            object_id: ObjectId(self.object_id),
            name: decode::name(&self.deleted_name.ok_or_else(missing)?)?,
            object_type: self.deleted_type.ok_or_else(missing)?,
            parent_id: ObjectId(self.deleted_parent.ok_or_else(missing)?),
        })
    }
}
