//! A project's change of owner, between users and organizations.

use auth::actor::{BrowserProjectManage, ProjectWrite};
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, projects, sessions as session_rows, team_projects};
use domain::content::project::{ProjectRecord, ProjectRef};
use domain::id::{OrganizationId, OwnerId, SessionId, UserId};
use domain::people::role::OrganizationRole;
use domain::{Code, Error, Result};
use serde_json::json;
use uuid::Uuid;

use super::{free_slug, keys, make_manager, publish_update, refuse_over_limit};
use crate::access::Target;
use crate::access::call::Call;
use crate::access::organization::require_rank;
use crate::access::owner::Owner;
use crate::access::project::Project;
use crate::access::user::{Me, User};
use crate::resources::audit;
use crate::resources::kept_addresses::{self, GivenUpAddress};
use crate::resources::planning::cards::parents::far;
use crate::resources::store::Tx;
use crate::resources::work::sessions;

/// Gives a project to the caller, or to an organization in which the caller may create projects. It keeps its id, and gets
/// another slug if the new owner has one like it. Parents of cards in other projects end. Its sessions are closed, because
/// their addresses name the owner; returns them. A user who owned it stays its manager, and the caller manages it as its
/// creator would.
///
/// `default_limit` is the most projects of an owner without a limit of its own.
///
/// # Errors
/// `FORBIDDEN` unless the caller owns the project, or is an admin of the organization that does; `PROJECT_LINKED` if a team's
/// board may show its cards; `PROJECT_LIMIT_REACHED`; `INVALID_REQUEST` for an owner that the caller can't name.
pub async fn transfer(
    tx: &mut Tx,
    project: &Project<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    to: OwnerId,
    default_limit: u32,
) -> Result<(ProjectRecord, Vec<SessionId>)> {
    let id = project.record.id;
    let held = project.record.owner_id;
    far::hold(tx, held).await?;
    let locked: Option<Uuid> =
        projects::table.find(id.0).select(projects::id).for_update().first(tx).await.optional()?;
    locked.ok_or_else(Error::not_found)?;
    // Another transfer may have ended meanwhile.
    let project: Project<BrowserProjectManage> =
        ProjectRef { project: id, branch: Some(project.branch.name.clone()) }.resolve(tx, call).await?;
    require_authority(tx, &project, call).await?;
    if project.record.owner_id == to {
        return Ok((project.record, Vec::new()));
    }
    if project.record.owner_id != held {
        far::hold(tx, project.record.owner_id).await?;
    }
    let creation: Call<ProjectWrite> = call.also()?;
    let me: User<ProjectWrite> = Me.resolve(tx, &creation).await?;
    let organization = (to != call.actor.user.into()).then_some(OrganizationId(to.0));
    let owner = Owner::resolve(tx, &creation, &me, organization).await;
    let owner = owner.map_err(|error| error.named_by("ownerId"))?;
    let teams: i64 =
        team_projects::table.filter(team_projects::project_id.eq(id.0)).count().get_result(tx).await?;
    if teams > 0 {
        let message = "The project is linked to teams of its organization. End these links first.";
        return Err(Error::new(Code::ProjectLinked, message).with_details(json!({ "teams": teams })));
    }
    refuse_over_limit(tx, &owner, default_limit).await?;
    let slug = free_slug(tx, &owner, project.record.project_slug.clone(), (id, call.now)).await?;
    let ProjectRecord { owner_slug, project_slug, .. } = &project.record;
    let address = GivenUpAddress { owner: owner_slug, project: Some(project_slug), moved: Some(id) };
    kept_addresses::keep(tx, address, call.now).await?;
    // Trees of cards stay within the projects of one owner.
    far::detach(tx, call, id).await?;
    diesel::update(projects::table.find(id.0))
        .set((
            projects::owner_id.eq(owner.id.0),
            projects::slug.eq(slug.as_str()),
            projects::updated_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    let key = keys::take_along(tx, (owner.id, id), &project.record.name, call.now).await?;
    if project.organization.is_none() {
        make_manager(tx, id, UserId(project.record.owner_id.0), call.now).await?;
    }
    // An admin of the organization that gave it may be a member of the one that takes it.
    if !owner.manages_projects() {
        make_manager(tx, id, owner.user, call.now).await?;
    }
    let open: Vec<Uuid> = session_rows::table
        .filter(session_rows::project_id.eq(id.0).and(session_rows::closed_at.is_null()))
        .order(session_rows::id)
        .select(session_rows::id)
        .load(tx)
        .await?;
    let closed = sessions::close_each(tx, open, Some(&call.actor), call.now).await?;
    audit::record(tx, call, id.0).await?;
    publish_update(tx, call, id, vec!["ownerId".to_owned()]);
    let record = ProjectRecord {
        owner_id: owner.id,
        owner_slug: owner.slug,
        key: Some(key),
        project_slug: slug,
        updated_at: project.record.updated_at.max(call.now),
        ..project.record
    };
    Ok((record, closed))
}

/// Refuses a caller who neither owns the project nor administers the organization that does.
async fn require_authority(
    tx: &mut Tx,
    project: &Project<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
) -> Result<()> {
    let Some(organization) = project.organization else {
        let is_owner = project.record.owner_id == call.actor.user.into();
        return if is_owner { Ok(()) } else { Err(Error::forbidden()) };
    };
    let role: Option<String> = organization_members::table
        .find((organization.0, call.actor.user.0))
        .select(organization_members::role)
        .first(tx)
        .await
        .optional()?;
    require_rank(decode::parse(&role.ok_or_else(Error::forbidden)?)?, OrganizationRole::Admin)
}
