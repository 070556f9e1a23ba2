//! Saved views of cards: list, create, change, delete. They write no events: pages read them when they are opened.

use auth::actor::{CardRead, CardWrite};
use database::prelude::*;
use database::schema::{saved_views, team_members, users};
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::id::{ProjectId, TeamId, ViewId};
use domain::people::permission::Permission;
use domain::planning::saved_view::{
    CreateViewRequest, SavedView, TEAM_MAX_VIEWS, USER_MAX_VIEWS, UpdateViewRequest,
};
use domain::{Error, Result, Rule};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::saved_view::{KnownView, ViewAccessRow, seen};
use crate::access::user::User;
use crate::access::visible_teams;
use crate::resources::limits;
use crate::resources::store::Tx;

/// The caller's views and those that are shared with teams of which it is a member, of one project or all, the oldest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    me: &User<CardRead>,
    call: &Call<CardRead>,
    project: Option<ProjectId>,
) -> Result<Vec<SavedView>> {
    let rows: Vec<ViewAccessRow> = Statement::new(include_str!("saved_views/list.sql"))
        .bind::<SqlUuid, _>(me.id().0)
        .bind::<Nullable<SqlUuid>, _>(project.map(|project| project.0))
        .load(tx)
        .await?;
    seen(tx, call, rows).await
}

/// Creates a view of the caller.
///
/// # Errors
/// `LIMIT_REACHED`; `INVALID_REQUEST` for a project whose cards the caller doesn't read, a team of which it is no member, and
/// for what no page can show.
pub async fn create(
    tx: &mut Tx,
    me: &User<CardWrite>,
    call: &Call<CardWrite>,
    request: CreateViewRequest,
) -> Result<SavedView> {
    let definition = request.definition()?;
    let own = saved_views::table.filter(saved_views::owner_id.eq(me.id().0));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(own.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("saved_views", me.id().0), USER_MAX_VIEWS, count).await?;
    if let Some(project) = request.project_id {
        let readable = reachable::among(tx, call, &[project], Permission::CardRead).await?;
        if readable.is_empty() {
            return Err(Error::broken("projectId", Rule::Exists));
        }
    }
    if let Some(team) = request.team_id {
        share(tx, call, team).await?;
    }
    let owner_name: String = users::table.find(me.id().0).select(users::display_name).first(tx).await?;
    let view = SavedView {
        id: ViewId::new(call.now),
        name: request.name,
        owner_id: me.id(),
        owner_name,
        project_id: request.project_id,
        team_id: request.team_id,
        layout: request.layout,
        filter: definition.filter,
        group_by: definition.group_by,
        columns: definition.columns,
        order: definition.order,
        may_change: true,
        created_at: call.now,
        updated_at: call.now,
    };
    diesel::insert_into(saved_views::table)
        .values((
            saved_views::id.eq(view.id.0),
            saved_views::owner_id.eq(view.owner_id.0),
            saved_views::project_id.eq(view.project_id.map(|project| project.0)),
            saved_views::created_at.eq(view.created_at.0),
            columns(&view)?,
        ))
        .execute(tx)
        .await
        .map_err(|error| {
            let gone = |field| Error::broken(field, Rule::Exists);
            if error.violates_foreign_key("saved_views_project_id_fkey") {
                return gone("projectId");
            }
            if error.violates_foreign_key("saved_views_team_id_fkey") { gone("teamId") } else { error.into() }
        })?;
    Ok(view)
}

/// Changes a view. Another team's sharing is the owner's alone; a manager of the team may end its sharing.
///
/// # Errors
/// `FORBIDDEN`, `LIMIT_REACHED`; `INVALID_REQUEST` as by [`create`].
pub async fn update(
    tx: &mut Tx,
    known: &KnownView<CardWrite>,
    call: &Call<CardWrite>,
    request: UpdateViewRequest,
) -> Result<SavedView> {
    let before = &known.view;
    let mut after = request.changed(before)?;
    if after.team_id != before.team_id
        && let Some(team) = after.team_id
    {
        if !known.is_owner {
            return Err(Error::forbidden());
        }
        share(tx, call, team).await?;
    }
    if after == *before {
        return Ok(after);
    }
    after.updated_at = call.now;
    let changed =
        diesel::update(saved_views::table.find(after.id.0)).set(columns(&after)?).execute(tx).await.map_err(
            |error| {
                let gone = error.violates_foreign_key("saved_views_team_id_fkey");
                if gone { Error::broken("teamId", Rule::Exists) } else { error.into() }
            },
        )?;
    if changed == 1 { Ok(after) } else { Err(Error::internal("a locked view is gone")) }
}

/// Deletes a view of the caller.
///
/// # Errors
/// `FORBIDDEN` for who is not its owner.
pub async fn delete(tx: &mut Tx, known: &KnownView<CardWrite>) -> Result<()> {
    if !known.is_owner {
        return Err(Error::forbidden());
    }
    let deleted = diesel::delete(saved_views::table.find(known.view.id.0)).execute(tx).await?;
    if deleted == 1 { Ok(()) } else { Err(Error::internal("a locked view is gone")) }
}

/// Refuses to share a view with a team of which the caller is no member, and one more than a team may have.
async fn share(tx: &mut Tx, call: &Call<CardWrite>, team: TeamId) -> Result<()> {
    let member: Option<Uuid> = team_members::table
        .find((team.0, call.actor.user.0))
        .select(team_members::user_id)
        .first(tx)
        .await
        .optional()?;
    let sees = visible_teams::among(tx, call, [team]).await?.contains(&team);
    if member.is_none() || !sees {
        return Err(Error::invalid("teamId", Rule::Exists, "is not a team of which you are a member"));
    }
    let shared = saved_views::table.filter(saved_views::team_id.eq(team.0));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(shared.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("shared_views", team.0), TEAM_MAX_VIEWS, count).await
}

/// The columns that change.
#[derive(AsChangeset, Insertable)]
#[diesel(table_name = saved_views, treat_none_as_null = true)]
struct ViewColumns<'a> {
    team_id: Option<Uuid>,
    name: &'a str,
    layout: &'a str,
    definition: serde_json::Value,
    updated_at: time::OffsetDateTime,
}

fn columns(view: &SavedView) -> Result<ViewColumns<'_>> {
    Ok(ViewColumns {
        team_id: view.team_id.map(|team| team.0),
        name: view.name.as_str(),
        layout: view.layout.as_str(),
        definition: serde_json::to_value(view.definition()).map_err(Error::internal)?,
        updated_at: view.updated_at.0,
    })
}
