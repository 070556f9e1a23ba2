//! The history of cards. Only this module writes it, checks expected heads against it, and reads it.
//!
//! A card has a head of its own, and one for each board that it was ever on. A reader's head is the latest of those that the
//! reader sees (docs/design/history.md).

pub mod feed;

use auth::actor::Requirement;
use database::error::{SqlError, SqlResult};
use database::prelude::*;
use diesel::deserialize::{self, QueryableByName};
use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::change::ChangeData;
use domain::event::change::data::ChangedCard;
use domain::id::{CardId, HistoryId, ProjectId, TeamId};
use domain::planning::card::{CardState, ShownCard};
use domain::planning::history::{FieldChanges, HistoryHead, HistoryKind, Sequence};
use domain::{Code, Error, Result};
use futures_util::future::join;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::rows::card;
use crate::resources::outbox::NewChangeEvent;
use crate::resources::planning::cards::{boards, view};
use crate::resources::store::Tx;

/// The result of a card's mutation, as proof that its history is written. Without a change, nothing is written, and the head
/// stays.
#[derive(Clone, Debug)]
pub struct Recorded<T> {
    value: T,
    head: HistoryHead,
}

impl<T> Recorded<T> {
    /// The card's head for the caller after the mutation.
    pub fn head(&self) -> HistoryHead {
        self.head
    }

    /// The result with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Recorded<U> {
        Recorded { value: f(self.value), head: self.head }
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl Recorded<CardState> {
    /// The changed card as the caller sees it.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn shown<P>(self, tx: &mut Tx, call: &Call<P>) -> Result<ShownCard> {
        view::card(tx, call, self.into_value(), None).await
    }

    /// As [`Recorded::shown`] for a caller who sees `team`.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn shown_on<P>(self, tx: &mut Tx, call: &Call<P>, team: TeamId) -> Result<ShownCard> {
        view::card(tx, call, self.into_value(), Some(team)).await
    }
}

/// A row to write.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) card: CardId,
    kind: HistoryKind,
    pub(crate) changes: FieldChanges,
}

impl Entry {
    pub(crate) fn new(card: CardId, kind: HistoryKind, changes: FieldChanges) -> Self {
        Self { card, kind, changes }
    }

    /// The team on whose board the card was placed, moved or removed; `None` for a change of the card itself.
    pub(crate) fn board(&self) -> Option<TeamId> {
        self.changes.team()
    }
}

/// Appends rows; returns the last one as the new head. The caller then writes the change with this head.
pub(crate) async fn write<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    entries: &[Entry],
) -> Result<Recorded<()>> {
    let heads = append(tx, call, project, entries).await?;
    let head = heads.last().copied().ok_or_else(|| Error::internal("no history was written"))?;
    Ok(Recorded { value: (), head })
}

/// Records `entries` and saves the card after `change`, with its boards. Without entries, nothing happens. Of places on boards,
/// the caller sees those that the entries change.
pub(super) async fn record<P: Requirement>(
    tx: &mut Tx,
    card: &Card<P>,
    call: &Call<P>,
    entries: Vec<Entry>,
    change: impl FnOnce(&mut CardState),
) -> Result<Recorded<CardState>> {
    record_beside(tx, card, call, entries, change, async |_| Ok(())).await
}

/// As [`record`], with the statements of `write`, which travel before the rows of the history.
pub(super) async fn record_beside<P: Requirement>(
    tx: &mut Tx,
    card: &Card<P>,
    call: &Call<P>,
    entries: Vec<Entry>,
    change: impl FnOnce(&mut CardState),
    write: impl AsyncFnOnce(&Connection) -> Result<()>,
) -> Result<Recorded<CardState>> {
    let mut state = card.state.clone();
    if entries.is_empty() {
        write(tx).await?;
        return Ok(Recorded { head: view::head(tx, call, &state).await?, value: state });
    }
    let heads = append_after(tx, call, card.project.record.id, &entries, write).await?;
    change(&mut state);
    let (mut is_changed, mut last) = (false, state.head);
    for (entry, head) in entries.iter().zip(heads) {
        last = head;
        match entry.board() {
            Some(team) => drop(state.board_heads.0.insert(team, head)),
            None => (is_changed, state.head) = (true, head),
        }
    }
    if is_changed {
        // The request may have waited for a later one.
        state.card.updated_at = call.now.max(state.card.updated_at);
        card::save(tx, &card.state, &mut state).await?;
    }
    if state.board_heads != card.state.board_heads {
        state.boards = boards::reindex_one(tx, card.id(), &state.board_heads).await?;
    }
    Ok(Recorded { value: state, head: last })
}

