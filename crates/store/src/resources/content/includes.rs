//! Includes: objects that stand for a package of another project, pinned to a commit at which it was published.
//!
//! The project's own content holds only ids. Name and content of the package are read from its own project, if the reader
//! can reach it.

use std::collections::HashSet;

use auth::actor::{ProjectRead, ProjectWrite};
use domain::content::git_name::check_name;
use domain::content::object::{CommitHash, INCLUDE_TYPE, Include, Object, Tree};
use domain::content::package::{IncludeRecord, Package, PackageRef};
use domain::content::project::ProjectRef;
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use domain::{Code, Error, Result, Rule};
use serde_json::{Map, json};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::branch_objects::{self, BranchObject};
use crate::resources::content::notifications::{ObjectsChanged, notify};
use crate::resources::content::objects::draft::{self, NewState};
use crate::resources::content::objects::{self, ChangeContext};
use crate::resources::content::{locks, packages};
use crate::resources::planning::custom_fields;
use crate::resources::store::Tx;

/// A package to be included.
#[derive(Clone, Debug)]
pub struct NewInclude {
    /// The package; without a commit, the version that is published now.
    pub package: PackageRef,
    /// True if the request names the package by its reference, rather than by ids.
    pub by_reference: bool,
    /// The new object's parent.
    pub parent: ObjectId,
    /// The object's name; `None`: the package's name.
    pub name: Option<Name>,
}

impl NewInclude {
    /// The field of the request that names the package, or its part `field`.
    fn field(&self, field: &'static str) -> &'static str {
        if self.by_reference { "ref" } else { field }
    }
}

/// Includes a package in the witness' branch, uncommitted.
///
/// # Errors
/// `INVALID_REQUEST` if the caller reaches no such package; `INCLUDE_CYCLE` if it leads back to this project; `INVALID_REQUEST` if
/// the parent is not in the tree.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    new: &NewInclude,
) -> Result<IncludeRecord> {
    let PackageRef { project: source, package, commit } = new.package;
    let absent = |field: &'static str| move || Error::broken(new.field(field), Rule::Exists);
    let source = reach(tx, call, source).await?.ok_or_else(absent("projectId"))?;
    let found = packages::find(tx, &source, package, commit).await?.ok_or_else(absent("packageId"))?;
    let commit_hash = match commit {
        Some(commit) => commit,
        None => found.commit_hash.parse().map_err(Error::internal)?,
    };
    let include = Include { project_id: source.record.id, package_id: package, commit_hash };
    refuse_cycle(tx, project, &include).await?;

    let id = project.record.id;
    let branch = locks::lock(tx, project).await?;
    if new.parent != id.into() && branch_objects::find(tx, id, &branch, new.parent).await?.is_none() {
        return Err(Error::invalid("parent", Rule::Exists, "is not in the tree"));
    }
    let name = new.name.clone().unwrap_or_else(|| found.name.clone());
    check_name("name", &name)?;
    let object = Object {
        id: ObjectId::new(call.now),
        name,
        object_type: INCLUDE_TYPE.to_owned(),
        parent: new.parent,
        kind: None,
        file: None,
        include: Some(include.clone()),
        data: Map::new(),
    };
    let change = ChangeContext { branch: branch.id, user: project.user, now: call.now };
    let defaults = custom_fields::object_defaults(tx, id).await?;
    objects::add(tx, &change, std::slice::from_ref(&object), &defaults).await?;
    notify(tx, project, call, &ObjectsChanged::one("added", object.id)).await?;
    Ok(record(&object, include, Some(found)))
}

/// An include of the witness' branch, with the package's tree at its pin if the caller reaches it.
///
/// # Errors
/// `NOT_FOUND` if the tree has no such include.
pub async fn get(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    call: &Call<ProjectRead>,
    object: ObjectId,
) -> Result<(IncludeRecord, Option<Tree>)> {
    let (object, include) = find(tx, project, object).await?;
    let pinned = Some(include.commit_hash);
    let Some(source) = reach(tx, call, include.project_id).await? else {
        return Ok((record(&object, include, None), None));
    };
    let package = packages::find(tx, &source, include.package_id, pinned).await?;
    let tree = match &package {
        Some(_) => Some(packages::content(tx, &source, include.package_id, include.commit_hash).await?),
        None => None,
    };
    Ok((record(&object, include, package), tree))
}

