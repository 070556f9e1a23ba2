//! Create, change and move cards.

use api::people::me::GetMe;
use api::planning::boards::{BoardCardPath, PlaceCard, PlaceCardRequest};
use api::planning::cards::{CardPath, CreateCard, GetCard, UpdateCard};
use client::Client;
use domain::patch::Patch;
use domain::planning::card::{CardRecord, CreateCardRequest, UpdateCardRequest};
use domain::text::Text;
use domain::time::Deadline;

use crate::arguments::Global;
use crate::arguments::cards::{CardArgument, CardFieldArguments};
use crate::commands::cards::{custom_fields, effort, find, tags};
use crate::commands::objects::parse_name;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// A card to create.
#[derive(Debug)]
pub(crate) struct CardDraft {
    /// Name.
    pub(crate) name: String,
    /// Its other fields.
    pub(crate) fields: CardFieldArguments,
    /// True to assign it to the caller.
    pub(crate) mine: bool,
    /// Its tags.
    pub(crate) tags: Vec<String>,
}

/// Changes of a card.
#[derive(Debug)]
pub(crate) struct CardEdit {
    /// New name.
    pub(crate) rename: Option<String>,
    /// New values of other fields.
    pub(crate) fields: CardFieldArguments,
    /// New resolution.
    pub(crate) resolution: Option<String>,
    /// False to close it, true to open it again.
    pub(crate) is_open: Option<bool>,
}

/// A place on a board.
#[derive(Debug)]
pub(crate) struct BoardPlace {
    /// The board's team.
    pub(crate) team: TeamArgument,
    /// The column.
    pub(crate) to: Option<String>,
    /// The sprint, or `none`.
    pub(crate) sprint: Option<String>,
    /// True to close the card.
    pub(crate) close: bool,
}

/// Creates a card.
pub(crate) async fn create(
    client: &Client,
    project: &ProjectArgument,
    new: CardDraft,
    global: &Global,
) -> CommandResult<Exit> {
    let name = parse_name(&new.name)?;
    let beginning = Beginning::of_change(global.json);
    let project = project.find(client, beginning).await?;
    let tag_ids = tags(client, &project.record.id, &new.tags, beginning).await?;
    let request = CreateCardRequest {
        name,
        fields: custom_fields::inputs(client, project.record.id, &new.fields.custom).await?,
        description: new.fields.description.map(|value| text("description", value)).transpose()?,
        resolution: None,
        effort: new.fields.effort.map(effort).transpose()?,
        priority: new.fields.priority,
        card_type: new.fields.card_type,
        parent_id: new.fields.parent,
        start_date: new.fields.start.map(Some),
        deadline: new.fields.deadline.map(|date| Some(date.into())),
        assignee_id: if new.mine { Some(client.call(GetMe, ()).await?.user.id) } else { None },
        tag_ids: (!tag_ids.is_empty()).then_some(tag_ids),
        checklist: None,
    };
    let answer = client.call_with(CreateCard, project.record.id, &request).await?;
    if global.json {
        output::json(&answer);
    } else {
        output::note(&format!("Created \"{}\".", answer.card.fields.name));
        output::print(&named(&answer.card));
    }
    Ok(Exit::Done)
}

/// A card's key, or its id while it has none.
pub(super) fn named(card: &CardRecord) -> String {
    card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string)
}

/// Changes, closes or reopens a card, unless somebody else has changed it since it was read.
pub(crate) async fn edit(
    client: &Client,
    card: &CardArgument,
    edit: CardEdit,
    global: &Global,
) -> CommandResult<Exit> {
    let CardEdit { rename, fields, resolution, is_open } = edit;
    let custom = fields.custom.clone();
    let mut request = UpdateCardRequest {
        name: set(rename.map(|name| parse_name(&name)).transpose()?),
        description: set(fields.description.map(|value| text("description", value)).transpose()?),
        resolution: set(resolution.map(|value| text("resolution", value)).transpose()?),
        effort: set(fields.effort.map(effort).transpose()?),
        priority: set(fields.priority),
        card_type: set(fields.card_type),
        parent_id: set(fields.parent),
        start_date: set(fields.start.map(Some)),
        deadline: set(fields.deadline.map(Deadline::from).map(Some)),
        is_open: set(is_open),
        fields: Patch::Absent,
        expected_history_head_id: None,
    };
    if custom.is_empty() && serde_json::to_value(&request).is_ok_and(|value| value == serde_json::json!({})) {
        return Err(
            CommandFailure::usage("nothing to change").next("See what can change: atelier cards edit --help")
        );
    }
    let (project, id) = find(client, card, Beginning::of_change(global.json)).await?;
    request.fields = set(custom_fields::inputs(client, project.record.id, &custom).await?);
    let head = client
        .call(GetCard, CardPath { project_id: project.record.id.into(), card_id: id.into() })
        .await?
        .history_head_id;
    let call = client
        .call_with(
            UpdateCard,
            CardPath { project_id: project.record.id.into(), card_id: id.into() },
            &request,
        )
        .if_match(&format!("\"{head}\""));
    let answer = call.await?;
    if global.json {
        output::json(&answer);
    } else {
        let state = if answer.card.is_open { "open" } else { "closed" };
        output::note(&format!("Changed \"{}\" ({state}).", answer.card.fields.name));
    }
    Ok(Exit::Done)
}

/// Puts a card on a board, or moves it there.
pub(crate) async fn place(
    client: &Client,
    card: &CardArgument,
    place: BoardPlace,
    global: &Global,
) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    let (_, id) = find(client, card, beginning).await?;
    let team = place.team.find(client, beginning).await?;
    let status_id = match &place.to {
        Some(column) => Some(team.column(client, column, beginning).await?),
        None => None,
    };
    let sprint_id = match place.sprint.as_deref() {
        None => Patch::Absent,
        Some("none") => Patch::Clear,
        Some(sprint) => Patch::Set(team.sprint(client, Some(sprint), beginning).await?.id),
    };
    let close_card = place.close.then_some(true);
    let request = PlaceCardRequest { status_id, sprint_id, close_card, ..PlaceCardRequest::default() };
    let answer = client
        .call_with(
            PlaceCard,
            BoardCardPath { org_id: team.organization, team_id: team.record.id, card_id: id.into() },
            &request,
        )
        .await?;
    if global.json {
        output::json(&answer);
        return Ok(Exit::Done);
    }
    let columns = answer.index_card.team_statuses.iter();
    let mut column =
        columns.filter(|status| status.team_id == team.record.id).map(|status| &status.status_name);
    let column = column.next().cloned().unwrap_or_default();
    output::note(&format!("\"{}\" is in {column} of {team}.", answer.card.fields.name));
    if let Some(warning) = answer.wip_warning {
        output::note(&format!(
            "The column is over its limit: {} of {}.",
            warning.current,
            warning.limit.get()
        ));
    }
    Ok(Exit::Done)
}

fn text<const MAX: usize>(field: &str, value: String) -> CommandResult<Text<MAX>> {
    Text::try_from(value).map_err(|error| CommandFailure::usage(format!("the {field} {error}")))
}

fn set<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Absent, Patch::Set)
}