/// Refuses an expected head that is not the card's for the caller.
pub(super) async fn require_head<P>(
    tx: &mut Tx,
    card: &Card<P>,
    call: &Call<P>,
    expected: Option<HistoryId>,
) -> Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    let current = view::head(tx, call, &card.state).await?.id;
    if expected == current { Ok(()) } else { Err(conflict(card, expected, current)) }
}

/// Refuses `entries` if one of them changes a field or element that has moved since the expected head (docs/api.md, section 5).
/// A head that the card never had counts as a conflict.
pub(super) async fn require_unmoved<P, Q>(
    tx: &mut Tx,
    card: &Card<P>,
    call: &Call<Q>,
    expected: Option<HistoryId>,
    entries: &[Entry],
) -> Result<()> {
    let last = card.state.board_heads.head(card.state.head, |_| true);
    let Some(expected) = expected.filter(|expected| *expected != last.id) else {
        return Ok(());
    };
    let (fields, elements): (Vec<&str>, Vec<Option<&str>>) =
        entries.iter().flat_map(|entry| entry.changes.touched()).unzip();
    let MovedRow { since, has_moved } = Statement::new(include_str!("moved.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .bind::<SqlUuid, _>(expected.0)
        .bind::<Array<Text>, _>(fields)
        .bind::<Array<Nullable<Text>>, _>(elements)
        .get_result(tx)
        .await?;
    let is_unknown = since.is_none() && !entries.is_empty();
    if !is_unknown && !has_moved {
        return Ok(());
    }
    Err(conflict(card, expected, view::head(tx, call, &card.state).await?.id))
}

/// Appends rows; returns their ids and numbers, in their order.
pub(crate) async fn append<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    entries: &[Entry],
) -> Result<Vec<HistoryHead>> {
    append_after(tx, call, project, entries, async |_| Ok(())).await
}

async fn append_after<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    entries: &[Entry],
    write: impl AsyncFnOnce(&Connection) -> Result<()>,
) -> Result<Vec<HistoryHead>> {
    let ids = new_ids(call, entries);
    let insert = insert_statement(include_str!("append_history.sql"), call, project, (entries, &ids))?;
    let (written, rows): (_, SqlResult<Vec<HeadRow>>) = join(write(tx), insert.load(tx)).await;
    written?;
    let rows = rows.map_err(append_failure)?;
    let mut heads: Vec<HistoryHead> = rows.into_iter().map(|row| row.head()).collect();
    heads.sort_by_key(|head| head.sequence);
    publish(tx, call, project, (entries, &ids))?;
    Ok(heads)
}

/// An id for each row to write.
pub(super) fn new_ids<P>(call: &Call<P>, entries: &[Entry]) -> Vec<HistoryId> {
    entries.iter().map(|_| HistoryId::new(call.now)).collect()
}

/// Publishes the change that each row tells.
pub(super) fn publish<P>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    (entries, ids): (&[Entry], &[HistoryId]),
) -> Result<()> {
    for (entry, id) in entries.iter().zip(ids) {
        let subject = ChangedCard { card: entry.card, project, history: *id };
        let change = ChangeData::of_card(subject, entry.kind, &entry.changes)?;
        tx.publish(match entry.board() {
            Some(team) => NewChangeEvent::of_board(call, project, team, change),
            None => {
                // A deleted card is on no board when the events are written.
                let is_deletion = entry.kind == HistoryKind::Deleted;
                let left = entries.iter().filter(|other| is_deletion && other.card == entry.card);
                NewChangeEvent::of_card(call, (project, entry.card), left.filter_map(Entry::board), change)
                    .telling_of(entry.changes.other_project())
            }
        });
    }
    Ok(())
}

