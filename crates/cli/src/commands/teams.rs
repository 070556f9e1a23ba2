//! List, create, rename and delete teams; change their members and their projects.

use api::planning::teams::members::{
    ListTeamMembers, PutTeamMember, PutTeamMemberRequest, RemoveTeamMember, TeamMemberPath,
};
use api::planning::teams::projects::{LinkProject, TeamProjectPath, UnlinkProject};
use api::planning::teams::{
    CreateTeam, CreateTeamRequest, DeleteTeam, DeleteTeamRequest, UpdateTeam, UpdateTeamRequest,
};
use client::Client;
use domain::content::project::ProjectRecord;
use domain::id::UserId;
use domain::patch::Patch;
use domain::people::member::TeamMember;
use domain::planning::team::TeamVisibility;
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
use crate::resource::ProjectArgument;
use crate::team::{Team, TeamArgument, organization, teams};

/// Runs a command on teams.
pub(crate) async fn run(client: &Client, command: Teams, global: &Global) -> CommandResult<Exit> {
    match command {
        Teams::List { org } => list(client, org.as_deref(), global).await?,
        Teams::Create { org, name, internal } => create(client, &org, &name, internal, global).await?,
        Teams::Rename { team, name } => rename(client, &team, &name, global).await?,
        Teams::Rm { team, yes } => delete(client, &team, yes, global).await?,
        Teams::Members { team } => members(client, &team, global).await?,
        Teams::Add { team, user, role } => add(&team, &user, &role, global).await?,
        Teams::Remove { team, user } => remove(&team, &user, global).await?,
        Teams::Link { team, project } => link(client, &team, &project, global).await?,
        Teams::Unlink { team, project, yes } => unlink(client, &team, &project, yes, global).await?,
    }
    Ok(Exit::Done)
}

async fn create(
    client: &Client,
    org: &str,
    name: &str,
    is_internal: bool,
    global: &Global,
) -> CommandResult<()> {
    let visibility = if is_internal { TeamVisibility::Internal } else { TeamVisibility::Private };
    let request = CreateTeamRequest {
        name: parse_name(name)?,
        description: None,
        status: None,
        visibility: Some(visibility),
        time_zone: None,
    };
    let found = organization(client, org, Beginning::of_change(global.json)).await?;
    let team = client.call_with(CreateTeam, found.id, &request).await?.team;
    outcome(&team, &format!("Created {}/{}.", found.slug, team.name), global.json);
    Ok(())
}

async fn rename(client: &Client, team: &TeamArgument, name: &str, global: &Global) -> CommandResult<()> {
    let request = UpdateTeamRequest {
        name: Patch::Set(parse_name(name)?),
        description: Patch::Absent,
        status: Patch::Absent,
        visibility: Patch::Absent,
        time_zone: Patch::Absent,
    };
    let found = team.find(client, Beginning::of_change(global.json)).await?;
    let renamed = client.call_with(UpdateTeam, found.path(), &request).await?.team;
    outcome(&renamed, &format!("{found} is now {}/{}.", found.organization_slug, renamed.name), global.json);
    Ok(())
}

async fn delete(client: &Client, team: &TeamArgument, yes: bool, global: &Global) -> CommandResult<()> {
    let found = team.find(client, Beginning::of_change(global.json)).await?;
    if !yes && may_ask(global.json) {
        ask(&format!("Delete the team {found} with its board and its sprints?"))?;
    }
    let request = DeleteTeamRequest { expected_history_head_ids: None };
    let deleted = client.call_with(DeleteTeam, found.path(), &request).await?;
    outcome(&deleted, &format!("Deleted {found}."), global.json);
    Ok(())
}

async fn add(team: &TeamArgument, user: &str, name: &str, global: &Global) -> CommandResult<()> {
    let request = PutTeamMemberRequest { role: role(name)? };
    let beginning = Beginning::of_change(global.json);
    let client = &person(global)?;
    let found = team.find(client, beginning).await?;
    let candidates = Candidates::of_organization(client, &found.organization).await?;
    let list = format!("atelier members list {}", found.organization_slug);
    let user = candidates.find(client, user, &list, beginning).await?;
    let call = client.call_with(PutTeamMember, member_path(&found, user.id), &request);
    let member = call.await.map_err(explained)?.member;
    outcome(&member, &format!("{} is {} of {found}.", member.name, member.role), global.json);
    Ok(())
}

async fn remove(team: &TeamArgument, user: &str, global: &Global) -> CommandResult<()> {
    let beginning = Beginning::of_change(global.json);
    let client = &person(global)?;
    let found = team.find(client, beginning).await?;
    let list = format!("atelier teams members {}", found.argument());
    let user = Candidates::of_team(client, &found).await?.find(client, user, &list, beginning).await?;
    let removed = client.call(RemoveTeamMember, member_path(&found, user.id)).await.map_err(explained)?;
    outcome(&removed, &format!("Removed {} from {found}.", user.name), global.json);
    Ok(())
}

async fn link(
    client: &Client,
    team: &TeamArgument,
    project: &ProjectArgument,
    global: &Global,
) -> CommandResult<()> {
    let beginning = Beginning::of_change(global.json);
    let found = team.find(client, beginning).await?;
    let project = project.find(client, beginning).await?.record;
    let linked = client.call(LinkProject, project_path(&found, &project)).await?.project;
    outcome(&linked, &format!("{} is linked to {found}.", project.project_slug), global.json);
    Ok(())
}

async fn unlink(
    client: &Client,
    team: &TeamArgument,
    project: &ProjectArgument,
    yes: bool,
    global: &Global,
) -> CommandResult<()> {
    let beginning = Beginning::of_change(global.json);
    let found = team.find(client, beginning).await?;
    let project = project.find(client, beginning).await?.record;
    if !yes && may_ask(global.json) {
        ask(&format!("Take the cards of {} off the board of {found}?", project.project_slug))?;
    }
    let ended = client.call(UnlinkProject, project_path(&found, &project)).await?;
    let cards = u64::try_from(ended.removed_placements).unwrap_or(u64::MAX);
    let cards = counted(cards, "card", "cards");
    outcome(&ended, &format!("Took {cards} of {} off {found}.", project.project_slug), global.json);
    Ok(())
}

fn member_path(team: &Team, member_id: UserId) -> TeamMemberPath {
    TeamMemberPath { org_id: team.organization, team_id: team.record.id, member_id }
}

fn project_path(team: &Team, project: &ProjectRecord) -> TeamProjectPath {
    TeamProjectPath { org_id: team.organization, team_id: team.record.id, project_id: project.id.into() }
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
    let members = client.call(ListTeamMembers, found.path()).rows();
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
