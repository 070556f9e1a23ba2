//! Locks and states of the branches that uploads are attached to.

use std::collections::HashMap;
use std::slice;

use auth::actor::ProjectWrite;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid};
use domain::content::object::UNCOMMITTED_MAX_BYTES;
use domain::content::project::BranchName;
use domain::content::upload::ObjectMap;
use domain::id::{ObjectId, ProjectId, UploadId};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use super::AttachmentGroup;
use crate::access::project::{FoundProject, Project};
use crate::resources::uncommitted;
use crate::resources::work::sessions;

/// Free space that a branch must have for uploads that share a transaction, in bytes. It is more than they take: an upload
/// that exceeds the limit would roll back all of them.
const SHARED_RESERVE_BYTES: usize = 1024 * 1024;

/// A branch that is locked for the uploads of a session.
pub(super) struct LockedBranch {
    /// The project, at the branch in its present state.
    pub(super) project: Project<ProjectWrite>,
    /// The grant's session is open, its execution is running, and its key is not revoked.
    pub(super) is_live: bool,
}

/// Locks the branch of a group for a change, and waits for it. Until the transaction ends, the project can't be
/// deleted, the session closed, the execution ended or the key revoked. The locks are taken in this order.
///
/// # Errors
/// `NOT_FOUND` if the project is not reachable or the branch is gone; `FORBIDDEN`; `UNAVAILABLE`.
pub(super) async fn lock(connection: &Connection, group: &AttachmentGroup<'_>) -> Result<LockedBranch> {
    let locked = lock_all(connection, slice::from_ref(group), include_str!("lock.sql")).await?.pop();
    Ok(locked.ok_or_else(Error::not_found)??.0)
}

/// Locks the branches of several groups as [`lock`] does, in one statement that waits for none of them.
///
/// # Errors
/// `UNAVAILABLE`. For each group: those of [`lock`]; `NOT_FOUND` if another transaction holds one of its rows;
/// `BRANCH_CONFLICT` if its branch is nearly full.
pub(super) async fn try_lock(
    connection: &Connection,
    groups: &[AttachmentGroup<'_>],
) -> Result<Vec<Result<LockedBranch>>> {
    let has_room = |(branch, uncommitted_bytes): (LockedBranch, usize)| match uncommitted_bytes
        + SHARED_RESERVE_BYTES
        <= UNCOMMITTED_MAX_BYTES
    {
        true => Ok(branch),
        false => Err(uncommitted::too_large()),
    };
    let locked = lock_all(connection, groups, include_str!("try_lock.sql")).await?;
    Ok(locked.into_iter().map(|locked| locked.and_then(has_room)).collect())
}

/// Runs a statement that locks the branch of each group. Returns each with the bytes of its working changes.
async fn lock_all(
    connection: &Connection,
    groups: &[AttachmentGroup<'_>],
    sql: &'static str,
) -> Result<Vec<Result<(LockedBranch, usize)>>> {
    let executions: Result<Vec<Option<Uuid>>> = groups
        .iter()
        .map(|group| Ok(sessions::execution(group.grant)?.map(|execution| execution.0)))
        .collect();
    let rows: Vec<LockedBranchRow> = Statement::new(sql)
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
    let locked_branch = |(place, group): (i64, &AttachmentGroup<'_>)| {
        let LockedBranchRow { is_live, uncommitted_bytes, found, .. } =
            rows.remove(&place).ok_or_else(Error::not_found)?;
        let uncommitted_bytes = usize::try_from(uncommitted_bytes).map_err(Error::internal)?;
        Ok((LockedBranch { project: found.decide(&group.call)?, is_live }, uncommitted_bytes))
    };
    Ok((1..).zip(groups).map(locked_branch).collect())
}

/// The uploads and parents to find on a branch.
pub(super) struct BranchQuery<'a> {
    pub(super) project: ProjectId,
    pub(super) branch: &'a BranchName,
    /// The objects that the uploads are attached to.
    pub(super) parents: Vec<ObjectId>,
    /// The ids of the uploads.
    pub(super) uploads: Vec<UploadId>,
}

/// The state of a branch, as far as uploads depend on it.
pub(super) struct BranchState {
    /// The branch's revision when the state was read.
    pub(super) revision: i64,
    /// The parents with working changes; `false` for a deleted one.
    pub(super) changed: HashMap<ObjectId, bool>,
    /// The maps of the uploads that were applied before.
    pub(super) applied: HashMap<UploadId, ObjectMap>,
    /// True if new objects of the project may get defaults of custom fields.
    pub(super) has_defaults: bool,
}

/// Reads the state of each branch; `None` if there is no such branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn read_states(
    connection: &Connection,
    queries: &[BranchQuery<'_>],
) -> Result<Vec<Option<BranchState>>> {
    let (parents, parents_of) = with_places(queries, |query| query.parents.iter().map(|parent| parent.0));
    let (uploads, uploads_of) = with_places(queries, |query| query.uploads.iter().map(|upload| upload.0));
    let rows: Vec<StateRow> = Statement::new(include_str!("states.sql"))
        .bind::<Array<SqlUuid>, _>(queries.iter().map(|query| query.project.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(queries.iter().map(|query| query.branch.as_str()).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(parents)
        .bind::<Array<BigInt>, _>(parents_of)
        .bind::<Array<SqlUuid>, _>(uploads)
        .bind::<Array<BigInt>, _>(uploads_of)
        .load(connection)
        .await?;
    let mut rows = by_place(rows, |row| row.place);
    (1..).zip(queries).map(|(place, _)| rows.remove(&place).map(StateRow::state).transpose()).collect()
}

/// The ids of all queries, and for each the place of its query, from 1.
fn with_places<'a, I: Iterator<Item = Uuid>>(
    queries: &'a [BranchQuery<'_>],
    ids: impl Fn(&'a BranchQuery<'a>) -> I,
) -> (Vec<Uuid>, Vec<i64>) {
    (1..).zip(queries).flat_map(|(place, query)| ids(query).map(move |id| (id, place))).unzip()
}

/// Rows by the place of their group or query, from 1.
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
struct StateRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Jsonb)]
    changed: Value,
    #[diesel(sql_type = Jsonb)]
    applied: Value,
    #[diesel(sql_type = Bool)]
    has_defaults: bool,
}

impl StateRow {
    fn state(self) -> Result<BranchState> {
        Ok(BranchState {
            revision: self.revision,
            changed: serde_json::from_value(self.changed).map_err(Error::internal)?,
            applied: serde_json::from_value(self.applied).map_err(Error::internal)?,
            has_defaults: self.has_defaults,
        })
    }
}
