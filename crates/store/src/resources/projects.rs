//! Projects: create, list, change, delete. Their content is `content`'s.

use auth::actor::{ProjectManage, ProjectRead, ProjectWrite};
use diesel::sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid};
use domain::compare::Point;
use domain::id::{OwnerId, ProjectId, SessionId};
use domain::project::{BranchName, ProjectRecord, Visibility};
use domain::text::{Description, Name, Prompt, Slug};
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::owner::Owner;
use crate::access::project::Project;
use crate::access::rows::project::ProjectRow;
use crate::access::user::User;
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::{projects, sessions};
use crate::resources::audit;
use crate::resources::content;
use crate::resources::store::Tx;

/// How many numbered variants of a taken slug are tried before the project's own id makes one.
const SLUG_VARIANTS: u32 = 9;
/// What a slug falls back to where a name has no letter or digit that a URL could hold.
const SLUG_FALLBACK: &str = "project";

/// A project to be created.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Who may see it.
    pub visibility: Visibility,
    /// What is staged as the creator's first agent message.
    pub initial_prompt: Option<Prompt>,
    /// Whether the branch starts without a commit, its reserved packages uncommitted.
    pub skip_initial_commit: bool,
}

/// A project creation result (specification, "Project creation result").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedProject {
    /// Id.
    pub id: ProjectId,
    /// Its name in URLs.
    pub project_slug: Slug,
    /// The owner's name in URLs.
    pub owner_slug: Slug,
}

/// What to change about a project; `None` leaves alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectChanges {
    /// Name; the slug stays, so that addresses do.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// Who may see it.
    pub visibility: Option<Visibility>,
    /// The branch that a bare project id means.
    pub default_branch: Option<BranchName>,
}

/// Which of the caller's projects to list, and from where.
#[derive(Clone, Debug)]
pub struct ProjectFilter<'a> {
    /// Only those of this owner.
    pub owner: Option<OwnerId>,
    /// Only those whose name holds this text, in any case.
    pub q: Option<&'a str>,
    /// Only those created before this one.
    pub before: Option<ProjectId>,
    /// Most rows.
    pub rows: u32,
}

