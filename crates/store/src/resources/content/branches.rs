//! Branches: names for commits, each with its own working changes.

use auth::actor::{ProjectManage, ProjectRead, ProjectWrite};
use database::decode;
use database::prelude::*;
use database::schema::{branches, packages, projects};
use diesel::dsl::exists;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::commit::BranchRecord;
use domain::content::compare::Point;
use domain::content::object::CommitHash;
use domain::content::project::BranchName;
use domain::event::change::ChangeData;
use domain::event::change::data::BranchEventData;
use domain::id::{ProjectId, SessionId};
use domain::people::permission::Permission;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::audit;
use crate::resources::content::compare;
use crate::resources::limits;
use crate::resources::outbox::NewChangeEvent;
use crate::resources::store::Tx;
use crate::resources::work::sessions;

/// A branch to be created.
#[derive(Clone, Debug)]
pub struct NewBranch {
    /// Unique in the project.
    pub name: BranchName,
    /// The commit to start at; `None`: the head of the witness' branch.
    pub commit: Option<CommitHash>,
}

/// Creates a branch at a commit, without working changes. The cost does not depend on the size of the project, which has at
/// most `limit` branches.
///
/// # Errors
/// `LIMIT_REACHED`;
/// `BRANCH_CONFLICT` if the name is taken, is a folder of another name or lies in one, or if there is no commit to start at;
/// `INVALID_REQUEST` at `fromCommit` if the project has no such commit.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    new: &NewBranch,
    limit: u32,
) -> Result<BranchRecord> {
    project.hold_branches(tx).await?;
    let of_project = branches::table.filter(branches::project_id.eq(project.record.id.0));
    let current: i64 = of_project.count().get_result(tx).await?;
    limits::refuse_over("branches", limit, current)?;
    let commit = match new.commit {
        Some(commit) => {
            let found = compare::resolve(tx, project, &Point::Commit(commit)).await;
            found.map_err(|error| error.named_by("fromCommit"))?
        }
        None => project.branch.head,
    };
    let commit = commit.ok_or_else(|| {
        Error::new(Code::BranchConflict, "The branch to start from has no commit yet.")
            .with_details(json!({ "branch": project.branch.name }))
    })?;
    refuse_conflicting(tx, project, &new.name).await?;
    let id = insert(tx, project.record.id, &new.name, Some(commit), call.now).await?;
    audit::record(tx, call, id).await?;
    let change = ChangeData::BranchCreated(BranchEventData { branch: new.name.clone() });
    tx.publish(NewChangeEvent::of_project(call, project.record.id, change));
    Ok(BranchRecord {
        name: new.name.clone(),
        commit_hash: commit,
        is_default: false,
        has_changes: false,
        created_at: call.now,
    })
}

