//! Access to a project, for its owner, its members, its organization's members, or everyone if it is public.

use std::marker::PhantomData;

use auth::actor::{Actor, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::projects;
use diesel::sql_types::{BigInt, Binary, Nullable, Text, Uuid as SqlUuid};
use domain::content::object::CommitHash;
use domain::content::project::{BranchName, ProjectName, ProjectRecord, ProjectRef, Visibility};
use domain::id::{OrganizationId, ProjectId, UserId};
use domain::people::permission::Permissions;
use domain::people::role::{OrganizationRole, ProjectRole};
use domain::text::Prompt;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::rows::project::ProjectRow;
use crate::access::{Parent, Target, decide};

/// A project on which the caller may do `P`, at one branch.
#[derive(Clone, Debug)]
pub struct Project<P> {
    /// The project's record.
    pub record: ProjectRecord,
    /// The prompt that was staged at the project's creation.
    pub initial_prompt: Option<Prompt>,
    /// The organization that owns the project, if one does.
    pub organization: Option<OrganizationId>,
    /// The branch that the request names, or the default branch.
    pub branch: Branch,
    /// The acting user.
    pub user: UserId,
    /// Everything that the caller may do on the project with this credential.
    pub permissions: Permissions,
    needs: PhantomData<fn() -> P>,
}

/// A branch of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub(crate) id: Uuid,
    /// The branch's name.
    pub name: BranchName,
    /// The commit that the branch points to; `None` before the first.
    pub head: Option<CommitHash>,
    /// Counts the changes of the head and of the uncommitted state.
    pub revision: i64,
}

impl Branch {
    /// A branch of this name that has nothing but a commit.
    pub(crate) fn without_changes(name: BranchName, head: Option<CommitHash>) -> Self {
        // No branch has this id, so none has working changes under it.
        Self { id: Uuid::nil(), name, head, revision: 0 }
    }
}

impl<P> Project<P> {
    /// Protects the project's list of branches and its default branch from changes until the transaction ends; returns the
    /// name of the default branch. The content of branches may change. No session is opened meanwhile.
    pub(crate) async fn hold_branches(&self, connection: &Connection) -> Result<String> {
        projects::table
            .find(self.record.id.0)
            .select(projects::default_branch)
            .for_no_key_update()
            .first(connection)
            .await
            .optional()?
            .ok_or_else(Error::not_found)
    }
}

impl<P: Requirement> Target<P> for ProjectRef {
    type Witness = Project<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Project<P>> {
        let rows: Vec<FoundProject> = Statement::new(include_str!("project.sql"))
            .bind::<SqlUuid, _>(self.project.0)
            .bind::<SqlUuid, _>(call.actor.user.0)
            .bind::<Nullable<Text>, _>(self.branch.as_ref().map(BranchName::as_str))
            .load(connection)
            .await?;
        rows.into_iter().next().ok_or_else(Error::not_found)?.decide(call)
    }
}

impl<P: Requirement> Target<P> for ProjectName {
    type Witness = Project<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Project<P>> {
        let rows: Vec<FoundProject> = Statement::new(include_str!("project_by_name.sql"))
            .bind::<Text, _>(self.owner.as_str())
            .bind::<SqlUuid, _>(call.actor.user.0)
            .bind::<Nullable<Text>, _>(self.branch.as_ref().map(BranchName::as_str))
            .bind::<Text, _>(self.project.as_str())
            .load(connection)
            .await?;
        rows.into_iter().next().ok_or_else(Error::not_found)?.decide(call)
    }
}

impl<P: Requirement> Parent<P> for ProjectRef {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.project.0)
    }
}

/// The columns that decide access to a project, as `project.sql`, `linked_projects.sql` and `reachable.sql` select them.
#[derive(QueryableByName)]
pub(crate) struct ProjectAccessRow {
    #[diesel(sql_type = SqlUuid)]
    pub(crate) owner_id: Uuid,
    #[diesel(sql_type = Text)]
    pub(crate) owner_kind: String,
    #[diesel(sql_type = Text)]
    pub(crate) visibility: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) project_role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) organization_role: Option<String>,
}

/// A project with one branch and the columns that decide access, as `project.sql` selects them.
#[derive(QueryableByName)]
pub(crate) struct FoundProject {
    #[diesel(embed)]
    project: ProjectRow,
    #[diesel(embed)]
    reach: ProjectAccessRow,
    #[diesel(sql_type = Nullable<Text>)]
    initial_prompt: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    branch_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    branch_name: Option<String>,
    #[diesel(sql_type = Nullable<Binary>)]
    branch_head: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    branch_revision: Option<i64>,
}

impl ProjectAccessRow {
    /// The caller's greatest role on the project; `None` if it does not see the project.
    pub(crate) fn role(&self, project: ProjectId, actor: &Actor) -> Result<Option<ProjectRole>> {
        if self.is_within(project, actor) { self.users_role(actor) } else { Ok(None) }
    }

    /// The greatest role of the caller's user, also beyond the reach of the credential.
    pub(crate) fn users_role(&self, actor: &Actor) -> Result<Option<ProjectRole>> {
        let visibility = self.visibility()?;
        let as_owner = (self.owner_id == actor.user.0).then_some(ProjectRole::Manager);
        let as_member = self.project_role.as_deref().map(decode::parse::<ProjectRole>).transpose()?;
        let in_organization =
            self.organization_role.as_deref().map(decode::parse::<OrganizationRole>).transpose()?;
        // A public project is internal to its organization, too.
        let through_organization =
            in_organization.and_then(|role| role.on_project(visibility != Visibility::Private));
        let as_anyone = (visibility == Visibility::Public).then_some(ProjectRole::Viewer);
        Ok([as_owner, as_member, through_organization, as_anyone].into_iter().flatten().max())
    }

    /// The project's visibility.
    pub(crate) fn visibility(&self) -> Result<Visibility> {
        decode::text(&self.visibility)
    }

    /// `true` if the credential reaches the project, independent of its user's roles.
    pub(crate) fn is_within(&self, project: ProjectId, actor: &Actor) -> bool {
        actor.reaches_project(project, self.organization())
    }

    /// The organization that owns the project, if one does.
    fn organization(&self) -> Option<OrganizationId> {
        (self.owner_kind == "organization").then_some(OrganizationId(self.owner_id))
    }
}

impl FoundProject {
    /// The witness, if the caller may do `P` on the project.
    pub(crate) fn decide<P: Requirement>(self, call: &Call<P>) -> Result<Project<P>> {
        let role = self.reach.role(ProjectId(self.project.id), &call.actor)?;
        let permissions = decide(call, role.map(ProjectRole::permissions))?;
        self.witness(call.actor.user, permissions)
    }

    fn witness<P>(self, user: UserId, permissions: Permissions) -> Result<Project<P>> {
        // A missing branch is reported as a missing project.
        let (Some(id), Some(name), Some(revision)) = (self.branch_id, self.branch_name, self.branch_revision)
        else {
            return Err(Error::not_found());
        };
        let head = self.branch_head.as_deref().map(decode::commit_hash).transpose()?;
        Ok(Project {
            organization: self.reach.organization(),
            record: self.project.record()?,
            initial_prompt: self.initial_prompt.map(decode::bounded).transpose()?,
            branch: Branch { id, name: decode::parse(&name)?, head, revision },
            user,
            permissions,
            needs: PhantomData,
        })
    }
}
