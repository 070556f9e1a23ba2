//! Boards of an export: teams with their columns, sprints, and the places of cards.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::id::{OrganizationId, SprintId, StatusId, TeamId};
use domain::planning::card::CardRecord;
use domain::planning::import::ImportItem;
use domain::planning::import::board::{IMPORT_MAX_BOARDS, IMPORT_MAX_SPRINTS, ImportedPlacement};
use domain::planning::project_export::{ExportedPlacement, ExportedTeam};
use domain::planning::sprint::{SprintRecord, SprintStatus};
use domain::planning::status::{StatusRecord, TEAM_MAX_STATUSES};
use domain::search::fold_case;
use domain::time::Timestamp;

use crate::deviation::{Deviation, DeviationReason, Place};
use crate::plan::stored;
use crate::settings::ReadError;

/// The boards as they are read.
#[derive(Default)]
pub(super) struct ExportedBoards {
    /// The organization of all teams.
    organization: Option<OrganizationId>,
    /// Teams in the order of the file.
    teams: Vec<ExportedTeam>,
    /// Names of teams, columns and sprints.
    names: HashMap<TeamId, String>,
    columns: HashMap<(TeamId, StatusId), String>,
    sprint_names: HashMap<(TeamId, SprintId), String>,
    /// Sprints with their lines, in the order of the file.
    sprints: Vec<(u64, SprintRecord)>,
    /// Ids of teams, columns and sprints.
    ids: HashSet<u128>,
    placements: Vec<ImportedPlacement>,
}

impl ExportedBoards {
    /// Takes a team with its columns.
    pub(super) fn take_team(&mut self, line: u64, team: ExportedTeam) -> Result<(), ReadError> {
        let refused = |reason: &str| Err(ReadError::Line { line, reason: reason.to_owned() });
        let record = &team.team;
        if self.teams.len() >= IMPORT_MAX_BOARDS {
            return refused("more teams than an import takes");
        }
        if *self.organization.get_or_insert(record.organization_id) != record.organization_id {
            return refused("a team of another organization than the teams before it");
        }
        if team.columns.len() > TEAM_MAX_STATUSES {
            return refused("more columns than a board has");
        }
        if team.columns.iter().any(|column| column.team_id != record.id) {
            return refused("a column of another team");
        }
        let names: HashSet<String> =
            team.columns.iter().map(|column| fold_case(column.name.as_str())).collect();
        if names.len() != team.columns.len() {
            return refused("two columns of one name");
        }
        if !team.columns.is_sorted_by(|left, right| left.position < right.position) {
            return refused("columns that are not in the order of their positions");
        }
        let mut ids = std::iter::once(record.id.0).chain(team.columns.iter().map(|column| column.id.0));
        if !ids.all(|id| self.ids.insert(id.as_u128())) {
            return refused("a team or a column with the id of an earlier one");
        }
        let named = |column: &StatusRecord| ((record.id, column.id), column.name.to_string());
        self.columns.extend(team.columns.iter().map(named));
        self.names.insert(record.id, record.name.to_string());
        self.teams.push(team);
        Ok(())
    }

    /// Takes a sprint of one of the teams.
    pub(super) fn take_sprint(&mut self, line: u64, sprint: SprintRecord) -> Result<(), ReadError> {
        let refused = |reason: &str| Err(ReadError::Line { line, reason: reason.to_owned() });
        if self.sprints.len() >= IMPORT_MAX_SPRINTS {
            return refused("more sprints than an import takes");
        }
        if !self.names.contains_key(&sprint.team_id) {
            return refused("a sprint of a team that no line before it has");
        }
        if sprint.period().is_err() {
            return refused("a sprint whose end does not fit its start");
        }
        if sprint.status != SprintStatus::Planned && days(&sprint).is_none() {
            return refused("a sprint that was started without both days");
        }
        if !self.ids.insert(sprint.id.0.as_u128()) {
            return refused("a sprint with the id of an earlier line");
        }
        self.sprint_names.insert((sprint.team_id, sprint.id), sprint.name.to_string());
        self.sprints.push((line, sprint));
        Ok(())
    }

