//! Sprint reports: a pure function of the history of all cards that were ever in the sprint, and of the changes of the
//! team's columns.
//!
//! The same rows always give the same report.

mod replay;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
use crate::planning::history::{FieldChanges, Sequence};
use crate::planning::sprint::SprintStatus;
use crate::planning::sprint::report::replay::Replay;
use crate::planning::status::TransitionState;
use crate::time::{Timestamp, Zone};

/// A sprint's report. Numbers count every card; the lists name those that the reader can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReport")]
pub struct SprintReport {
    /// The sprint.
    pub sprint_id: SprintId,
    /// State of the sprint. The report of a completed sprint never changes.
    pub status: SprintStatus,
    /// The moment that the report describes.
    pub as_of: Timestamp,
    /// Cards in the sprint at its start, with their effort at that time; for a planned sprint, its cards now.
    pub scope_at_start: SprintReportPart,
    /// Cards added after the start, including those that left again.
    pub added: SprintReportPart,
    /// Cards that left after the start for good: removed from the sprint or the board, or deleted.
    pub removed: SprintReportPart,
    /// Cards in the sprint at the end that are closed or in a column that is closed then.
    pub done: SprintReportPart,
    /// Cards in the sprint at the end that are not done.
    pub carried_over: SprintReportPart,
    /// The burndown: each day of the team's time zone from the start date to the day of `as_of`. Empty for a planned sprint.
    pub days: Vec<Day>,
}

/// A group of the sprint's cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportPart")]
pub struct SprintReportPart {
    /// All cards.
    pub total: Tally,
    /// The cards that the reader can read.
    pub cards: Vec<ReportCard>,
}

/// A number of cards and their effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportTally")]
pub struct Tally {
    /// Number of cards.
    pub cards: i64,
    /// Sum of their effort.
    pub effort: i64,
}

/// A card in a report. It may have been deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportCard")]
pub struct ReportCard {
    /// Its id.
    pub id: CardId,
    /// Its project.
    pub project_id: ProjectId,
    /// Name at the end.
    pub name: String,
    /// Estimate: in `scope_at_start` that at the start, elsewhere that of the card's last moment in the sprint.
    pub effort: i64,
}

/// The sprint at the end of a day. Days before the actual start show the scope at start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SprintReportDay")]
pub struct Day {
    /// The beginning of the day in the team's time zone.
    pub day: Timestamp,
    /// Cards in the sprint.
    pub scope: Tally,
    /// Cards that were done.
    pub done: Tally,
    /// Cards that were not done.
    pub remaining: Tally,
}

/// The sprint of a report.
#[derive(Clone, Debug)]
pub struct SprintFacts {
    /// The sprint.
    pub sprint: SprintId,
    /// Its team.
    pub team: TeamId,
    /// The time zone of its days.
    pub zone: Zone,
    /// State.
    pub status: SprintStatus,
    /// Start date.
    pub start: Option<Timestamp>,
    /// End date.
    pub end: Option<Timestamp>,
    /// The last history sequence before its start; `None` for a planned sprint.
    pub started: Option<Sequence>,
    /// Its completion, or now.
    pub as_of: Timestamp,
}

/// A history row of a card that was ever in the sprint.
#[derive(Clone, Debug)]
pub struct SprintCardChange {
    /// Sequence of the row.
    pub sequence: Sequence,
    /// The card.
    pub card: CardId,
    /// Its project.
    pub project: ProjectId,
    /// Time of the row.
    pub at: Timestamp,
    /// The changed fields.
    pub changes: FieldChanges,
}

/// A change of a column's transition state. Its cards are judged by the new state from then on.
#[derive(Clone, Copy, Debug)]
pub struct ColumnChange {
    /// Its number in the sequence of history rows.
    pub sequence: Sequence,
    /// The column.
    pub column: StatusId,
    /// Time of the change.
    pub at: Timestamp,
    /// The new state.
    pub state: TransitionState,
}

/// Computes a report from the rows of the sprint's cards and the changes of the team's columns up to its completion or
/// now, both ordered by sequence.
pub fn report(course: &SprintFacts, events: &[SprintCardChange], columns: &[ColumnChange]) -> SprintReport {
    let mut replay = Replay::new(course);
    let mut columns = columns.iter().peekable();
    for event in events {
        while let Some(change) = columns.next_if(|change| change.sequence < event.sequence) {
            replay.change_column(change);
        }
        replay.advance(event.sequence, event.at);
        replay.apply(event);
    }
    for change in columns {
        replay.change_column(change);
    }
    replay.begin();
    replay.end();
    replay.report()
}

impl SprintReport {
    /// Removes the cards of unreadable projects from the lists.
    #[must_use]
    pub fn readable_by(mut self, is_readable: impl Fn(ProjectId) -> bool) -> Self {
        for part in [
            &mut self.scope_at_start,
            &mut self.added,
            &mut self.removed,
            &mut self.done,
            &mut self.carried_over,
        ] {
            part.cards.retain(|card| is_readable(card.project_id));
        }
        self
    }

    /// The projects of the listed cards.
    pub fn projects(&self) -> Vec<ProjectId> {
        let parts = [&self.scope_at_start, &self.added, &self.removed, &self.done, &self.carried_over];
        let mut projects: Vec<ProjectId> =
            parts.iter().flat_map(|part| &part.cards).map(|card| card.project_id).collect();
        projects.sort();
        projects.dedup();
        projects
    }
}

impl Tally {
    fn add(&mut self, effort: i64) {
        self.cards += 1;
        self.effort += effort;
    }
}

impl SprintReportPart {
    fn of(cards: impl Iterator<Item = ReportCard>) -> Self {
        let mut part = Self::default();
        for card in cards {
            part.total.add(card.effort);
            part.cards.push(card);
        }
        part
    }
}
