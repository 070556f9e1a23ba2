//! List, create, rename and delete teams; change their members and their projects.

use api::teams::members::{
    ListTeamMembers, PutTeamMember, PutTeamMemberRequest, RemoveTeamMember, TeamMemberPath,
};
use api::teams::projects::{LinkProject, TeamProjectPath, UnlinkProject};
use api::teams::{
    CreateTeam, CreateTeamRequest, DeleteTeam, DeleteTeamRequest, TeamPath, UpdateTeam, UpdateTeamRequest,
};
use client::Client;
use domain::member::TeamMember;
use domain::patch::Patch;
use domain::team::TeamVisibility;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::people::role;
use crate::arguments::teams::Teams;
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::credentials::person;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted, outcome};
use crate::person::{Candidates, explained};
use crate::team::{TeamArgument, organization, teams};

/// Runs a command on teams.
pub(crate) async fn run(client: &Client, command: Teams, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Teams::List { org } => list(client, org.as_deref(), global).await?,
        Teams::Create { org, name, internal } => {
            let visibility = if internal { TeamVisibility::Internal } else { TeamVisibility::Private };
            let (description, status) = (None, None);
            let request = CreateTeamRequest {
                name: parse_name(&name)?,
                description,
                status,
                visibility: Some(visibility),
                time_zone: None,
            };
            let found = organization(client, &org, beginning).await?;
            let team = client.call_with(CreateTeam, found.id, &request).await?.team;
            outcome(&team, &format!("Created {}/{}.", found.slug, team.name), global.json);
        }
        Teams::Rename { team, name } => {
            let request = UpdateTeamRequest {
                name: Patch::Set(parse_name(&name)?),
                description: Patch::Absent,
                status: Patch::Absent,
                visibility: Patch::Absent,
                time_zone: Patch::Absent,
            };
            let found = team.find(client, beginning).await?;
            let renamed = client
                .call_with(
                    UpdateTeam,
                    TeamPath { org_id: found.organization, team_id: found.record.id },
                    &request,
                )
                .await?
                .team;
            outcome(
                &renamed,
                &format!("{found} is now {}/{}.", found.organization_slug, renamed.name),
                global.json,
            );
        }
        Teams::Rm { team, yes } => {
            let found = team.find(client, beginning).await?;
            if !yes && may_ask(global.json) {
                ask(&format!("Delete the team {found} with its board and its sprints?"))?;
            }
            let request = DeleteTeamRequest { expected_history_head_ids: None };
            let deleted = client
                .call_with(
                    DeleteTeam,
                    TeamPath { org_id: found.organization, team_id: found.record.id },
                    &request,
                )
                .await?;
            outcome(&deleted, &format!("Deleted {found}."), global.json);
        }
        Teams::Members { team } => members(client, &team, global).await?,
        Teams::Add { team, user, role: name } => {
            let request = PutTeamMemberRequest { role: role(&name)? };
            let client = &person(global)?;
            let found = team.find(client, beginning).await?;
            let candidates = Candidates::of_organization(client, &found.organization).await?;
            let list = format!("atelier members list {}", found.organization_slug);
            let user = candidates.find(client, &user, &list, beginning).await?;
            let call = client.call_with(
                PutTeamMember,
                TeamMemberPath { org_id: found.organization, team_id: found.record.id, member_id: user.id },
                &request,
            );
            let member = call.await.map_err(explained)?.member;
            outcome(&member, &format!("{} is {} of {found}.", member.name, member.role), global.json);
        }
        Teams::Remove { team, user } => {
            let client = &person(global)?;
            let found = team.find(client, beginning).await?;
            let list = format!("atelier teams members {}", found.argument());
            let user =
                Candidates::of_team(client, &found).await?.find(client, &user, &list, beginning).await?;
            let call = client.call(
                RemoveTeamMember,
                TeamMemberPath { org_id: found.organization, team_id: found.record.id, member_id: user.id },
            );
            let removed = call.await.map_err(explained)?;
            outcome(&removed, &format!("Removed {} from {found}.", user.name), global.json);
        }
        Teams::Link { team, project } => {
            let found = team.find(client, beginning).await?;
            let project = project.find(client, beginning).await?.record;
            let call = client.call(
                LinkProject,
                TeamProjectPath {
                    org_id: found.organization,
                    team_id: found.record.id,
                    project_id: project.id.into(),
                },
            );
            let linked = call.await?.project;
            outcome(&linked, &format!("{} is linked to {found}.", project.project_slug), global.json);
        }
        Teams::Unlink { team, project, yes } => {
            let found = team.find(client, beginning).await?;
            let project = project.find(client, beginning).await?.record;
            if !yes && may_ask(global.json) {
                ask(&format!("Take the cards of {} off the board of {found}?", project.project_slug))?;
            }
            let call = client.call(
                UnlinkProject,
                TeamProjectPath {
                    org_id: found.organization,
                    team_id: found.record.id,
                    project_id: project.id.into(),
                },
            );
            let ended = call.await?;
            let cards = u64::try_from(ended.removed_placements).unwrap_or(u64::MAX);
            let cards = counted(cards, "card", "cards");
            outcome(&ended, &format!("Took {cards} of {} off {found}.", project.project_slug), global.json);
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, org: Option<&str>, global: &Global) -> CommandResult<()> {
    let teams = teams(client, org, Beginning::Taken).await?;
    if global.json {
        teams.iter().for_each(|team| output::json(&team.record));
        return Ok(());
    }
    let rows: Vec<[String; 3]> = teams
        .iter()
        .map(|team| [team.to_string(), output::word(team.record.visibility), team.record.id.to_string()])
        .collect();
    output::print_table(["TEAM", "VISIBILITY", "ID"], &rows, "You see no team.");
    Ok(())
}

async fn members(client: &Client, team: &TeamArgument, global: &Global) -> CommandResult<()> {
    let found = team.find(client, Beginning::Taken).await?;
    let members = client
        .call(ListTeamMembers, TeamPath { org_id: found.organization, team_id: found.record.id })
        .rows();
    let members: Vec<TeamMember> = members.try_collect().await?;
    if global.json {
        members.iter().for_each(output::json);
        return Ok(());
    }
    let row = |one: &TeamMember| {
        [one.name.to_string(), one.role.to_string(), output::word(one.kind), one.user_id.to_string()]
    };
    let rows: Vec<[String; 4]> = members.iter().map(row).collect();
    output::print_table(["NAME", "ROLE", "KIND", "ID"], &rows, &format!("{found} has no member."));
    Ok(())
}
