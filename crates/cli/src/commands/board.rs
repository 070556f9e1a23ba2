//! Show a team's board: its columns side by side, as wide as the terminal.

use api::planning::boards::{GetBoard, GetBoardQuery};
use client::Client;
use domain::planning::board::{BoardColumn, ColumnCard};
use domain::planning::card::{OrNone, Priority};
use domain::planning::status::WipUnit;
use domain::time::DateOrTime;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::team::TeamArgument;

/// Narrowest column, and space between columns.
const NARROWEST: usize = 18;
const GAP: usize = 3;

/// Prints the board, as it is or as it was.
pub(crate) async fn run(
    client: &Client,
    team: &TeamArgument,
    (sprint, at): (Option<&str>, Option<DateOrTime>),
    global: &Global,
) -> CommandResult<Exit> {
    let team = team.find(client, Beginning::Taken).await?;
    let sprint_id = match sprint {
        None => None,
        Some("none") => Some(OrNone(None)),
        Some(sprint) => Some(OrNone(Some(team.sprint(client, Some(sprint), Beginning::Taken).await?.id))),
    };
    let at = at.map(DateOrTime::start);
    let sprint_id = sprint_id.map(Into::into);
    let query = GetBoardQuery { sprint_id, at, ..GetBoardQuery::default() };
    let board = client.call(GetBoard, team.path()).query(&query).await?.board;
    if global.json {
        output::json(&board);
    } else if board.columns.is_empty() {
        output::note(&format!("{team} has no columns."));
    } else {
        if let Some(at) = at {
            output::print(&output::dim(&output::as_of(at)));
        }
        for line in drawn(&board.columns, sprint.is_some(), output::terminal_width()) {
            output::print(&line);
        }
    }
    Ok(Exit::Done)
}

/// The lines of a board. Where not all columns fit beside each other, the rest is drawn below.
fn drawn(columns: &[BoardColumn], is_filtered: bool, width: usize) -> Vec<String> {
    let fitting = ((width + GAP) / (NARROWEST + GAP)).clamp(1, columns.len().max(1));
    let wide = ((width + GAP) / fitting).saturating_sub(GAP).max(1);
    let mut lines = Vec::new();
    for (place, group) in columns.chunks(fitting).enumerate() {
        if place > 0 {
            lines.push(String::new());
        }
        let cells: Vec<Vec<Cell>> = group.iter().map(|column| cells(column, is_filtered, wide)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        for row in 0..height {
            let last = cells.iter().rposition(|column| row < column.len()).unwrap_or_default();
            let line = cells.iter().take(last + 1).enumerate().map(|(place, column)| {
                // Nothing follows the last cell.
                let padding = if place == last { 0 } else { wide };
                column.get(row).map_or_else(|| " ".repeat(wide), |cell| cell.drawn(wide, padding))
            });
            lines.push(line.collect::<Vec<_>>().join(&" ".repeat(GAP)));
        }
    }
    lines
}

/// A line of a column.
enum Cell {
    Heading { text: String, is_full: bool },
    Card(String),
    About(String),
}

impl Cell {
    /// The text in at most `width` columns, filled up to `padding` columns.
    fn drawn(&self, width: usize, padding: usize) -> String {
        let padded = |text: &str| output::padded(&output::cut(text, width), padding);
        match self {
            Self::Heading { text, is_full: true } => output::styled("33;1", &padded(text)),
            Self::Heading { text, .. } => output::styled("1", &padded(text)),
            Self::Card(text) => padded(text),
            Self::About(text) => output::dim(&padded(text)),
        }
    }
}

fn cells(column: &BoardColumn, is_filtered: bool, width: usize) -> Vec<Cell> {
    let mut cells = vec![heading(column, is_filtered)];
    for card in &column.cards {
        cells.push(Cell::Card(titled(card, width)));
        if let Some(about) = about(card) {
            cells.push(Cell::About(format!("  {about}")));
        }
    }
    cells
}

/// Name, cards of the limit, and effort. With a filter, the number and the effort of the cards that pass it; a limit counts
/// all cards.
fn heading(column: &BoardColumn, is_filtered: bool) -> Cell {
    let status = &column.status;
    let used = match status.wip_unit {
        WipUnit::Count => column.card_count,
        WipUnit::Effort => column.effort,
    };
    let limit = status.wip_limit.map(|limit| i64::from(limit.get()));
    let (shown, is_full) = match limit {
        Some(limit) => (format!("{used}/{limit}"), used >= limit),
        None => (column.card_count.to_string(), false),
    };
    let name = status.name.as_str().to_uppercase();
    let full = if is_full { " full" } else { "" };
    if is_filtered {
        let effort: i64 = column.cards.iter().map(|card| i64::from(card.effort.get())).sum();
        let of_limit = limit.map_or_else(String::new, |_| format!(" of {shown}"));
        let text = format!("{name} {}{of_limit} ({effort}){full}", column.cards.len());
        return Cell::Heading { text, is_full };
    }
    Cell::Heading { text: format!("{name} {shown} ({}){full}", column.effort), is_full }
}

/// A card's key and name with its effort at the right.
fn titled(card: &ColumnCard, width: usize) -> String {
    let effort = match card.effort.get() {
        0 => String::new(),
        effort => format!(" {effort}"),
    };
    let left = width.saturating_sub(effort.chars().count());
    let key = card.key.as_ref().map(|key| format!("{key} ")).unwrap_or_default();
    let name = output::cut(&format!("{key}{}", card.name), left);
    format!("{}{effort}", output::padded(&name, left))
}

/// The blockers, a high priority, the assignees and the due date.
fn about(card: &ColumnCard) -> Option<String> {
    let names: Vec<&str> = card.assignees.iter().map(|user| user.display_name.as_str()).collect();
    let due = card.deadline.map(|deadline| format!("due {}", output::day(deadline)));
    let blocked = card.is_blocked.then(|| "blocked".to_owned());
    let urgent = (card.priority >= Priority::High).then(|| card.priority.to_string());
    let about = blocked.into_iter().chain(urgent);
    let parts: Vec<String> = about.chain((!names.is_empty()).then(|| names.join(", "))).chain(due).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}
