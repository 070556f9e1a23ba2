//! The values of cards at a moment: of each field, and of each element of a collection, the last one that the history
//! tells.

use std::collections::BTreeMap;

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId, TeamId, UserId};
use domain::planning::board::Placement;
use domain::planning::card::{BoardHeads, CardFields, Effort};
use domain::planning::checklist::{ChecklistCount, ChecklistItem};
use domain::planning::history::{CHECKLIST_ITEM, HistoryHead, PARENT, RELATION, Sequence, TEAM_PLACEMENT};
use domain::planning::past::PastMoment;
use domain::planning::relation::{FarParent, RelationDirection, RelationKind};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

/// Begins the names of custom fields in the history.
const CUSTOM_FIELD: &str = "fields.";
/// The field of a card that tells if it is open.
const IS_OPEN: &str = "is_open";

/// The fields of cards to read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FieldChoice<'a> {
    /// Only these; all if absent.
    pub(super) only: Option<&'a [&'a str]>,
    /// The rows of these count, and their values stay unread.
    pub(super) unread: &'a [&'a str],
}

/// A card at a moment.
#[derive(Debug)]
pub(super) struct PastCard {
    pub(super) id: CardId,
    pub(super) project: ProjectId,
    /// In the order of their rows.
    values: Vec<PastValue>,
}

/// The last value of a field or an element.
#[derive(Debug)]
pub(super) struct PastValue {
    field: String,
    /// Of an ended one the last value before its end.
    pub(super) value: Value,
    is_present: bool,
    is_own: bool,
    head: HistoryHead,
    /// The time since which it is so.
    pub(super) since: Timestamp,
    /// The user who made it so.
    pub(super) actor: UserId,
}

/// A relation to another card, as the history of a card tells it.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct PastRelation {
    /// The other card.
    #[serde(rename = "id")]
    pub(super) other: CardId,
    pub(super) kind: RelationKind,
    pub(super) direction: RelationDirection,
    /// The project of the other card, if it is another one.
    #[serde(rename = "project_id")]
    pub(super) project: Option<ProjectId>,
}

/// Those of `cards` that existed at a moment. The caller decides on access to them.
pub(super) async fn read(
    connection: &Connection,
    cards: Vec<Uuid>,
    at: PastMoment,
    choice: FieldChoice<'_>,
) -> Result<BTreeMap<CardId, PastCard>> {
    if cards.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<ValueRow> = Statement::new(include_str!("values/read.sql"))
        .bind::<Array<SqlUuid>, _>(cards)
        .bind::<Timestamptz, _>(at.time().0)
        .bind::<Nullable<Array<Text>>, _>(choice.only.map(<[&str]>::to_vec))
        .bind::<Array<Text>, _>(choice.unread.to_vec())
        .load(connection)
        .await?;
    let mut found: BTreeMap<CardId, PastCard> = BTreeMap::new();
    for row in rows {
        let id = CardId(row.card_id);
        let card = found.entry(id).or_insert_with(|| PastCard {
            id,
            project: ProjectId(row.project_id),
            values: Vec::new(),
        });
        card.values.push(row.value());
    }
    // Before its creation a card has no name, and after its deletion none any more.
    found.retain(|_, card| card.field("name").is_some());
    for card in found.values_mut() {
        card.values.sort_by_key(|value| value.head.sequence);
    }
    Ok(found)
}

impl PastCard {
    /// A field that is no collection, if it has a value.
    fn field(&self, name: &str) -> Option<&PastValue> {
        self.values.iter().find(|value| value.is_present && value.field == name)
    }

    /// The elements of a collection, in the order in which they came.
    pub(super) fn elements(&self, field: &str) -> impl Iterator<Item = &PastValue> {
        self.values.iter().filter(move |value| value.is_present && value.field == field)
    }

    /// The elements of a collection of ids, in the order in which they came.
    pub(super) fn ids(&self, field: &str) -> Result<Vec<Uuid>> {
        self.elements(field).map(PastValue::read).collect()
    }

    pub(super) fn name(&self) -> Result<Name> {
        self.field("name").ok_or_else(|| Error::internal("a card without a name"))?.read()
    }

