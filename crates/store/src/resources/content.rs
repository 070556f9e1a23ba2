//! Content of projects: Git objects, branches, and the working changes over each branch's head.
//!
//! A branch's content is the immutable snapshot of its head and, over it, the overlay of what has changed since.
//! Whoever changes either locks the branch's row first and raises its revision. A project's row is locked before its
//! sessions', and a session's before its branch's.

pub mod attachments;
pub mod branches;
pub mod changes;
pub mod clone;
pub mod commits;
pub mod compare;
pub mod files;
pub mod includes;
pub mod merges;
pub mod objects;
pub mod packages;
pub mod tree;

mod git_objects;
pub(crate) mod locks;
mod snapshot;
pub(crate) mod snapshots;
mod structure;
mod told;
mod uncommitted;

use domain::Result;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::object::{Object, PACKAGE_TYPE};
use domain::project::{BranchName, RESERVED_PACKAGES};
use domain::time::Timestamp;
use git::CommitWriter;
use serde_json::Map;

use crate::db::decode;
use crate::resources::content::objects::ChangeContext;
use crate::resources::store::Tx;

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
        let author = commits::signature(tx, creator, now).await?;
        let mut writer = CommitWriter::new(project, &[])?;
        packages.iter().try_for_each(|package| writer.put(package))?;
        Some(commits::write(tx, project, &[], writer, (&author, "Create the project")).await?.hash)
    };
    let branch = branches::insert(tx, project, &BranchName::main(), head, now).await?;
    if skip_initial_commit {
        objects::add(tx, &ChangeContext { branch, user: creator, now }, &packages).await?;
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
