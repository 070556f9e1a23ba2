//! Content of projects: Git objects, branches, and the working changes over each branch's head.
//!
//! A branch's content is the immutable snapshot of its head and, over it, the overlay of what has changed since.
//! Whoever changes either locks the branch's row first and raises its revision. A project's row is locked before its
//! sessions', and a session's before its branch's.

pub mod attachments;
pub mod changes;
pub mod files;
pub mod packages;
pub mod tree;

mod git_objects;
pub(crate) mod objects;
mod snapshots;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::object::{Object, PACKAGE_TYPE, Signature};
use domain::project::{BranchName, RESERVED_PACKAGES};
use domain::time::Timestamp;
use git::FirstCommit;
use serde_json::Map;
use uuid::Uuid;

use crate::content::objects::Change;
use crate::decode;
use crate::failure::failure;
use crate::schema::{branches, users};
use crate::transaction::Tx;

pub(crate) use snapshots::SnapshotCache;

/// Gives a new project its branch and its reserved packages: as its first commit, or, where that is to be
/// skipped, as working changes over a branch without one (contract, section 7).
pub(crate) async fn initialise(
    tx: &mut Tx,
    project: ProjectId,
    creator: UserId,
    now: Timestamp,
    skip_initial_commit: bool,
) -> Result<()> {
    let packages = reserved_packages(project, now)?;
    let head = if skip_initial_commit {
        None
    } else {
        let author = signature(tx, creator, now).await?;
        let commit =
            FirstCommit { project, objects: &packages, author: &author, message: "Create the project" };
        let (head, written) = git::first_commit(&commit)?;
        git_objects::insert(tx, project, &written).await?;
        Some(head)
    };
    let branch = Uuid::new_v4();
    diesel::insert_into(branches::table)
        .values((
            branches::id.eq(branch),
            branches::project_id.eq(project.0),
            branches::name.eq(BranchName::main().as_str()),
            branches::head.eq(head.map(|head| head.0.to_vec())),
            branches::revision.eq(0),
            branches::created_at.eq(now.0),
        ))
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    if skip_initial_commit {
        objects::add(tx, &Change { branch, user: creator, now }, &packages).await?;
    }
    Ok(())
}

/// The packages that every project holds, in the order in which a tree shows them.
fn reserved_packages(project: ProjectId, now: Timestamp) -> Result<Vec<Object>> {
    // Ids of one millisecond are in no order.
    let mut ids = RESERVED_PACKAGES.map(|_| ObjectId::new(now));
    ids.sort();
    let packages = ids.into_iter().zip(RESERVED_PACKAGES).map(|(id, name)| {
        Ok(Object {
            id,
            name: decode::name(name)?,
            object_type: PACKAGE_TYPE.to_owned(),
            parent: project.into(),
            kind: None,
            file: None,
            include: None,
            data: Map::new(),
        })
    });
    packages.collect()
}

/// A user as the author of a commit.
async fn signature(tx: &mut Tx, user: UserId, time: Timestamp) -> Result<Signature> {
    let (name, email) = users::table
        .find(user.0)
        .select((users::display_name, users::email))
        .first(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(Signature { name, email, time })
}
