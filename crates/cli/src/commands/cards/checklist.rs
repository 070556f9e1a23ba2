//! Add lines to checklists, and tick them.

use api::planning::cards::CardPath;
use api::planning::cards::checklist::{
    AddChecklistItem, AddChecklistItemRequest, ChecklistItemPath, ListChecklist, UpdateChecklistItem,
    UpdateChecklistItemRequest,
};
use client::Client;
use domain::patch::Patch;
use domain::planning::checklist::ChecklistText;
use domain::text::Text;

use crate::arguments::Global;
use crate::arguments::cards::CardArgument;
use crate::commands::cards::find;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::outcome;

/// Adds a line at the end of a card's checklist.
pub(super) async fn add(
    client: &Client,
    card: &CardArgument,
    text: String,
    global: &Global,
) -> CommandResult<Exit> {
    let refused = |error: &dyn std::fmt::Display| CommandFailure::usage(format!("the line {error}"));
    let text = Text::try_from(text).map_err(|error| refused(&error))?;
    let text = ChecklistText::try_from(text).map_err(|error| refused(&error))?;
    let (project, id) = find(client, card, Beginning::of_change(global.json)).await?;
    let path = CardPath { project_id: project.record.id.into(), card_id: id.into() };
    let request =
        AddChecklistItemRequest { text, is_done: None, after_item_id: None, expected_history_head_id: None };
    let answer = client.call_with(AddChecklistItem, path, &request).await?;
    outcome(&answer, "Added.", global.json);
    Ok(Exit::Done)
}

/// Ticks a line, or clears its tick.
pub(super) async fn tick(
    client: &Client,
    card: &CardArgument,
    line: usize,
    is_done: bool,
    global: &Global,
) -> CommandResult<Exit> {
    let (project, id) = find(client, card, Beginning::of_change(global.json)).await?;
    let path = CardPath { project_id: project.record.id.into(), card_id: id.into() };
    let items = client.call(ListChecklist, path.clone()).await?.items;
    let lines = items.len();
    let missing = || {
        let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        CommandFailure::usage(format!("the card's checklist has {lines}"))
    };
    let item = line.checked_sub(1).and_then(|at| items.get(at)).ok_or_else(missing)?;
    let CardPath { project_id, card_id } = path;
    let path = ChecklistItemPath { project_id, card_id, item_id: item.id };
    let request =
        UpdateChecklistItemRequest { is_done: Patch::Set(is_done), ..UpdateChecklistItemRequest::default() };
    let answer = client.call_with(UpdateChecklistItem, path, &request).await?;
    let state = if is_done { "done" } else { "not done" };
    outcome(&answer, &format!("\"{}\" is {state}.", answer.item.text.as_str()), global.json);
    Ok(Exit::Done)
}
