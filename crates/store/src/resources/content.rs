//! Content of projects: Git objects, branches, and the working changes over each branch's head.
//!
//! A branch's content is the immutable snapshot of its head and, over it, the overlay of what has changed since.
//! A change of either first locks the branch's row and raises its revision. A project's row is locked before its
//! sessions' rows, and a session's row before its branch's.

pub mod attachments;
pub mod bom;
pub mod branches;
pub mod changes;
pub mod clone;
pub mod commits;
pub mod compare;
pub mod deferred;
pub mod files;
pub mod includes;
pub mod merges;
pub mod objects;
pub mod packages;
pub mod previews;
pub mod projects;
pub mod resumable;
pub mod tree;
pub mod uploads;
pub mod uses;
pub mod versions;

mod components;
mod file_objects;
pub(crate) mod locks;
mod notifications;
mod structure;
mod texts;

use database::decode;
use domain::Result;
use domain::content::object::{Object, PACKAGE_TYPE};
use domain::content::project::{BranchName, RESERVED_PACKAGES};
use domain::id::{ObjectId, ProjectId, UserId};
use domain::planning::custom_field::ObjectDefaults;
use domain::time::Timestamp;
use git::CommitWriter;
use serde_json::Map;

use crate::resources::content::objects::ChangeContext;
use crate::resources::store::Tx;

/// Creates a new project's branch and its reserved packages: as its first commit or, if that is skipped, as working
/// changes of a branch without a commit (docs/api.md, section 7).
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
        let change = ChangeContext { branch, user: creator, now };
        objects::add(tx, &change, &packages, &ObjectDefaults::default()).await?;
    }
    Ok(())
}

/// The packages of every project, in the order of its tree.
fn reserved_packages(project: ProjectId, now: Timestamp) -> Result<Vec<Object>> {
    // Ids of the same millisecond are unordered.
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