    pub(super) fn effort(&self) -> Result<Effort> {
        self.field("effort").map_or(Ok(Effort::default()), PastValue::read)
    }

    pub(super) fn is_open(&self) -> Result<bool> {
        self.field(IS_OPEN).map_or(Ok(true), PastValue::read)
    }

    /// The time of closing. `latest` is that of the card as it is now, which an import may have put before its row.
    pub(super) fn closed_at(&self, latest: Option<Timestamp>) -> Result<Option<Timestamp>> {
        if self.is_open()? {
            return Ok(None);
        }
        let since = self.field(IS_OPEN).map(|value| value.since);
        Ok(since.map(|since| latest.map_or(since, |latest| latest.min(since))))
    }

    /// The fields that people write.
    pub(super) fn fields(&self) -> Result<CardFields> {
        let (mut fields, mut custom) = (Map::new(), Map::new());
        for value in self.values.iter().filter(|value| value.is_present && !value.value.is_null()) {
            match value.field.strip_prefix(CUSTOM_FIELD) {
                Some(id) => drop(custom.insert(id.to_owned(), value.value.clone())),
                None => drop(fields.insert(value.field.clone(), value.value.clone())),
            }
        }
        fields.insert("fields".to_owned(), Value::Object(custom));
        serde_json::from_value(Value::Object(fields)).map_err(Error::internal)
    }

    pub(super) fn checklist(&self) -> Result<ChecklistCount> {
        let mut count = ChecklistCount::default();
        for line in self.elements(CHECKLIST_ITEM) {
            count.total += 1;
            count.done += u32::from(line.read::<ChecklistItem>()?.is_done);
        }
        Ok(count)
    }

    /// The parent in another project, also one that a reader doesn't see.
    pub(super) fn far_parent(&self) -> Result<Option<FarParent>> {
        self.elements(PARENT).last().map(PastValue::read).transpose()
    }

    /// The relations, also those that a reader doesn't see.
    pub(super) fn relations(&self) -> Result<Vec<PastRelation>> {
        self.elements(RELATION).map(PastValue::read).collect()
    }

    /// The places on boards, by team.
    pub(super) fn placements(&self) -> Result<Vec<Placement>> {
        let mut places: Vec<Placement> =
            self.elements(TEAM_PLACEMENT).map(PastValue::read).collect::<Result<_>>()?;
        places.sort_by_key(|place| place.team_id);
        Ok(places)
    }

    /// The place on a team's board, if the card was there, and the number of its row.
    pub(super) fn place_on(&self, team: TeamId) -> Result<Option<(Placement, Sequence)>> {
        for value in self.elements(TEAM_PLACEMENT) {
            let place: Placement = value.read()?;
            if place.team_id == team {
                return Ok(Some((place, value.head.sequence)));
            }
        }
        Ok(None)
    }

    /// The head of the card itself, and those of its places on boards, also of boards that it had left.
    pub(super) fn heads(&self) -> Result<(HistoryHead, BoardHeads)> {
        let own = self.values.iter().rfind(|value| value.is_own).map(|value| value.head);
        let mut boards = BoardHeads::default();
        for place in self.values.iter().filter(|value| value.field == TEAM_PLACEMENT) {
            boards.0.insert(place.read::<Placement>()?.team_id, place.head);
        }
        Ok((own.ok_or_else(|| Error::internal("a card without a head"))?, boards))
    }
}

impl PastValue {
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.value).map_err(Error::internal)
    }
}

#[derive(QueryableByName)]
struct ValueRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Text)]
    field: String,
    #[diesel(sql_type = Bool)]
    is_present: bool,
    #[diesel(sql_type = Bool)]
    is_own: bool,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Timestamptz)]
    occurred_at: OffsetDateTime,
    #[diesel(sql_type = SqlUuid)]
    actor_user_id: Uuid,
    #[diesel(sql_type = Jsonb)]
    value: Value,
}

impl ValueRow {
    fn value(self) -> PastValue {
        PastValue {
            field: self.field,
            value: self.value,
            is_present: self.is_present,
            is_own: self.is_own,
            head: HistoryHead { id: HistoryId(self.id), sequence: Sequence(self.sequence) },
            since: Timestamp::from(self.occurred_at),
            actor: UserId(self.actor_user_id),
        }
    }
}
