//! The difference of two answers of a board. Cards are compared by their JSON, and only those that differ are decoded.

use std::collections::{HashMap, HashSet};

use domain::id::{CardId, StatusId, TeamId};
use domain::planning::board::BoardAssignee;
use domain::planning::board::changes::{BoardCardChange, BoardChanges, BoardColumnChange, BoardRevision};
use domain::planning::custom_field::CustomField;
use domain::planning::status::StatusRecord;
use domain::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The changes from the answer `before` to the answer `now`, which is that of `revision`. Without one before, they are
/// those of an empty board.
///
/// # Errors
/// `INTERNAL_ERROR` if an answer is not a board.
pub fn difference(before: Option<&[u8]>, now: &[u8], revision: BoardRevision) -> Result<BoardChanges> {
    let now = AnswerParts::read(now)?.board;
    let before = before.map(AnswerParts::read).transpose()?.map(|parts| parts.board);
    let before_columns = before.as_ref().map(|board| board.columns.as_slice()).unwrap_or_default();
    let known: HashMap<StatusId, BoardColumnChange> =
        before_columns.iter().map(|column| (column.status.id, column.change())).collect();
    let columns = now.columns.iter().map(ColumnParts::change);
    let columns = columns.filter(|column| known.get(&column.status.id) != Some(column)).collect();
    let known: HashSet<CardText<'_>> = before_columns.iter().flat_map(ColumnParts::cards).collect();
    let current: HashSet<CardText<'_>> = now.columns.iter().flat_map(ColumnParts::cards).collect();
    // In the order of the board.
    let cards = now.columns.iter().flat_map(ColumnParts::cards).filter(|card| !known.contains(card));
    let cards: Vec<BoardCardChange> = cards.map(CardText::read).collect::<Result<_>>()?;
    let changed: HashSet<CardId> = cards.iter().map(|change| change.card.id).collect();
    let gone = before_columns.iter().flat_map(ColumnParts::cards).filter(|card| !current.contains(card));
    let gone: Vec<CardId> = gone.map(|card| card.id()).collect::<Result<_>>()?;
    Ok(BoardChanges {
        team_id: now.team_id,
        revision,
        is_whole: before.is_none(),
        column_ids: now.columns.iter().map(|column| column.status.id).collect(),
        columns,
        cards,
        removed_card_ids: gone.into_iter().filter(|id| !changed.contains(id)).collect(),
        fields: now.fields,
        field_users: now.field_users,
    })
}

/// An answer, decoded down to its cards.
#[derive(Deserialize)]
struct AnswerParts<'a> {
    #[serde(borrow)]
    board: BoardParts<'a>,
}

#[derive(Deserialize)]
struct BoardParts<'a> {
    team_id: TeamId,
    #[serde(borrow)]
    columns: Vec<ColumnParts<'a>>,
    fields: Vec<CustomField>,
    field_users: Vec<BoardAssignee>,
}

#[derive(Deserialize)]
struct ColumnParts<'a> {
    status: StatusRecord,
    card_count: i64,
    effort: i64,
    wip_exceeded: bool,
    #[serde(borrow)]
    cards: Vec<&'a RawValue>,
}

/// A card with its column, to compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CardText<'a> {
    status: StatusId,
    json: &'a str,
}

impl<'a> AnswerParts<'a> {
    fn read(answer: &'a [u8]) -> Result<Self> {
        serde_json::from_slice(answer).map_err(Error::internal)
    }
}

impl<'a> ColumnParts<'a> {
    fn cards(&self) -> impl Iterator<Item = CardText<'a>> {
        let status = self.status.id;
        self.cards.iter().map(move |card| CardText { status, json: card.get() })
    }

    fn change(&self) -> BoardColumnChange {
        let Self { status, card_count, effort, wip_exceeded, .. } = self;
        BoardColumnChange {
            status: status.clone(),
            card_count: *card_count,
            effort: *effort,
            wip_exceeded: *wip_exceeded,
        }
    }
}

impl CardText<'_> {
    fn id(&self) -> Result<CardId> {
        #[derive(Deserialize)]
        struct Id {
            id: CardId,
        }
        read::<Id>(self.json).map(|Id { id }| id)
    }

    fn read(self) -> Result<BoardCardChange> {
        Ok(BoardCardChange { status_id: self.status, card: read(self.json)? })
    }
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(Error::internal)
}