/// Creates a project with its first commit, its reserved packages, and nothing else.
///
/// `default_limit` is the number of projects that an owner may have unless its own record says otherwise.
///
/// # Errors
/// `PROJECT_LIMIT_REACHED`.
pub async fn create(
    tx: &mut Tx,
    owner: &Owner,
    call: &Call<ProjectWrite>,
    new: &NewProject,
    default_limit: u32,
) -> Result<CreatedProject> {
    refuse_over_limit(tx, owner, default_limit).await?;
    let id = ProjectId::new(call.now);
    let slug = free_slug(tx, owner, &new.name, id).await?;
    diesel::insert_into(projects::table)
        .values((
            projects::id.eq(id.0),
            projects::owner_id.eq(owner.id.0),
            projects::name.eq(new.name.as_str()),
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
    content::initialise(tx, id, owner.user, call.now, new.skip_initial_commit).await?;
    audit::record(tx, call.now, Some(&call.actor), "project.created", id.0).await?;
    Ok(CreatedProject { id, project_slug: slug, owner_slug: owner.slug.clone() })
}

/// The projects that the caller reaches as owner, member or through an organization, newest first.
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
        .bind::<Nullable<Text>, _>(filter.q)
        .bind::<Nullable<SqlUuid>, _>(filter.before.map(|id| id.0))
        .bind::<BigInt, _>(i64::from(filter.rows))
        .load(tx)
        .await?;
    rows.into_iter().map(ProjectRow::record).collect()
}

/// Changes a project's record.
///
/// # Errors
/// `NOT_FOUND` where it was deleted meanwhile, or has no branch of the name that its default is to be.
pub async fn update(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
    changes: &ProjectChanges,
) -> Result<ProjectRecord> {
    let written: Option<(String, String, String, String)> =
        diesel::update(projects::table.find(project.record.id.0))
            .set((
                changes.name.as_ref().map(|name| projects::name.eq(name.as_str().to_owned())),
                changes.description.as_ref().map(|text| projects::description.eq(text.as_str().to_owned())),
                changes.visibility.map(|visibility| projects::visibility.eq(encode(visibility))),
                changes
                    .default_branch
                    .as_ref()
                    .map(|name| projects::default_branch.eq(name.as_str().to_owned())),
                projects::updated_at.eq(call.now.0),
            ))
            .returning((
                projects::name,
                projects::description,
                projects::visibility,
                projects::default_branch,
            ))
            .get_result(tx)
            .await
            .optional()?;
    // Another change may have come in between, of what this one leaves alone.
    let (name, description, visibility, default_branch) = written.ok_or_else(Error::not_found)?;
    if let Some(branch) = &changes.default_branch {
        // The project's row is held now, so that no deletion of the branch can come in between.
        content::compare::resolve(tx, project, &Point::Branch(branch.clone())).await?;
    }
    let record = ProjectRecord {
        name: decode::name(&name)?,
        description: decode::bounded(description)?,
        visibility: decode::text(&visibility)?,
        default_branch: decode::parse(&default_branch)?,
        updated_at: call.now,
        ..project.record.clone()
    };
    audit::record(tx, call.now, Some(&call.actor), "project.updated", record.id.0).await?;
    Ok(record)
}

/// Deletes a project with everything in it, and returns its sessions that were open. Its blobs lose their rows, and
/// the sweep of the data plane takes them.
///
/// # Errors
/// `NOT_FOUND` where it was deleted meanwhile.
pub async fn delete(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    call: &Call<ProjectManage>,
) -> Result<Vec<SessionId>> {
    let id = project.record.id;
    // From here on no session is opened on it: one that was opened just before is among those returned.
    let locked: Option<Uuid> =
        projects::table.find(id.0).select(projects::id).for_update().first(tx).await.optional()?;
    locked.ok_or_else(Error::not_found)?;
    let open: Vec<Uuid> = sessions::table
        .filter(sessions::project_id.eq(id.0).and(sessions::closed_at.is_null()))
        .select(sessions::id)
        .load(tx)
        .await?;
    diesel::delete(projects::table.find(id.0)).execute(tx).await?;
    audit::record(tx, call.now, Some(&call.actor), "project.deleted", id.0).await?;
    Ok(open.into_iter().map(SessionId).collect())
}

async fn refuse_over_limit(tx: &mut Tx, owner: &Owner, default_limit: u32) -> Result<()> {
    let limit = owner.project_limit.unwrap_or(default_limit);
    let current: i64 =
        projects::table.filter(projects::owner_id.eq(owner.id.0)).count().get_result(tx).await?;
    if current < i64::from(limit) {
        return Ok(());
    }
    let scope = if owner.is_organization { "organization" } else { "user" };
    Err(Error::new(Code::ProjectLimitReached, "The owner has as many projects as it may have.")
        .with_details(json!({ "limit": limit, "current": current, "scope": scope, "ownerId": owner.id })))
}

/// A slug that no project of the owner has; the owner's row is locked, so it stays free.
async fn free_slug(tx: &mut Tx, owner: &Owner, name: &Name, id: ProjectId) -> Result<Slug> {
    let slug = Slug::from_text(name.as_str(), SLUG_FALLBACK);
    let numbered = (2..=SLUG_VARIANTS).map(|n| slug.variant(n));
    let candidates: Vec<Slug> = std::iter::once(slug.clone()).chain(numbered).collect();
    let taken: Vec<String> = projects::table
        .filter(projects::owner_id.eq(owner.id.0))
        .filter(projects::slug.eq_any(candidates.iter().map(Slug::as_str)))
        .select(projects::slug)
        .load(tx)
        .await?;
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
