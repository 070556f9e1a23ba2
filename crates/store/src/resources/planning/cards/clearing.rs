//! Cards of a board when a team, a link to a project, or a column is removed.

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::{CardWrite, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::team_cards;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, TeamId};
use domain::people::permission::Permission;
use domain::planning::board::{CloseRule, ColumnTransition, Load, Placement, Wip};
use domain::planning::card::{BoardHeads, Effort};
use domain::planning::history::{FieldChanges, HistoryHead, HistoryKind, Sequence, TEAM_PLACEMENT};
use domain::planning::status::StatusRecord;
use domain::position::Position;
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::rows::card;
use crate::resources::planning::cards::boards;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::placements;
use crate::resources::store::Tx;

/// A part of a team's board.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoardPart {
    /// All cards.
    All,
    /// The cards of a project.
    Project(ProjectId),
    /// The cards in a column.
    Column(StatusId),
}

/// A card on a board, locked until the transaction ends.
#[derive(Clone, Debug)]
pub(crate) struct LockedCard {
    pub(crate) card: CardId,
    pub(crate) own_head: HistoryHead,
    pub(crate) board_heads: BoardHeads,
    project: ProjectId,
    is_open: bool,
    effort: Effort,
    placement: Placement,
}

/// New heads of cards, by card.
pub(crate) type Heads = BTreeMap<CardId, HistoryId>;

/// Locks the cards of a part of a team's board, in the order of their ids. The caller has locked the team, the column or the
/// link: no card comes or goes meanwhile.
pub(crate) async fn lock(tx: &mut Tx, team: TeamId, part: BoardPart) -> Result<Vec<LockedCard>> {
    let (project, status) = match part {
        BoardPart::All => (None, None),
        BoardPart::Project(project) => (Some(project.0), None),
        BoardPart::Column(status) => (None, Some(status.0)),
    };
    let rows: Vec<LockedCardRow> = Statement::new(include_str!("clearing/lock.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Nullable<SqlUuid>, _>(project)
        .bind::<Nullable<SqlUuid>, _>(status)
        .load(tx)
        .await?;
    rows.into_iter().map(|row| row.read(team)).collect()
}

/// Refuses a caller whose credential or role does not permit to write each of `cards`.
///
/// # Errors
/// `INSUFFICIENT_SCOPE`, `FORBIDDEN`.
pub(crate) async fn require_writable<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    cards: &[LockedCard],
) -> Result<()> {
    let projects: BTreeSet<ProjectId> = cards.iter().map(|card| card.project).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    if projects.is_empty() {
        return Ok(());
    }
    call.also::<CardWrite>()?;
    let writable = reachable::among(tx, call, &projects, Permission::CardWrite).await?;
    if writable.len() == projects.len() { Ok(()) } else { Err(Error::forbidden()) }
}

/// Removes locked cards from the team's board, each with a history row; returns their new heads.
pub(crate) async fn remove_from_board<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    team: TeamId,
    cards: &[LockedCard],
) -> Result<Heads> {
    let changed: Vec<RecordedChange<'_>> = cards
        .iter()
        .map(|card| {
            let entries = vec![placements::removal(card.card, &card.placement)];
            RecordedChange { card, entries, is_open: card.is_open }
        })
        .collect();
    let recorded = record(tx, call, changed).await?;
    let ids: Vec<Uuid> = cards.iter().map(|card| card.card.0).collect();
    let places =
        team_cards::table.filter(team_cards::team_id.eq(team.0).and(team_cards::card_id.eq_any(&ids)));
    let deleted = diesel::delete(places).execute(tx).await?;
    if deleted != ids.len() {
        return Err(Error::internal("the place of a locked card is gone"));
    }
    boards::reindex_moved(tx, team, &recorded.places).await?;
    Ok(recorded.heads)
}

