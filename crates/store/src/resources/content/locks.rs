//! Row locks for a change of a project's content: first the project, then the branch.

use database::decode;
use database::prelude::*;
use database::schema::{branches, projects};
use domain::{Error, Result};
use futures_util::future::join;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::resources::store::Tx;

/// Protects the project from deletion until the transaction ends. A deletion locks the project before its content: so
/// this comes first, or both would deadlock.
pub(crate) async fn hold_project<P>(connection: &Connection, project: &Project<P>) -> Result<()> {
    let held: Option<Uuid> = projects::table
        .find(project.record.id.0)
        .select(projects::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    held.map(drop).ok_or_else(Error::not_found)
}

/// Holds the project and locks the witness' branch, in one round trip; returns the branch in its present state.
pub(crate) async fn lock<P>(connection: &Connection, project: &Project<P>) -> Result<Branch> {
    let (held, locked) =
        join(hold_project(connection, project), lock_branch(connection, &project.branch)).await;
    held.and(locked)
}

/// Locks the branch for a change of its content and raises its revision; returns its present state.
pub(crate) async fn lock_branch(connection: &Connection, branch: &Branch) -> Result<Branch> {
    let (head, revision): (Option<Vec<u8>>, i64) = diesel::update(branches::table.find(branch.id))
        .set((branches::revision.eq(branches::revision + 1), branches::changed_at.eq(diesel::dsl::now)))
        .returning((branches::head, branches::revision))
        .get_result(connection)
        .await
        .optional()?
        .ok_or_else(Error::not_found)?;
    let head = head.as_deref().map(decode::commit_hash).transpose()?;
    Ok(Branch { head, revision, ..branch.clone() })
}

/// Protects the branch's head and working changes from changes until the transaction ends; returns its present state.
pub(crate) async fn hold_branch(tx: &mut Tx, branch: &Branch) -> Result<Branch> {
    let (head, revision): (Option<Vec<u8>>, i64) = branches::table
        .find(branch.id)
        .select((branches::head, branches::revision))
        .for_no_key_update()
        .first(tx)
        .await
        .optional()?
        .ok_or_else(Error::not_found)?;
    let head = head.as_deref().map(decode::commit_hash).transpose()?;
    Ok(Branch { head, revision, ..branch.clone() })
}
