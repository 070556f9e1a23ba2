//! Projects: create, list, change, delete. Their content is in `content`, their change of owner in `transfer`.

mod keys;
mod refolding;
pub mod transfer;

use auth::actor::{ProjectManage, ProjectRead, ProjectWrite};
use database::decode;
use database::prelude::*;
use database::schema::{project_members, projects, sessions};
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::compare::Point;
use domain::content::project::{BranchName, ProjectOrder, ProjectPosition, ProjectRecord, Visibility};
use domain::event::change::ChangeData;
use domain::event::change::data::{ProjectEventData, TeamEventData};
use domain::id::{OwnerId, ProjectId, SessionId, UserId};
use domain::key::ProjectKey;
use domain::people::role::ProjectRole;
use domain::search::{fold, fold_case};
use domain::text::{Description, Name, Prompt, Slug};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::owner::Owner;
use crate::access::project::Project;
use crate::access::rows::project::ProjectRow;
use crate::access::user::User;
use crate::resources::audit;
use crate::resources::content;
use crate::resources::kept_addresses::{self, GivenUpAddress};
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::planning::sprints::departure;
use crate::resources::store::Tx;

/// Numbered variants of a taken slug that are tried before a variant with the project's id.
const SLUG_VARIANTS: u32 = 9;
/// The slug of a name without a letter or digit for URLs.
const SLUG_FALLBACK: &str = "project";

/// A project to be created.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// Also the source of the slug.
    pub name: Name,
    /// Begins the keys of its cards; derived from the name if absent.
    pub key: Option<ProjectKey>,
    /// Description.
    pub description: Description,
    /// The users who may see it.
    pub visibility: Visibility,
    /// The prompt of the creator's first session.
    pub initial_prompt: Option<Prompt>,
    /// Start the branch without a commit, with uncommitted reserved packages.
    pub skip_initial_commit: bool,
}

/// A project as it was created.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CreatedProject {
    /// Its record.
    pub record: ProjectRecord,
}

/// Changes of a project. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectChanges {
    /// Does not change the slug, so addresses stay valid.
    pub name: Option<Name>,
    /// Begins the keys of its cards. The one before goes on naming them.
    pub key: Option<ProjectKey>,
    /// Description.
    pub description: Option<Description>,
    /// The users who may see it.
    pub visibility: Option<Visibility>,
    /// The branch that a bare project id means.
    pub default_branch: Option<BranchName>,
}

/// A page of the caller's projects.
#[derive(Clone, Debug)]
pub struct ProjectFilter<'a> {
    /// Only those of this owner.
    pub owner: Option<OwnerId>,
    /// Only those with this slug.
    pub slug: Option<&'a Slug>,
    /// Only those whose name contains this text, both folded.
    pub q: Option<&'a str>,
    /// The order.
    pub order: ProjectOrder,
    /// Only those after this one in the order.
    pub after: Option<ProjectPosition>,
    /// Most rows.
    pub rows: u32,
}