/// An include of the witness' branch, which is locked until the transaction ends.
///
/// # Errors
/// `NOT_FOUND` if the tree has no such include.
pub async fn hold(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    object: ObjectId,
) -> Result<IncludeRecord> {
    let branch = locks::lock(tx, project).await?;
    let (object, include) = as_include(branch_objects::find(tx, project.record.id, &branch, object).await?)?;
    let package = match reach(tx, call, include.project_id).await? {
        Some(source) => packages::find(tx, &source, include.package_id, Some(include.commit_hash)).await?,
        None => None,
    };
    Ok(record(&object, include, package))
}

/// Pins an include of the witness' branch to another commit at which its package was published.
///
/// # Errors
/// `NOT_FOUND` if the tree has no such include; `INVALID_REQUEST` if the caller reaches no such version of its package;
/// `INCLUDE_CYCLE` if that leads back to this project.
pub async fn pin(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    object: ObjectId,
    commit: CommitHash,
) -> Result<IncludeRecord> {
    let branch = locks::lock(tx, project).await?;
    let mut at_branch =
        branch_objects::find_all(tx, project.record.id, &branch, HashSet::from([object])).await?;
    let found = at_branch.remove(&object).ok_or_else(Error::not_found)?;
    let is_committed = matches!(found, BranchObject::Committed(_));
    let (old, include) = as_include(found.object())?;
    let include = Include { commit_hash: commit, ..include };
    let absent = || Error::broken("commitHash", Rule::Exists);
    let source = reach(tx, call, include.project_id).await?.ok_or_else(absent)?;
    let package = packages::find(tx, &source, include.package_id, Some(commit)).await?;
    let package = package.ok_or_else(absent)?;
    refuse_cycle(tx, project, &include).await?;
    let new = Object { include: Some(include.clone()), ..old.clone() };
    let change = ChangeContext { branch: branch.id, user: project.user, now: call.now };
    let value = |object: &Object| serde_json::to_value(object).map_err(Error::internal);
    let head = is_committed.then(|| value(&old)).transpose()?;
    let state = NewState { object: new.id, record: Some(value(&new)?), head };
    draft::write(tx, &change, vec![state]).await?;
    notify(tx, project, call, &ObjectsChanged::one("changed", new.id)).await?;
    Ok(record(&new, include, Some(package)))
}

/// The project of an include; `None` if the caller does not reach it. An absent and a hidden project look the same.
pub(crate) async fn reach<P>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
) -> Result<Option<Project<ProjectRead>>> {
    let at = ProjectRef { project, branch: None };
    match at.resolve(tx, &call.to_read()?).await {
        Ok(project) => Ok(Some(project)),
        Err(error) if error.code == Code::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

async fn find(tx: &mut Tx, project: &Project<ProjectRead>, object: ObjectId) -> Result<(Object, Include)> {
    as_include(branch_objects::find(tx, project.record.id, &project.branch, object).await?)
}

/// The include of an object. Its type must say so too: trees show only the type.
fn as_include(object: Option<Object>) -> Result<(Object, Include)> {
    let object = object.filter(|object| object.object_type == INCLUDE_TYPE).ok_or_else(Error::not_found)?;
    let include = object.include.clone().ok_or_else(Error::not_found)?;
    Ok((object, include))
}

/// Refuses an include that leads back to the project. Published versions never change, so concurrent includes can't close a
/// cycle.
async fn refuse_cycle(tx: &mut Tx, project: &Project<ProjectWrite>, include: &Include) -> Result<()> {
    if packages::leads_to(tx, include, project.record.id).await? {
        let message = "The package includes something of this project, so that it would include itself.";
        return Err(Error::new(Code::IncludeCycle, message).with_details(json!({
            "projectId": include.project_id, "packageId": include.package_id, "commitHash": include.commit_hash,
        })));
    }
    Ok(())
}

fn record(object: &Object, include: Include, package: Option<Package>) -> IncludeRecord {
    IncludeRecord {
        id: object.id,
        name: object.name.clone(),
        parent: object.parent,
        include,
        available: package.is_some(),
        package,
    }
}