    /// Takes a card's place. Parts that the file doesn't have are told.
    pub(super) fn take_placement(
        &mut self,
        place: &Place,
        card: &CardRecord,
        placement: &ExportedPlacement,
    ) -> Option<Deviation> {
        let shown = self.shown(placement);
        if !self.columns.contains_key(&(placement.team_id, placement.status_id)) {
            return Some(place.deviation("board", &shown, DeviationReason::Elsewhere));
        }
        let known = |sprint: &SprintId| self.sprint_names.contains_key(&(placement.team_id, *sprint));
        let sprint = placement.sprint_id.filter(known);
        self.placements.push(ImportedPlacement {
            card: card.id.to_string(),
            card_key: stored(&card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string)),
            team: placement.team_id,
            column: placement.status_id,
            sprint,
            rank: placement.rank.clone(),
            shown,
        });
        let lost = placement.sprint_id.filter(|_| sprint.is_none())?;
        Some(place.deviation("sprint", &lost.to_string(), DeviationReason::Elsewhere))
    }

    /// Sprints of a team that are not over and share days.
    pub(super) fn overlaps(&self) -> Vec<Deviation> {
        let mut open: BTreeMap<TeamId, Vec<(Timestamp, Timestamp, u64, &SprintRecord)>> = BTreeMap::new();
        for (line, sprint) in &self.sprints {
            if let (Some((start, end)), false) = (days(sprint), sprint.status == SprintStatus::Completed) {
                open.entry(sprint.team_id).or_default().push((start, end, *line, sprint));
            }
        }
        let mut told = Vec::new();
        for mut sprints in open.into_values() {
            sprints.sort_by_key(|(start, end, line, _)| (*start, *end, *line));
            let mut latest: Option<Timestamp> = None;
            for (start, end, line, sprint) in sprints {
                if latest.is_some_and(|latest| start <= latest) {
                    let place = Place { line: Some(line), issue: None };
                    told.push(place.deviation(
                        "sprint",
                        sprint.name.as_str(),
                        DeviationReason::SprintOverlap,
                    ));
                }
                latest = latest.max(Some(end));
            }
        }
        told
    }

    /// The steps, from a level on: teams, sprints, places board by board from the top, starts and ends of sprints.
    pub(super) fn items(self, first_level: usize) -> Vec<(usize, ImportItem)> {
        let level = |after: usize| first_level.saturating_add(after);
        let boards: HashMap<TeamId, usize> =
            self.teams.iter().enumerate().map(|(at, team)| (team.team.id, at)).collect();
        let mut placements: Vec<(usize, ImportedPlacement)> = self
            .placements
            .into_iter()
            .filter_map(|placement| Some((boards.get(&placement.team).copied()?, placement)))
            .collect();
        placements.sort_by(|(board, one), (other_board, other)| {
            let order = |place: &ImportedPlacement| (place.rank.is_none(), place.rank.clone());
            (board, order(one)).cmp(&(other_board, order(other)))
        });
        let last = level(2).saturating_add(self.teams.len());
        let mut items: Vec<(usize, ImportItem)> =
            self.teams.into_iter().map(|team| (level(0), ImportItem::Team(Box::new(team)))).collect();
        let sprints = || self.sprints.iter().map(|(_, sprint)| Box::new(sprint.clone()));
        items.extend(sprints().map(|sprint| (level(1), ImportItem::Sprint(sprint))));
        // A step holds one board.
        let place = |(board, placement): (usize, ImportedPlacement)| {
            (level(2).saturating_add(board), ImportItem::Placement(placement))
        };
        items.extend(placements.into_iter().map(place));
        let begun = sprints().filter(|sprint| sprint.status != SprintStatus::Planned);
        items.extend(begun.map(|sprint| (last, ImportItem::SprintState(sprint))));
        items
    }

    /// A place in words.
    fn shown(&self, placement: &ExportedPlacement) -> String {
        let ExportedPlacement { team_id, status_id, sprint_id, .. } = placement;
        let team = self.names.get(team_id).cloned().unwrap_or_else(|| team_id.to_string());
        let column = self.columns.get(&(*team_id, *status_id)).cloned();
        let column = column.unwrap_or_else(|| status_id.to_string());
        let sprint = sprint_id
            .map(|id| self.sprint_names.get(&(*team_id, id)).cloned().unwrap_or_else(|| id.to_string()));
        [Some(team), Some(column), sprint].into_iter().flatten().collect::<Vec<_>>().join(" / ")
    }
}

fn days(sprint: &SprintRecord) -> Option<(Timestamp, Timestamp)> {
    Some((sprint.start_date?, sprint.end_date?))
}