/// The project's branches after `after`, by name.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    after: Option<&BranchName>,
    rows: u32,
) -> Result<Vec<BranchRecord>> {
    let rows: Vec<BranchRow> = Statement::new(include_str!("branches/list.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<Text>, _>(after.map(BranchName::as_str))
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx)
        .await?;
    rows.into_iter().map(|row| row.record(project)).collect()
}

/// The record of the witness' branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get<P>(tx: &mut Tx, project: &Project<P>) -> Result<BranchRecord> {
    let row: BranchRow = Statement::new(include_str!("branches/get.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .get_result(tx)
        .await?;
    row.record(project)
}

/// Deletes the witness' branch with its working changes and published packages, and closes its sessions, which it returns. Its
/// commits stay readable by their hashes. `condition` is checked on the locked branch.
///
/// # Errors
/// `BRANCH_CONFLICT` if it is the default branch; `INSUFFICIENT_SCOPE`, `FORBIDDEN` if it publishes packages that the
/// caller may not withdraw;
/// `NOT_FOUND` if it was deleted meanwhile; those of `condition`.
pub async fn delete(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    condition: impl FnOnce(BranchRecord) -> Result<()>,
) -> Result<Vec<SessionId>> {
    let default = project.hold_branches(tx).await?;
    if default == project.branch.name.as_str() {
        return Err(Error::new(Code::BranchConflict, "The default branch can't be deleted.")
            .with_details(json!({ "branch": project.branch.name })));
    }
    let closed = sessions::close_all(tx, project, call).await?;
    // Locked before the check below: a package that is being published already refers to the branch.
    let locked: Option<Uuid> = branches::table
        .find(project.branch.id)
        .select(branches::id)
        .for_update()
        .first(tx)
        .await
        .optional()?;
    locked.ok_or_else(Error::not_found)?;
    condition(get(tx, project).await?)?;
    if !project.permissions.contains(Permission::ProjectManage) && has_packages(tx, project).await? {
        call.also::<ProjectManage>()?;
        return Err(Error::forbidden());
    }
    let deleted = diesel::delete(branches::table.find(project.branch.id)).execute(tx).await?;
    if deleted != 1 {
        return Err(Error::internal("a locked branch is gone"));
    }
    // What happened on the branch is deleted with it; the project's last change must not lie further back than before.
    diesel::update(projects::table.find(project.record.id.0))
        .set(projects::updated_at.eq(call.now.0))
        .execute(tx)
        .await?;
    audit::record(tx, call, project.branch.id).await?;
    let change = ChangeData::BranchDeleted(BranchEventData { branch: project.branch.name.clone() });
    tx.publish(NewChangeEvent::of_project(call, project.record.id, change));
    Ok(closed)
}

/// `true` if packages are published on the witness' branch.
async fn has_packages(tx: &mut Tx, project: &Project<ProjectWrite>) -> Result<bool> {
    let published = packages::table.filter(packages::branch_id.eq(project.branch.id));
    diesel::select(exists(published)).get_result(tx).await.map_err(Error::from)
}

/// Inserts a branch's row; returns its id.
pub(crate) async fn insert(
    tx: &mut Tx,
    project: ProjectId,
    name: &BranchName,
    head: Option<CommitHash>,
    now: Timestamp,
) -> Result<Uuid> {
    let id = Uuid::new_v4();
    diesel::insert_into(branches::table)
        .values((
            branches::id.eq(id),
            branches::project_id.eq(project.0),
            branches::name.eq(name.as_str()),
            branches::head.eq(head.map(|head| head.0.to_vec())),
            branches::revision.eq(0),
            branches::created_at.eq(now.0),
            branches::changed_at.eq(now.0),
        ))
        .execute(tx)
        .await?;
    Ok(id)
}

/// Refuses a name that conflicts with another branch's. Git keeps branches as files: `a` excludes `a/b`.
async fn refuse_conflicting(tx: &mut Tx, project: &Project<ProjectWrite>, name: &BranchName) -> Result<()> {
    let conflicting: Option<NameRow> = Statement::new(include_str!("branches/find_conflicting.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Text, _>(name.as_str())
        .get_result(tx)
        .await
        .optional()?;
    match conflicting {
        None => Ok(()),
        Some(NameRow { name }) => Err(Error::new(
            Code::BranchConflict,
            "There is a branch of this name, or one that Git can't keep beside it.",
        )
        .with_details(json!({ "branch": name }))),
    }
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct BranchRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Binary>)]
    head: Option<Vec<u8>>,
    #[diesel(sql_type = Bool)]
    has_changes: bool,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl BranchRow {
    fn record<P>(self, project: &Project<P>) -> Result<BranchRecord> {
        let name: BranchName = decode::parse(&self.name)?;
        let head = self.head.as_deref().map(decode::commit_hash).transpose()?;
        Ok(BranchRecord {
            is_default: name == project.record.default_branch,
            name,
            commit_hash: head.unwrap_or(CommitHash::ZERO),
            has_changes: self.has_changes,
            created_at: Timestamp::from(self.created_at),
        })
    }
}