/// Moves locked cards to the end of another column, in their order; returns their new heads. Each may be closed or reopened, as
/// in any move. The caller has locked the board's columns.
///
/// # Errors
/// `WIP_LIMIT_REACHED` if the other column takes no more cards.
pub(crate) async fn move_to_column<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    from: &StatusRecord,
    to: &StatusRecord,
    mut cards: Vec<LockedCard>,
) -> Result<Heads> {
    if cards.is_empty() {
        return Ok(Heads::new());
    }
    cards.sort_by(|one, other| one.placement.rank.cmp(&other.placement.rank));
    let target: TargetRow = Statement::new(include_str!("clearing/column.sql"))
        .bind::<SqlUuid, _>(to.id.0)
        .get_result(tx)
        .await?;
    if let Some(wip) = Wip::of(to) {
        let load = Load { cards: target.cards, effort: target.effort };
        wip.admit(to.id, cards.iter().map(|card| card.effort).fold(load, Load::and))?;
    }
    let last: Option<Position> = target.last.as_deref().map(decode::parse).transpose()?;
    let ranks = Position::in_a_row_after(last.as_ref(), cards.len());
    let rule = |column: &StatusRecord| CloseRule {
        transition_state: column.transition_state,
        close_mode: column.close_mode,
    };
    let transition =
        ColumnTransition { left: Some(rule(from)), into: rule(to), enters: true, close_card: false };
    let moved = |(card, rank): (_, &Position)| {
        let card: &LockedCard = card;
        let after = Placement {
            status_id: to.id,
            transition_state: to.transition_state,
            rank: rank.clone(),
            ..card.placement.clone()
        };
        let place = FieldChanges::of_element(TEAM_PLACEMENT, Some(&card.placement), Some(&after));
        let is_open = transition.leaves_open(card.is_open);
        let transition = if is_open { HistoryKind::Reopened } else { HistoryKind::Closed };
        let openness = FieldChanges::none().and("is_open", card.is_open, is_open);
        let entries =
            [Entry::new(card.card, HistoryKind::Moved, place), Entry::new(card.card, transition, openness)];
        let entries = entries.into_iter().filter(|entry| !entry.changes.is_empty()).collect();
        RecordedChange { card, entries, is_open }
    };
    let recorded = record(tx, call, cards.iter().zip(&ranks).map(moved).collect()).await?;
    let ids: Vec<Uuid> = cards.iter().map(|card| card.card.0).collect();
    let written = Statement::new(include_str!("clearing/move.sql"))
        .bind::<SqlUuid, _>(to.team_id.0)
        .bind::<SqlUuid, _>(to.id.0)
        .bind::<Array<SqlUuid>, _>(&ids)
        .bind::<Array<Text>, _>(ranks.iter().map(Position::as_str).collect::<Vec<_>>())
        .execute(tx)
        .await?;
    if written != ids.len() {
        return Err(Error::internal("the place of a locked card is gone"));
    }
    boards::reindex_moved(tx, to.team_id, &recorded.places).await?;
    Ok(recorded.heads)
}

/// The change of a locked card.
struct RecordedChange<'a> {
    card: &'a LockedCard,
    entries: Vec<Entry>,
    is_open: bool,
}

/// The last history rows of changed cards.
#[derive(Default)]
struct RecordedHeads {
    /// The cards' heads for the caller.
    heads: Heads,
    /// Those of the places on the team's board.
    places: BTreeMap<CardId, HistoryHead>,
}

/// Writes changes of cards with their history.
async fn record<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    changed: Vec<RecordedChange<'_>>,
) -> Result<RecordedHeads> {
    let mut by_project: BTreeMap<ProjectId, Vec<RecordedChange<'_>>> = BTreeMap::new();
    for change in changed {
        by_project.entry(change.card.project).or_default().push(change);
    }
    let mut recorded = RecordedHeads::default();
    for (project, changed) in by_project {
        let open: BTreeMap<CardId, bool> =
            changed.iter().map(|change| (change.card.card, change.is_open)).collect();
        let entries: Vec<Entry> = changed.into_iter().flat_map(|change| change.entries).collect();
        let written = history::append(tx, call, project, &entries).await?;
        let mut opened = Vec::new();
        for (entry, head) in entries.iter().zip(written) {
            recorded.heads.insert(entry.card, head.id);
            match (entry.board(), open.get(&entry.card)) {
                (Some(_), _) => drop(recorded.places.insert(entry.card, head)),
                (None, is_open) => opened.push((entry.card, head, is_open.copied().unwrap_or_default())),
            }
        }
        save_opened(tx, call, &opened).await?;
    }
    Ok(recorded)
}

/// Writes cards that were closed or reopened, with their new heads.
async fn save_opened<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    cards: &[(CardId, HistoryHead, bool)],
) -> Result<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let written = Statement::new(include_str!("clearing/save_opened.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(card, ..)| card.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(_, head, _)| head.id.0).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(cards.iter().map(|(_, head, _)| head.sequence.0).collect::<Vec<_>>())
        .bind::<Array<Bool>, _>(cards.iter().map(|(.., is_open)| *is_open).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a locked card is gone")) }
}

/// The cards in the target column.
#[derive(QueryableByName)]
struct TargetRow {
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
    #[diesel(sql_type = Nullable<Text>)]
    last: Option<String>,
}

#[derive(QueryableByName)]
struct LockedCardRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    history_head_id: Uuid,
    #[diesel(sql_type = BigInt)]
    history_head_sequence: i64,
    #[diesel(sql_type = Jsonb)]
    board_heads: Value,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Integer)]
    effort: i32,
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = Text)]
    transition_state: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    sprint_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    rank: String,
}

impl LockedCardRow {
    fn read(self, team: TeamId) -> Result<LockedCard> {
        Ok(LockedCard {
            card: CardId(self.id),
            own_head: HistoryHead {
                id: HistoryId(self.history_head_id),
                sequence: Sequence(self.history_head_sequence),
            },
            board_heads: card::board_heads(&self.board_heads)?,
            project: ProjectId(self.project_id),
            is_open: self.is_open,
            effort: Effort::try_from(i64::from(self.effort)).map_err(Error::internal)?,
            placement: Placement {
                team_id: team,
                status_id: StatusId(self.status_id),
                transition_state: decode::text(&self.transition_state)?,
                sprint_id: self.sprint_id.map(SprintId),
                rank: decode::parse(&self.rank)?,
            },
        })
    }
}