/// Creates a project with its first commit, its reserved packages, and nothing else. Its creator manages it: as a member,
/// unless the creator manages every project of the owner.
///
/// `default_limit` is the most projects of an owner without a limit of its own.
///
/// # Errors
/// `PROJECT_LIMIT_REACHED`; `PROJECT_KEY_TAKEN`.
pub async fn create(
    tx: &mut Tx,
    owner: &Owner,
    call: &Call<ProjectWrite>,
    new: &NewProject,
    default_limit: u32,
) -> Result<CreatedProject> {
    refuse_over_limit(tx, owner, default_limit).await?;
    let id = ProjectId::new(call.now);
    let slug =
        free_slug(tx, owner, Slug::from_text(new.name.as_str(), SLUG_FALLBACK), (id, call.now)).await?;
    diesel::insert_into(projects::table)
        .values((
            projects::id.eq(id.0),
            projects::owner_id.eq(owner.id.0),
            projects::name.eq(new.name.as_str()),
            projects::folded_name.eq(fold(new.name.as_str())),
            projects::slug.eq(slug.as_str()),
            projects::description.eq(new.description.as_str()),
            projects::visibility.eq(encode(new.visibility)),
            projects::initial_prompt.eq(new.initial_prompt.as_ref().map(Prompt::as_str)),
            projects::default_branch.eq(BranchName::main().as_str()),
            projects::created_by.eq(owner.user.0),
            projects::created_at.eq(call.now.0),
            projects::updated_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    let key = keys::choose(tx, (owner.id, id), &new.name, new.key.as_ref(), call.now).await?;
    if !owner.manages_projects() {
        make_manager(tx, id, owner.user, call.now).await?;
    }
    content::initialise(tx, id, owner.user, call.now, new.skip_initial_commit).await?;
    audit::record(tx, call, id.0).await?;
    let record = ProjectRecord {
        id,
        name: new.name.clone(),
        description: new.description.clone(),
        key: Some(key),
        project_slug: slug,
        owner_id: owner.id,
        owner_slug: owner.slug.clone(),
        visibility: new.visibility,
        default_branch: BranchName::main(),
        created_by: owner.user,
        created_at: call.now,
        updated_at: call.now,
    };
    Ok(CreatedProject { record })
}

/// The projects of the caller as owner, member, or member of an organization, in an order.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    user: &User<ProjectRead>,
    filter: &ProjectFilter<'_>,
) -> Result<Vec<ProjectRecord>> {
    let confinement = user.actor.confinement.as_ref();
    let confined_projects = confinement.map(|to| to.projects.iter().map(|id| id.0).collect::<Vec<_>>());
    let confined_owners = confinement.map(|to| to.organizations.iter().map(|id| id.0).collect::<Vec<_>>());
    let rows: Vec<ProjectRow> = Statement::new(include_str!("projects/list.sql"))
        .bind::<SqlUuid, _>(user.id().0)
        .bind::<Nullable<Array<SqlUuid>>, _>(confined_projects)
        .bind::<Nullable<Array<SqlUuid>>, _>(confined_owners)
        .bind::<Nullable<SqlUuid>, _>(filter.owner.map(|id| id.0))
        .bind::<Nullable<Text>, _>(filter.q.map(fold))
        .bind::<Nullable<SqlUuid>, _>(filter.after.map(|position| position.id.0))
        .bind::<BigInt, _>(i64::from(filter.rows))
        .bind::<Nullable<Text>, _>(filter.slug.map(Slug::as_str))
        .bind::<Bool, _>(filter.order == ProjectOrder::Updated)
        .bind::<Nullable<Timestamptz>, _>(filter.after.map(|position| position.updated_at.0))
        .bind::<Nullable<Text>, _>(filter.q.map(fold_case))
        .load(tx)
        .await?;
    rows.into_iter().map(ProjectRow::record).collect()
}

/// A project's record, which stays as it is until the transaction ends.
///
/// # Errors
/// `NOT_FOUND` if it was deleted meanwhile.
pub async fn hold(tx: &mut Tx, project: &Project<ProjectManage>) -> Result<ProjectRecord> {
    let columns: Option<ChangeableColumns> = projects::table
        .find(project.record.id.0)
        .select(ChangeableColumns::as_select())
        .for_no_key_update()
        .first(tx)
        .await
        .optional()?;
    columns.ok_or_else(Error::not_found)?.of(project)
}

/// Changes a project's record.
///
/// # Errors
/// `NOT_FOUND` if it was deleted meanwhile; `INVALID_REQUEST` if it has no branch with the name of the new default;
/// `PROJECT_KEY_TAKEN`.
pub async fn update(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    changes: &ProjectChanges,
) -> Result<ProjectRecord> {
    if let Some(key) = &changes.key {
        let (owner, id) = (project.record.owner_id, project.record.id);
        // In the order of locks of a transfer: the project, its owner.
        hold(tx, project).await?;
        keys::hold_owner(tx, owner).await?;
        keys::claim(tx, (owner, id), key, call.now).await?;
    }
    let written: Option<ChangeableColumns> = diesel::update(projects::table.find(project.record.id.0))
        .set((
            changes.name.as_ref().map(|name| projects::name.eq(name.as_str().to_owned())),
            changes.name.as_ref().map(|name| projects::folded_name.eq(fold(name.as_str()))),
            changes.description.as_ref().map(|text| projects::description.eq(text.as_str().to_owned())),
            changes.visibility.map(|visibility| projects::visibility.eq(encode(visibility))),
            changes.default_branch.as_ref().map(|name| projects::default_branch.eq(name.as_str().to_owned())),
            projects::updated_at.eq(call.now.0),
        ))
        .returning(ChangeableColumns::as_returning())
        .get_result(tx)
        .await
        .optional()?;
    // A concurrent change may have set the other fields.
    let record = written.ok_or_else(Error::not_found)?.of(project)?;
    if let Some(branch) = &changes.default_branch {
        // The update has locked the project's row, so the branch can't be deleted meanwhile.
        let found = content::compare::resolve(tx, project, &Point::Branch(branch.clone())).await;
        found.map_err(|error| error.named_by("defaultBranch"))?;
    }
    audit::record(tx, call, record.id.0).await?;
    let fields = changed_fields(&project.record, &record)?;
    if !fields.is_empty() {
        publish_update(tx, call, record.id, fields);
    }
    Ok(record)
}

/// Publishes that these fields of a project changed.
pub(super) fn publish_update<P>(tx: &mut Tx, call: &Call<P>, project_id: ProjectId, fields: Vec<String>) {
    let data = ProjectEventData { project_id, team_id: None, fields };
    tx.publish(NewChangeEvent::of_project(call, project_id, ChangeData::ProjectUpdated(data)));
}

/// Deletes a project with all its content; returns its open sessions. The data plane's sweep removes its blobs, which no row
/// refers to any more. `condition` is checked on the locked record.
///
/// # Errors
/// `NOT_FOUND` if it was deleted meanwhile; those of `condition`.
pub async fn delete(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    condition: impl FnOnce(ProjectRecord) -> Result<()>,
) -> Result<Vec<SessionId>> {
    let id = project.record.id;
    let teams = departure::record(tx, id, call.now).await?;
    // The lock prevents new sessions, so the list below is complete.
    let locked: Option<ChangeableColumns> = projects::table
        .find(id.0)
        .select(ChangeableColumns::as_select())
        .for_update()
        .first(tx)
        .await
        .optional()?;
    condition(locked.ok_or_else(Error::not_found)?.of(project)?)?;
    let open: Vec<Uuid> = sessions::table
        .filter(sessions::project_id.eq(id.0).and(sessions::closed_at.is_null()))
        .select(sessions::id)
        .load(tx)
        .await?;
    // The entry names the project's owner, so it comes first.
    audit::record(tx, call, id.0).await?;
    // A user's own name goes to nobody else.
    if project.organization.is_some() {
        let ProjectRecord { owner_slug: owner, project_slug, .. } = &project.record;
        let address = GivenUpAddress { owner, project: Some(project_slug), moved: None };
        kept_addresses::keep(tx, address, call.now).await?;
    }
    keys::keep(tx, id, call.now).await?;
    diesel::delete(projects::table.find(id.0)).execute(tx).await?;
    for team_id in teams {
        // Nobody can be found to have seen the project, so its id is not told.
        let data = TeamEventData { team_id, fields: vec!["projects".to_owned()] };
        tx.publish(NewChangeEvent::of_team(call, team_id, ChangeData::TeamUpdated(data)));
    }
    let data = ProjectEventData { project_id: id, team_id: None, fields: Vec::new() };
    tx.publish(NewChangeEvent::of_project(call, id, ChangeData::ProjectDeleted(data)));
    Ok(open.into_iter().map(SessionId).collect())
}

/// The columns of a project's record that may change.
#[derive(Queryable, Selectable)]
#[diesel(table_name = projects)]
struct ChangeableColumns {
    name: String,
    key: Option<String>,
    description: String,
    visibility: String,
    default_branch: String,
    updated_at: OffsetDateTime,
}

impl ChangeableColumns {
    /// The record of a project with these columns.
    fn of<P>(self, project: &Project<P>) -> Result<ProjectRecord> {
        Ok(ProjectRecord {
            name: decode::name(&self.name)?,
            key: self.key.as_deref().map(decode::parse).transpose()?,
            description: decode::bounded(self.description)?,
            visibility: decode::text(&self.visibility)?,
            default_branch: decode::parse(&self.default_branch)?,
            // That of the content may be later.
            updated_at: project.record.updated_at.max(Timestamp::from(self.updated_at)),
            ..project.record.clone()
        })
    }
}

async fn refuse_over_limit(tx: &mut Tx, owner: &Owner, default_limit: u32) -> Result<()> {
    let limit = owner.project_limit.unwrap_or(default_limit);
    let current: i64 =
        projects::table.filter(projects::owner_id.eq(owner.id.0)).count().get_result(tx).await?;
    if current < i64::from(limit) {
        return Ok(());
    }
    let scope = if owner.role.is_some() { "organization" } else { "user" };
    Err(Error::new(Code::ProjectLimitReached, "The owner has reached its limit of projects.")
        .with_details(json!({ "limit": limit, "current": current, "scope": scope, "ownerId": owner.id })))
}

/// Makes a user a member of the project, as its manager.
async fn make_manager(tx: &mut Tx, project: ProjectId, user: UserId, now: Timestamp) -> Result<()> {
    diesel::insert_into(project_members::table)
        .values((
            project_members::project_id.eq(project.0),
            project_members::user_id.eq(user.0),
            project_members::role.eq(ProjectRole::Manager.as_str()),
            project_members::created_at.eq(now.0),
        ))
        .on_conflict((project_members::project_id, project_members::user_id))
        .do_update()
        .set(project_members::role.eq(ProjectRole::Manager.as_str()))
        .execute(tx)
        .await?;
    Ok(())
}

/// A slug that is free in the owner's projects, and not kept for what had it. It stays free, because the owner's row is
/// locked.
async fn free_slug(
    tx: &mut Tx,
    owner: &Owner,
    slug: Slug,
    (id, now): (ProjectId, Timestamp),
) -> Result<Slug> {
    let numbered = (2..=SLUG_VARIANTS).map(|n| slug.variant(n));
    let candidates: Vec<Slug> = std::iter::once(slug.clone()).chain(numbered).collect();
    let mut taken: Vec<String> = projects::table
        .filter(projects::owner_id.eq(owner.id.0))
        .filter(projects::slug.eq_any(candidates.iter().map(Slug::as_str)))
        .select(projects::slug)
        .load(tx)
        .await?;
    // After the projects: one of these may be deleted meanwhile.
    taken.extend(kept_addresses::kept_of(tx, &owner.slug, &candidates, id, now).await?);
    let free = candidates.into_iter().find(|slug| !taken.iter().any(|taken| taken == slug.as_str()));
    Ok(free.unwrap_or_else(|| slug.suffixed(&id.0.simple().to_string())))
}

fn encode(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "private",
        Visibility::Internal => "internal",
        Visibility::Public => "public",
    }
}
