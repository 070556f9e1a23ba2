//! The trees of a bill of materials: that of a branch or a commit, and those of the packages that it includes.

use std::collections::{HashSet, VecDeque};

use auth::actor::ProjectRead;
use domain::content::bom::PACKAGES_MAX;
use domain::content::bom::items::{BomInput, BomSource, ReadPackage};
use domain::content::compare::Point;
use domain::content::object::{CommitHash, INCLUDE_TYPE, Include};
use domain::id::ObjectId;
use domain::{Error, Result};

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::content::{compare, components, includes, packages, tree};
use crate::resources::store::Tx;

/// Most objects of included packages, together.
const PACKAGE_OBJECTS_MAX: usize = 1_000_000;

/// The part of a project that a bill is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BomPlace {
    /// This commit instead of the branch with its working changes.
    pub commit: Option<CommitHash>,
    /// Only this object with its descendants; the project object means all.
    pub root: Option<ObjectId>,
}

/// The trees of a bill. Packages are read with the caller's access to their projects; those out of reach are left out,
/// and so is what exceeds the limits.
///
/// Call it in a read transaction, whose snapshot makes the tree that of the witness' revision.
///
/// # Errors
/// `NOT_FOUND` if the project has no such commit, or the tree has no such root; `BRANCH_CONFLICT` if the tree has more
/// definitions than are read; `INTERNAL_ERROR` if the content is corrupt.
pub async fn read(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    call: &Call<ProjectRead>,
    place: BomPlace,
) -> Result<BomInput> {
    let first = Box::pin(source(tx, project, place)).await?;
    let mut pending: VecDeque<Include> = includes_of(&first).into();
    let mut input = BomInput { sources: vec![first], ..BomInput::default() };
    let mut objects = 0;
    let mut known = HashSet::new();
    while let Some(include) = pending.pop_front() {
        if known.len() >= PACKAGES_MAX || objects >= PACKAGE_OBJECTS_MAX {
            break;
        }
        if !known.insert(include.clone()) {
            continue;
        }
        let Some(package) = Box::pin(package(tx, call, &include)).await? else { continue };
        let Some(name) = package.nodes().first().map(|node| node.name.clone()) else { continue };
        objects += package.nodes().len();
        pending.extend(includes_of(&package));
        input.packages.insert(include, ReadPackage { name, source: input.sources.len() });
        input.sources.push(package);
    }
    Ok(input)
}

/// The tree of a project with its components.
pub(crate) async fn source(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    place: BomPlace,
) -> Result<BomSource> {
    let id = project.record.id;
    let (snapshot, components) = match place.commit {
        Some(commit) => {
            let commit = compare::resolve(tx, project, &Point::Commit(commit)).await?;
            (tree::committed(tx, id, commit).await?, components::committed(tx, id, commit).await?)
        }
        None => (
            tree::snapshot(tx, id, &project.branch).await?,
            components::of_branch(tx, id, &project.branch).await?,
        ),
    };
    let root = place.root.filter(|root| *root != id.into());
    if root.is_some_and(|root| snapshot.node(root).is_none()) {
        return Err(Error::not_found());
    }
    Ok(BomSource { project: id, commit: place.commit, snapshot, root, components })
}

/// The tree of an included package; `None` if the caller doesn't reach it.
async fn package(tx: &mut Tx, call: &Call<ProjectRead>, include: &Include) -> Result<Option<BomSource>> {
    let Include { project_id, package_id, commit_hash } = *include;
    let Some(project) = includes::reach(tx, call, project_id).await? else { return Ok(None) };
    if packages::find(tx, &project, package_id, Some(commit_hash)).await?.is_none() {
        return Ok(None);
    }
    let snapshot = tree::committed(tx, project_id, Some(commit_hash)).await?;
    let components = components::committed(tx, project_id, Some(commit_hash)).await?;
    let (commit, root) = (Some(commit_hash), Some(package_id));
    Ok(Some(BomSource { project: project_id, commit, snapshot, root, components }))
}

/// The packages that the objects of a tree include, in their order.
fn includes_of(source: &BomSource) -> Vec<Include> {
    let nodes = source.nodes().iter().filter(|node| node.object_type == INCLUDE_TYPE);
    nodes.filter_map(|node| source.components.include(node.id).cloned()).collect()
}