/// A statement that inserts `entries` with their ids. `sql` is `append_history.sql`, or has its parameters and more from
/// `$10` on.
pub(super) fn insert_statement<P: Requirement>(
    sql: &'static str,
    call: &Call<P>,
    project: ProjectId,
    (entries, ids): (&[Entry], &[HistoryId]),
) -> Result<Statement<'static>> {
    let changes: Result<Vec<Value>, _> =
        entries.iter().map(|entry| serde_json::to_value(&entry.changes)).collect();
    Ok(Statement::new(sql)
        .bind::<SqlUuid, _>(project.0)
        .bind::<SqlUuid, _>(call.actor.user.0)
        .bind::<Nullable<SqlUuid>, _>(call.actor.key().map(|key| key.0))
        .bind::<Nullable<SqlUuid>, _>(call.actor.session().map(|session| session.0))
        .bind::<Timestamptz, _>(call.now.0)
        .bind::<Array<SqlUuid>, _>(entries.iter().map(|entry| entry.card.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(entries.iter().map(|entry| entry.kind.as_str()).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(changes.map_err(Error::internal)?))
}

/// The failure of an insertion.
pub(super) fn append_failure(error: SqlError) -> Error {
    let gone = error.violates_foreign_key("card_history_project_id_fkey");
    if gone { Error::not_found() } else { error.into() }
}

/// A row of a statement that appends to a history and does more: a card's head, and `T`.
pub(super) struct InsertedHistory<T> {
    head: HeadRow,
    rest: T,
}

impl<T> InsertedHistory<T> {
    /// The card, and the row's other columns.
    pub(super) fn recorded(self) -> (CardId, Recorded<T>) {
        (CardId(self.head.card_id), Recorded { head: self.head.head(), value: self.rest })
    }
}

impl<T: QueryableByName<Pg>> QueryableByName<Pg> for InsertedHistory<T> {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> deserialize::Result<Self> {
        Ok(Self { head: HeadRow::build(row)?, rest: T::build(row)? })
    }
}

#[derive(QueryableByName)]
struct HeadRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
}

impl HeadRow {
    fn head(&self) -> HistoryHead {
        HistoryHead { id: HistoryId(self.id), sequence: Sequence(self.sequence) }
    }
}

/// The row of `moved.sql`.
#[derive(QueryableByName)]
struct MovedRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    since: Option<i64>,
    #[diesel(sql_type = Bool)]
    has_moved: bool,
}

/// The failure of expected heads: for each card the expected and the current head, as far as it has them.
pub(crate) fn conflicts(found: &[(CardId, Option<HistoryId>, Option<HistoryId>)]) -> Error {
    let conflict = |(card, expected, current): &(CardId, Option<HistoryId>, Option<HistoryId>)| json!({ "cardId": card, "expectedHistoryHeadId": expected, "currentHistoryHeadId": current });
    let details = json!({ "conflicts": found.iter().map(conflict).collect::<Vec<_>>() });
    Error::new(Code::CardHistoryConflict, "A card has changed since the expected history head.")
        .with_details(details)
}

/// The failure of one card's expected head, with the card as it is: the client can decide again without reading it.
fn conflict<P>(card: &Card<P>, expected: HistoryId, head: HistoryId) -> Error {
    let CardState { card: current, tag_ids, user_ids, .. } = &card.state;
    conflicts(&[(card.id(), Some(expected), Some(head))])
        .with_detail("fields", json!(current.fields))
        .with_detail("isOpen", current.is_open)
        .with_detail("tagIds", json!(tag_ids))
        .with_detail("assigneeIds", json!(user_ids))
}
