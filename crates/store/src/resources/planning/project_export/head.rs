//! The beginning of an export: the project, the people whom its cards name, fields, tags, teams and sprints.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, sprints, team_projects, team_statuses};
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{OrganizationId, TeamId, UserId};
use domain::people::permission::Permission;
use domain::people::role::OrganizationRole;
use domain::planning::project_export::{
    EXPORT_FORMAT, EXPORT_VERSION, ExportHead, ExportLine, ExportedPerson, ExportedProject, ExportedTeam,
};
use domain::planning::status::StatusRecord;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::sprint::SprintRow;
use crate::access::rows::status::StatusRow;
use crate::access::team::TeamRow;
use crate::access::visible_teams;
use crate::resources::planning::{card_tags, custom_fields};
use crate::resources::store::Tx;

/// The lines before the cards.
pub(super) async fn lines(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
) -> Result<Vec<ExportLine>> {
    let mut lines = vec![ExportLine::Project(head(project))];
    lines.extend(people(tx, project, call).await?.into_iter().map(ExportLine::Person));
    let fields = custom_fields::list(tx, project).await?;
    lines.extend(fields.into_iter().map(|field| ExportLine::Field { field }));
    let tags = card_tags::list(tx, project).await?;
    lines.extend(tags.into_iter().map(|tag| ExportLine::Tag { tag }));
    if call.actor.ceiling.contains(Permission::TeamRead) {
        lines.extend(teams(tx, project, call).await?);
    }
    Ok(lines)
}

/// The project, as far as the credential reads projects.
fn head(project: &Project<CardRead>) -> ExportHead {
    let (record, reads) = (&project.record, project.permissions.contains(Permission::ProjectRead));
    let project = ExportedProject {
        id: record.id,
        key: record.key.clone(),
        name: reads.then(|| record.name.clone()),
        description: reads.then(|| record.description.clone()),
        visibility: reads.then_some(record.visibility),
    };
    ExportHead { format: EXPORT_FORMAT.to_owned(), version: EXPORT_VERSION, project }
}

async fn people(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
) -> Result<Vec<ExportedPerson>> {
    let organization = match project.organization {
        Some(organization) if sees_addresses(tx, call, organization).await? => Some(organization.0),
        _ => None,
    };
    let rows: Vec<ExportedPersonRow> = Statement::new(include_str!("people.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(call.actor.user.0)
        .bind::<Nullable<SqlUuid>, _>(organization)
        .load(tx)
        .await?;
    let person = |row: ExportedPersonRow| ExportedPerson {
        id: UserId(row.id),
        name: row.display_name,
        email: row.email,
    };
    Ok(rows.into_iter().map(person).collect())
}

/// True if the list of the organization's members shows addresses to the caller.
async fn sees_addresses(tx: &mut Tx, call: &Call<CardRead>, organization: OrganizationId) -> Result<bool> {
    let actor = &call.actor;
    if !actor.reaches_organization(organization) || !actor.ceiling.contains(Permission::TeamRead) {
        return Ok(false);
    }
    let role: Option<String> = organization_members::table
        .find((organization.0, actor.user.0))
        .select(organization_members::role)
        .first(tx)
        .await
        .optional()?;
    let role = role.as_deref().map(decode::parse::<OrganizationRole>).transpose()?;
    Ok(role.is_some_and(|role| role >= OrganizationRole::Admin))
}

/// The linked teams that the caller sees, with their columns, and then their sprints.
async fn teams(tx: &mut Tx, project: &Project<CardRead>, call: &Call<CardRead>) -> Result<Vec<ExportLine>> {
    let linked: Vec<Uuid> = team_projects::table
        .filter(team_projects::project_id.eq(project.record.id.0))
        .select(team_projects::team_id)
        .load(tx)
        .await?;
    let visible = visible_teams::among(tx, call, linked.into_iter().map(TeamId)).await?;
    let visible: Vec<Uuid> = visible.into_iter().map(|team| team.0).collect();
    let rows: Vec<TeamRow> =
        Statement::new(include_str!("teams.sql")).bind::<Array<SqlUuid>, _>(&visible).load(tx).await?;
    let statuses: Vec<StatusRow> = team_statuses::table
        .filter(team_statuses::team_id.eq_any(&visible))
        .order((team_statuses::team_id, team_statuses::position))
        .select(StatusRow::as_select())
        .load(tx)
        .await?;
    let mut columns: HashMap<TeamId, Vec<StatusRecord>> = HashMap::new();
    for status in statuses {
        let status = status.record()?;
        columns.entry(status.team_id).or_default().push(status);
    }
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let team = row.record()?;
        let columns = columns.remove(&team.id).unwrap_or_default();
        lines.push(ExportLine::Team(Box::new(ExportedTeam { team, columns })));
    }
    let planned: Vec<SprintRow> = sprints::table
        .filter(sprints::team_id.eq_any(&visible))
        .order(sprints::id)
        .select(SprintRow::as_select())
        .load(tx)
        .await?;
    for sprint in planned {
        lines.push(ExportLine::Sprint { sprint: sprint.record()? });
    }
    Ok(lines)
}

#[derive(QueryableByName)]
struct ExportedPersonRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Nullable<Text>)]
    email: Option<String>,
}
