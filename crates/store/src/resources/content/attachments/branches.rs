//! The branches that uploads are to join: what is known of them, and that nobody else changes them meanwhile.

use std::collections::HashMap;
use std::sync::LazyLock;

use auth::actor::ProjectWrite;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid};
use domain::id::{ObjectId, ProjectId, UploadId};
use domain::object::UNCOMMITTED_MAX_BYTES;
use domain::project::BranchName;
use domain::upload::{LockedRows, ObjectMap};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use super::AttachmentGroup;
use crate::access::project::{FoundProject, Project};
use crate::db::prelude::*;
use crate::resources::content::uncommitted;
use crate::resources::sessions;

const HOLD: &str = concat!(
    "select w.place,
        s.id is not null and (w.execution is null or e.id is not null) and (w.key is null or k.id is not null) as is_live,
        b.uncommitted_bytes,",
    include_str!("../../../access/project_columns.sql"),
    include_str!("hold.sql")
);
static HOLD_WAITING: LazyLock<String> = LazyLock::new(|| HOLD.replace("{busy}", ""));
static HOLD_UNLOCKED: LazyLock<String> = LazyLock::new(|| HOLD.replace("{busy}", "skip locked"));

/// What a branch must have left for uploads that share a transaction, in bytes: more than they take. One that is refused for
/// want of room takes back what all of them have written.
const ROOM_TO_SHARE: usize = 1024 * 1024;

/// What a transaction holds for uploads of a session.
pub(super) struct LockedBranch {
    /// The project, at their branch as it is now.
    pub(super) project: Project<ProjectWrite>,
    /// Whether the grant's session is open, its execution running, and its key not revoked.
    pub(super) is_live: bool,
}

/// For each of the groups: keeps the project from being deleted, holds the grant's session, execution and key as they are until
/// the transaction ends, and locks the branch for a change: closing the session, ending the execution or revoking the key
/// comes wholly before or wholly after. One statement, which takes them in this order.
///
/// # Errors
/// `UNAVAILABLE`; of each group `NOT_FOUND` where the project is not reached or the branch is gone, `FORBIDDEN`.
pub(super) async fn hold(
    connection: &Connection,
    groups: &[AttachmentGroup<'_>],
    locked: LockedRows,
) -> Result<Vec<Result<LockedBranch>>> {
    let sql = match locked {
        LockedRows::Wait => &HOLD_WAITING,
        LockedRows::Defer => &HOLD_UNLOCKED,
    };
    let executions: Result<Vec<Option<Uuid>>> = groups
        .iter()
        .map(|group| Ok(sessions::execution(group.grant)?.map(|execution| execution.0)))
        .collect();
    let rows: Vec<LockedBranchRow> = Statement::new(sql.as_str())
        .bind::<Array<SqlUuid>, _>(groups.iter().map(|group| group.grant.project.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(groups.iter().map(|group| group.call.actor.user.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(groups.iter().map(|group| group.through.session.0).collect::<Vec<_>>())
        .bind::<Array<Nullable<SqlUuid>>, _>(executions?)
        .bind::<Array<Nullable<SqlUuid>>, _>(
            groups.iter().map(|group| group.grant.key.map(|key| key.0)).collect::<Vec<_>>(),
        )
        .bind::<Array<Text>, _>(groups.iter().map(|group| group.through.branch.as_str()).collect::<Vec<_>>())
        .load(connection)
        .await?;
    let mut rows = by_place(rows, |row| row.place);
    let held = |(place, group): (i64, &AttachmentGroup<'_>)| {
        let LockedBranchRow { is_live, uncommitted_bytes, found, .. } =
            rows.remove(&place).ok_or_else(Error::not_found)?;
        let uncommitted_bytes = usize::try_from(uncommitted_bytes).map_err(Error::internal)?;
        if locked == LockedRows::Defer && uncommitted_bytes + ROOM_TO_SHARE > UNCOMMITTED_MAX_BYTES {
            return Err(uncommitted::too_large());
        }
        Ok(LockedBranch { project: found.decide(&group.call)?, is_live })
    };
    Ok((1..).zip(groups).map(held).collect())
}

/// What uploads ask about their branch.
pub(super) struct Sought<'a> {
    pub(super) project: ProjectId,
    pub(super) branch: &'a BranchName,
    /// The objects that they go under.
    pub(super) parents: Vec<ObjectId>,
    /// Their ids.
    pub(super) uploads: Vec<UploadId>,
}

/// What uploads have to know of their branch.
pub(super) struct Seen {
    pub(super) revision: i64,
    /// Those of their parents that its working changes know, and whether they are there still.
    pub(super) changed: HashMap<ObjectId, bool>,
    /// What those answered that were applied.
    pub(super) applied: HashMap<UploadId, ObjectMap>,
}

/// What is known of each; `None` where there is no such branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn look(connection: &Connection, sought: &[Sought<'_>]) -> Result<Vec<Option<Seen>>> {
    let (parents, parents_of) = placed(sought, |one| one.parents.iter().map(|parent| parent.0));
    let (uploads, uploads_of) = placed(sought, |one| one.uploads.iter().map(|upload| upload.0));
    let rows: Vec<SeenRow> = Statement::new(include_str!("look.sql"))
        .bind::<Array<SqlUuid>, _>(sought.iter().map(|one| one.project.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(sought.iter().map(|one| one.branch.as_str()).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(parents)
        .bind::<Array<BigInt>, _>(parents_of)
        .bind::<Array<SqlUuid>, _>(uploads)
        .bind::<Array<BigInt>, _>(uploads_of)
        .load(connection)
        .await?;
    let mut rows = by_place(rows, |row| row.place);
    (1..).zip(sought).map(|(place, _)| rows.remove(&place).map(SeenRow::seen).transpose()).collect()
}

/// All ids that `of` names, and for each the place of the one that named it.
fn placed<'a, I: Iterator<Item = Uuid>>(
    sought: &'a [Sought<'_>],
    of: impl Fn(&'a Sought<'a>) -> I,
) -> (Vec<Uuid>, Vec<i64>) {
    (1..).zip(sought).flat_map(|(place, one)| of(one).map(move |id| (id, place))).unzip()
}

/// Rows by the place, from 1, of what they were found for.
fn by_place<R>(rows: Vec<R>, place: impl Fn(&R) -> i64) -> HashMap<i64, R> {
    rows.into_iter().map(|row| (place(&row), row)).collect()
}

#[derive(QueryableByName)]
struct LockedBranchRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Bool)]
    is_live: bool,
    #[diesel(sql_type = BigInt)]
    uncommitted_bytes: i64,
    #[diesel(embed)]
    found: FoundProject,
}

#[derive(QueryableByName)]
struct SeenRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Jsonb)]
    changed: Value,
    #[diesel(sql_type = Jsonb)]
    applied: Value,
}

impl SeenRow {
    fn seen(self) -> Result<Seen> {
        Ok(Seen {
            revision: self.revision,
            changed: serde_json::from_value(self.changed).map_err(Error::internal)?,
            applied: serde_json::from_value(self.applied).map_err(Error::internal)?,
        })
    }
}
