//! Access to a saved view: for its owner, and for the members and managers of the team with which it is shared.
//!
//! A view of a project is hidden from those who don't read the project's cards. Only its owner keeps seeing it, except with a
//! key that is confined to others.

use std::collections::HashSet;
use std::marker::PhantomData;

use auth::actor::Requirement;
use database::decode;
use database::prelude::*;
use database::schema::saved_views;
use diesel::sql_types::{Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{OrganizationId, ProjectId, TeamId, UserId, ViewId};
use domain::people::permission::Permission;
use domain::people::role::{OrganizationRole, TeamRole};
use domain::planning::saved_view::{SavedView, ViewDefinition};
use domain::planning::team::TeamVisibility;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::reachable;

/// A saved view as a request names it.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef(pub ViewId);

/// A saved view that the caller sees, and unless `P` only reads, may change. Its row is locked then.
#[derive(Debug)]
pub struct KnownView<P> {
    /// The view.
    pub view: SavedView,
    /// True if it is the caller's own.
    pub is_owner: bool,
    needs: PhantomData<fn() -> P>,
}

impl<P: Requirement> Target<P> for ViewRef {
    type Witness = KnownView<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<KnownView<P>> {
        let known = self.find(connection, call).await?;
        if P::PERMISSION == Some(Permission::CardRead) {
            return Ok(known);
        }
        if !known.view.may_change {
            return Err(Error::forbidden());
        }
        let locked: Option<Uuid> = saved_views::table
            .find(self.0.0)
            .select(saved_views::id)
            .for_update()
            .first(connection)
            .await
            .optional()?;
        locked.ok_or_else(Error::not_found)?;
        // It may have been changed, or taken from the team, before it was locked.
        let known = self.find(connection, call).await?;
        if known.view.may_change { Ok(known) } else { Err(Error::forbidden()) }
    }
}

impl ViewRef {
    async fn find<P>(self, connection: &Connection, call: &Call<P>) -> Result<KnownView<P>> {
        let rows: Vec<ViewAccessRow> = Statement::new(include_str!("saved_view.sql"))
            .bind::<SqlUuid, _>(self.0.0)
            .bind::<SqlUuid, _>(call.actor.user.0)
            .load(connection)
            .await?;
        let view = seen(connection, call, rows).await?.into_iter().next().ok_or_else(Error::not_found)?;
        Ok(KnownView { is_owner: view.owner_id == call.actor.user, view, needs: PhantomData })
    }
}

/// The views among rows that the caller sees, in their order.
pub(crate) async fn seen<P>(
    connection: &Connection,
    call: &Call<P>,
    rows: Vec<ViewAccessRow>,
) -> Result<Vec<SavedView>> {
    let of_projects: HashSet<ProjectId> =
        rows.iter().filter_map(|row| row.project_id).map(ProjectId).collect();
    let of_projects: Vec<ProjectId> = of_projects.into_iter().collect();
    let readable = reachable::among(connection, call, &of_projects, Permission::CardRead).await?;
    let mut views = Vec::new();
    for row in rows {
        let project = row.project_id.map(ProjectId);
        let reads_project = project.is_none_or(|project| readable.contains(&project));
        views.extend(row.view(call, reads_project)?);
    }
    Ok(views)
}

/// A view's columns with the caller's roles in its team.
#[derive(QueryableByName)]
pub(crate) struct ViewAccessRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    owner_id: Uuid,
    #[diesel(sql_type = Text)]
    owner_name: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    project_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    team_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    layout: String,
    #[diesel(sql_type = Jsonb)]
    definition: Value,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    organization_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    visibility: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    team_role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    organization_role: Option<String>,
}

/// The role of a person in the team with which a view is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Nothing,
    Member,
    Manager,
}

impl ViewAccessRow {
    /// The view, if the caller sees it.
    fn view<P>(self, call: &Call<P>, reads_project: bool) -> Result<Option<SavedView>> {
        let (share, actor) = (self.share(call)?, &call.actor);
        let is_owner = UserId(self.owner_id) == actor.user;
        let is_confined = actor.confinement.is_some() || actor.acting_in.is_some();
        let sees = match is_owner {
            true => reads_project || !is_confined,
            false => share != Share::Nothing && reads_project,
        };
        if !sees {
            return Ok(None);
        }
        let definition: ViewDefinition = serde_json::from_value(self.definition).map_err(Error::internal)?;
        Ok(Some(SavedView {
            id: ViewId(self.id),
            name: decode::name(&self.name)?,
            owner_id: UserId(self.owner_id),
            owner_name: self.owner_name,
            project_id: self.project_id.map(ProjectId),
            team_id: self.team_id.map(TeamId),
            layout: decode::text(&self.layout)?,
            filter: definition.filter,
            group_by: definition.group_by,
            columns: definition.columns,
            order: definition.order,
            may_change: is_owner || share == Share::Manager,
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
        }))
    }

    fn share<P>(&self, call: &Call<P>) -> Result<Share> {
        let Some(organization) = self.organization_id.map(OrganizationId) else { return Ok(Share::Nothing) };
        // A user who has left the organization has left its teams.
        let Some(role) = self.organization_role.as_deref() else { return Ok(Share::Nothing) };
        if !call.actor.reaches_organization(organization) {
            return Ok(Share::Nothing);
        }
        let visibility = self.visibility.as_deref().map(decode::text::<TeamVisibility>).transpose()?;
        let in_organization: OrganizationRole = decode::parse(role)?;
        let in_team = self.team_role.as_deref().map(decode::parse::<TeamRole>).transpose()?;
        let ways = [
            in_team.map(TeamRole::permissions),
            in_organization.on_team(visibility == Some(TeamVisibility::Internal)),
        ];
        let manages = ways.into_iter().flatten().any(|allowed| allowed.contains(Permission::TeamManage));
        Ok(match (manages, in_team) {
            (true, _) => Share::Manager,
            (false, Some(_)) => Share::Member,
            (false, None) => Share::Nothing,
        })
    }
}
