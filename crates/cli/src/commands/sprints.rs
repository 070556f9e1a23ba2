//! List, create, start and complete sprints, and draw their burndown.

mod burndown;

use api::planning::sprints::{
    CompleteSprint, CompleteSprintRequest, CreateSprint, CreateSprintRequest, ListSprints, SprintPath,
    StartSprint, StartSprintRequest,
};
use client::Client;
use domain::planning::sprint::SprintRecord;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::planning::{PeriodArguments, SprintArgument, Sprints};
use crate::commands::objects::parse_name;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::team::TeamArgument;

/// Runs a command on sprints.
pub(crate) async fn run(client: &Client, command: Sprints, global: &Global) -> CommandResult<Exit> {
    match command {
        Sprints::List { team } => list(client, &team, global).await,
        Sprints::Create { team, name, period } => create(client, &team, &name, period, global).await,
        Sprints::Start { team, sprint, period } => start(client, &team, &sprint, period, global).await,
        Sprints::Complete { sprint, rest_to } => complete(client, &sprint, &rest_to, global).await,
        Sprints::Burndown { sprint } => burndown::run(client, &sprint, global).await,
    }
}

async fn list(client: &Client, team: &TeamArgument, global: &Global) -> CommandResult<Exit> {
    let team = team.find(client, Beginning::Taken).await?;
    let mut sprints = client.call(ListSprints, team.path()).rows();
    let mut rows = Vec::new();
    while let Some(sprint) = sprints.try_next().await? {
        if global.json {
            output::json(&sprint);
            continue;
        }
        let day = |time: Option<_>| time.map_or_else(|| "-".to_owned(), output::day);
        let status = sprint.status.as_str().to_owned();
        rows.push([sprint.name.to_string(), status, day(sprint.start_date), day(sprint.end_date)]);
    }
    if !global.json {
        output::print_table(["SPRINT", "STATE", "START", "END"], &rows, &format!("{team} has no sprint."));
    }
    Ok(Exit::Done)
}

async fn create(
    client: &Client,
    team: &TeamArgument,
    name: &str,
    period: PeriodArguments,
    global: &Global,
) -> CommandResult<Exit> {
    let name = parse_name(name)?;
    let beginning = Beginning::of_change(global.json);
    let team = team.find(client, beginning).await?;
    let request =
        CreateSprintRequest { name, description: None, start_date: period.start, end_date: period.end };
    let sprint = client.call_with(CreateSprint, team.path(), &request).await?.sprint;
    report(&sprint, "Created", global);
    Ok(Exit::Done)
}

async fn start(
    client: &Client,
    team: &TeamArgument,
    sprint: &str,
    period: PeriodArguments,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let team = team.find(client, beginning).await?;
    let found = team.sprint(client, Some(sprint), beginning).await?;
    let request =
        StartSprintRequest { start_date: period.start, end_date: period.end, allow_concurrent: None };
    let started = client
        .call_with(
            StartSprint,
            SprintPath { org_id: team.organization, team_id: team.record.id, sprint_id: found.id },
            &request,
        )
        .await?
        .sprint;
    report(&started, "Started", global);
    Ok(Exit::Done)
}

async fn complete(
    client: &Client,
    sprint: &SprintArgument,
    rest_to: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let team = sprint.team.find(client, beginning).await?;
    let found = team.sprint(client, sprint.sprint.as_deref(), beginning).await?;
    let target = match rest_to {
        "backlog" | "keep" => rest_to.to_owned(),
        other => team.sprint(client, Some(other), beginning).await?.id.to_string(),
    };
    let request = CompleteSprintRequest { incomplete_cards_to: Some(target) };
    let answer = client
        .call_with(
            CompleteSprint,
            SprintPath { org_id: team.organization, team_id: team.record.id, sprint_id: found.id },
            &request,
        )
        .await?;
    if global.json {
        output::json(&answer);
    } else {
        let (done, rest) = (answer.report.done.total, answer.report.carried_over.total);
        output::note(&format!("Completed {}.", answer.sprint.name));
        output::note(&format!(
            "  {} done ({} effort), {} unfinished, {} moved",
            done.cards, done.effort, rest.cards, answer.moved_cards
        ));
    }
    Ok(Exit::Done)
}

fn report(sprint: &SprintRecord, did: &str, global: &Global) {
    if global.json {
        return output::json(sprint);
    }
    let days = match (sprint.start_date, sprint.end_date) {
        (Some(start), Some(end)) => format!(", {} to {}", output::day(start), output::day(end)),
        _ => String::new(),
    };
    output::note(&format!("{did} {}{days}.", sprint.name));
}
