//! The rows that a change of a project's content holds: the project's, then the branch's.

use domain::{Error, Result};
use futures_util::future::join;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::{branches, projects};
use crate::resources::store::Tx;

/// Keeps the project from being deleted until the transaction ends. A deletion locks the project's row before all
/// that it holds; so does this, or the two would wait for each other.
pub(crate) async fn hold_project<P>(tx: &mut Tx, project: &Project<P>) -> Result<()> {
    key_share(tx, project).await
}

/// Holds the project and locks the branch that the request names, in one round trip; returns the branch as it is now.
pub(crate) async fn lock<P>(tx: &mut Tx, project: &Project<P>) -> Result<Branch> {
    let pipeline = tx;
    let (held, locked) = join(key_share(pipeline, project), raise(pipeline, &project.branch)).await;
    held?;
    locked
}

async fn key_share<P>(connection: &Connection, project: &Project<P>) -> Result<()> {
    let held: Option<Uuid> = projects::table
        .find(project.record.id.0)
        .select(projects::id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    held.map(|_| ()).ok_or_else(Error::not_found)
}

/// Keeps the project's branches and its default branch as they are until the transaction ends, but for what they
/// hold; returns the name of the default branch.
pub(crate) async fn hold_branches<P>(tx: &mut Tx, project: &Project<P>) -> Result<String> {
    projects::table
        .find(project.record.id.0)
        .select(projects::default_branch)
        .for_no_key_update()
        .first(tx)
        .await
        .optional()?
        .ok_or_else(Error::not_found)
}

/// Locks the branch for a change of its content and raises its revision; returns it as it is now.
pub(crate) async fn lock_branch(tx: &mut Tx, branch: &Branch) -> Result<Branch> {
    raise(tx, branch).await
}

/// What [`lock_branch`] does, beside what is sent before it.
async fn raise(connection: &Connection, branch: &Branch) -> Result<Branch> {
    let (head, revision): (Option<Vec<u8>>, i64) = diesel::update(branches::table.find(branch.id))
        .set(branches::revision.eq(branches::revision + 1))
        .returning((branches::head, branches::revision))
        .get_result(connection)
        .await
        .optional()?
        .ok_or_else(Error::not_found)?;
    let head = head.as_deref().map(decode::commit_hash).transpose()?;
    Ok(Branch { head, revision, ..branch.clone() })
}

/// Keeps the branch's head and working changes as they are until the transaction ends; returns it as it is now.
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
