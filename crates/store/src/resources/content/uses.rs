//! Where a part, an assembly or a package is used, project by project.

use auth::actor::ProjectRead;
use domain::content::bom::BomGrouping;
use domain::content::bom::items::BomSource;
use domain::content::uses::UseTarget;
use domain::id::ObjectId;
use domain::{Error, Result};

use crate::access::project::Project;
use crate::resources::content::bom::{self, BomPlace};
use crate::resources::content::tree;
use crate::resources::store::Tx;

/// Most objects of a project that is searched.
const OBJECTS_MAX: usize = 500_000;

/// A project before its uses are sought.
#[derive(Clone)]
pub enum SearchableProject {
    /// Its tree may have uses.
    Tree(BomSource),
    /// Its tree has no use, which was told without the data of its objects.
    WithoutUses,
    /// It has more objects than are searched.
    TooLarge,
}

/// The target that an object of the witness' branch stands for; `None` for an object that nothing uses.
///
/// # Errors
/// `NOT_FOUND` if the tree has no such object; `INTERNAL_ERROR` if the content is corrupt.
pub async fn target(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    object: ObjectId,
    by: BomGrouping,
) -> Result<Option<UseTarget>> {
    let source = Box::pin(bom::source(tx, project, BomPlace::default())).await?;
    source.snapshot.node(object).ok_or_else(Error::not_found)?;
    Ok(UseTarget::of_object(&source, object, by))
}

/// The witness' branch with its working changes, if it may have uses.
///
/// # Errors
/// `BRANCH_CONFLICT` if the tree has more definitions than are read; `INTERNAL_ERROR` if the content is corrupt.
pub async fn of_project(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    target: &UseTarget,
) -> Result<SearchableProject> {
    let snapshot = tree::snapshot(tx, project.record.id, &project.branch).await?;
    if !target.may_be_in(&snapshot.tree) {
        return Ok(SearchableProject::WithoutUses);
    }
    if snapshot.tree.tree.len() > OBJECTS_MAX {
        return Ok(SearchableProject::TooLarge);
    }
    Ok(SearchableProject::Tree(Box::pin(bom::source(tx, project, BomPlace::default())).await?))
}
