//! Public packages: parts of a project that other projects can include, pinned to commits of a branch.
//!
//! Publication grants no access: a reader of a package needs access to its project.

use auth::actor::{ProjectManage, ProjectRead, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::packages;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::object::{CommitHash, INCLUDE_TYPE, Include, Object, PACKAGE_TYPE, Tree, TreeNode};
use domain::content::package::{Package, PackageRef};
use domain::event::change::ChangeData;
use domain::event::change::data::PackageEventData;
use domain::id::{ObjectId, ProjectId};
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::{Error, Result, Rule};
use git::{ObjectRecord, Walk};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::audit;
use crate::resources::branch_objects;
use crate::resources::content::{locks, tree};
use crate::resources::git_objects;
use crate::resources::outbox::NewChangeEvent;
use crate::resources::store::Tx;

/// The packages that are published on the witness' branch after `after`, by name and id.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    after: Option<&(Name, ObjectId)>,
    rows: u32,
) -> Result<Vec<Package>> {
    let rows: Vec<PackageRow> = Statement::new(include_str!("packages/list.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .bind::<Nullable<Text>, _>(after.map(|(name, _)| name.as_str()))
        .bind::<Nullable<SqlUuid>, _>(after.map(|(_, object)| object.0))
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx)
        .await?;
    rows.into_iter().map(PackageRow::package).collect()
}

/// A published package of the project. With `commit`, it was once published at that commit, on any branch; without, it is
/// published on the witness' branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find<P: Requirement>(
    tx: &mut Tx,
    project: &Project<P>,
    object: ObjectId,
    commit: Option<CommitHash>,
) -> Result<Option<Package>> {
    let rows: Vec<PackageRow> = Statement::new(include_str!("packages/find.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(object.0)
        .bind::<Nullable<Binary>, _>(commit.map(|commit| commit.0.to_vec()))
        .bind::<SqlUuid, _>(project.branch.id)
        .load(tx)
        .await?;
    rows.into_iter().next().map(PackageRow::package).transpose()
}

/// A package as it is published on the witness' branch; it stays so until the transaction ends.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn hold(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    object: ObjectId,
) -> Result<Option<Package>> {
    locks::hold_project(tx, project).await?;
    let _held: Option<Uuid> = packages::table
        .find((project.branch.id, object.0))
        .select(packages::object_id)
        .for_update()
        .first(tx)
        .await
        .optional()?;
    let found = find(tx, project, object, None).await?;
    Ok(found.filter(|package| package.branch == project.branch.name))
}

/// The tree of a package at a commit at which it was published. The package comes first.
///
/// # Errors
/// `INTERNAL_ERROR` if the content is corrupt.
pub async fn content(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    object: ObjectId,
    commit: CommitHash,
) -> Result<Tree> {
    let committed = tree::committed(tx, project.record.id, Some(commit)).await?;
    let nodes = committed.subtree(object).unwrap_or_default().to_vec();
    Ok(Tree { object_count: count(&nodes)?, tree: nodes })
}

/// Publishes a package of the witness' branch at its head. A published package moves to the head.
///
/// # Errors
/// `NOT_FOUND` if the object is not in the tree; `INVALID_REQUEST` if it is not a package, or not in the head.
pub async fn publish(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    object: ObjectId,
    description: &Description,
) -> Result<Package> {
    let (id, branch) = (project.record.id, &project.branch);
    locks::hold_project(tx, project).await?;
    let committed = match branch.head {
        Some(head) => {
            let committed = tree::committed(tx, id, branch.head).await?;
            Some((head, committed.subtree(object).unwrap_or_default().to_vec()))
        }
        None => None,
    };
    let Some((head, nodes)) = committed.filter(|(_, nodes)| !nodes.is_empty()) else {
        branch_objects::find(tx, id, branch, object).await?.ok_or_else(Error::not_found)?;
        return Err(invalid_package(Rule::Exists, "is not in the branch's last commit"));
    };
    let Some(package) = nodes.as_slice().first().filter(|node| node.object_type == PACKAGE_TYPE) else {
        return Err(invalid_package(Rule::State, "is not of type `Package`"));
    };
    let object_count = count(&nodes)?;
    Statement::new(include_str!("packages/publish.sql"))
        .bind::<SqlUuid, _>(branch.id)
        .bind::<SqlUuid, _>(object.0)
        .bind::<SqlUuid, _>(id.0)
        .bind::<Text, _>(description.as_str())
        .bind::<Binary, _>(head.0.to_vec())
        .bind::<Timestamptz, _>(call.now.0)
        .bind::<Text, _>(package.name.as_str())
        .bind::<BigInt, _>(i64::try_from(object_count).map_err(Error::internal)?)
        .bind::<SqlUuid, _>(project.user.0)
        .execute(tx)
        .await?;
    record_includes(tx, project, (object, head), &nodes).await?;
    audit::record(tx, call, object.0).await?;
    let data = PackageEventData { package_id: object, branch: branch.name.clone() };
    tx.publish(NewChangeEvent::of_project(call, id, ChangeData::PackagePublished(data)));
    let reference = PackageRef { project: id, package: object, commit: Some(head) };
    Ok(Package {
        id: object,
        name: package.name.clone(),
        description: description.clone(),
        branch: branch.name.clone(),
        commit_hash: head.to_string(),
        object_count,
        updated_at: call.now,
        reference: reference.to_string(),
    })
}

/// Withdraws a package with all its versions from the witness' branch. Includes of it become unavailable.
///
/// # Errors
/// `NOT_FOUND` if it is not published.
pub async fn withdraw(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    object: ObjectId,
) -> Result<()> {
    locks::hold_project(tx, project).await?;
    let withdrawn = diesel::delete(packages::table.find((project.branch.id, object.0))).execute(tx).await?;
    if withdrawn == 0 {
        return Err(Error::not_found());
    }
    let data = PackageEventData { package_id: object, branch: project.branch.name.clone() };
    let change = ChangeData::PackageWithdrawn(data);
    tx.publish(NewChangeEvent::of_project(call, project.record.id, change));
    audit::record(tx, call, object.0).await
}

/// `true` if a version of a package belongs to a project or includes anything of it, over any number of other packages.
pub(crate) async fn leads_to(tx: &mut Tx, include: &Include, project: ProjectId) -> Result<bool> {
    let row: ExistsRow = Statement::new(include_str!("packages/leads_to.sql"))
        .bind::<SqlUuid, _>(include.project_id.0)
        .bind::<SqlUuid, _>(include.package_id.0)
        .bind::<Binary, _>(include.commit_hash.0.to_vec())
        .bind::<SqlUuid, _>(project.0)
        .get_result(tx)
        .await?;
    Ok(row.found)
}

/// Records the includes of a version.
async fn record_includes(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    version: (ObjectId, CommitHash),
    nodes: &[TreeNode],
) -> Result<()> {
    let (object, commit) = version;
    let ids: Vec<ObjectId> =
        nodes.iter().filter(|node| node.object_type == INCLUDE_TYPE).map(|node| node.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let walk = Walk::only(commit, ids);
    let found: Vec<Object> = git_objects::walk(tx, project.record.id, walk, ObjectRecord::object).await?;
    let includes: Vec<Include> = found.into_iter().filter_map(|object| object.include).collect();
    let commits: Vec<Vec<u8>> = includes.iter().map(|include| include.commit_hash.0.to_vec()).collect();
    Statement::new(include_str!("packages/includes.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .bind::<SqlUuid, _>(object.0)
        .bind::<Binary, _>(commit.0.to_vec())
        .bind::<Array<SqlUuid>, _>(includes.iter().map(|i| i.project_id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(includes.iter().map(|i| i.package_id.0).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(commits)
        .execute(tx)
        .await?;
    Ok(())
}

fn count(nodes: &[TreeNode]) -> Result<u64> {
    u64::try_from(nodes.len()).map_err(Error::internal)
}

fn invalid_package(rule: Rule, message: &str) -> Error {
    Error::invalid("packageId", rule, message)
}

#[derive(QueryableByName)]
struct ExistsRow {
    #[diesel(sql_type = Bool)]
    found: bool,
}

#[derive(QueryableByName)]
struct PackageRow {
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    branch: String,
    #[diesel(sql_type = Binary)]
    commit_hash: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    object_count: i64,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
}

impl PackageRow {
    fn package(self) -> Result<Package> {
        let (package, commit) = (ObjectId(self.object_id), decode::commit_hash(&self.commit_hash)?);
        let reference = PackageRef { project: ProjectId(self.project_id), package, commit: Some(commit) };
        Ok(Package {
            id: package,
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            branch: decode::parse(&self.branch)?,
            commit_hash: commit.to_string(),
            object_count: u64::try_from(self.object_count).map_err(Error::internal)?,
            updated_at: Timestamp::from(self.updated_at),
            reference: reference.to_string(),
        })
    }
}
