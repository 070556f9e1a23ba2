//! The history of cards. Only this module writes it, checks expected heads against it, and reads it.

use auth::actor::{CardRead, Requirement};
use diesel::deserialize::{self, QueryableByName};
use diesel::pg::Pg;
use diesel::row::NamedRow;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::card::{CardState, ShownCard};
use domain::history::{FieldChanges, HistoryActor, HistoryHead, HistoryKind, HistoryRow, Sequence};
use domain::id::{ApiKeyId, CardId, HistoryId, ProjectId, SessionId, UserId};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::rows::card;
use crate::db::decode;
use crate::db::error::SqlError;
use crate::db::prelude::*;
use crate::db::schema::card_history;
use crate::resources::cards::view;
use crate::resources::store::{Store, Tx};

/// The result of a card's mutation, as proof that its history is written. Without a change, nothing is written, and the head
/// stays.
#[derive(Clone, Debug)]
pub struct Recorded<T> {
    value: T,
    head: HistoryHead,
}

impl<T> Recorded<T> {
    /// The card's head after the mutation.
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
        view::card(tx, call, self.into_value()).await
    }
}

/// A row to write.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    card: CardId,
    kind: HistoryKind,
    pub(crate) changes: FieldChanges,
}

impl Entry {
    pub(crate) fn new(card: CardId, kind: HistoryKind, changes: FieldChanges) -> Self {
        Self { card, kind, changes }
    }
}

/// The number up to which the history is complete: all rows with lower numbers are committed.
#[derive(Clone, Copy, Debug)]
pub struct Horizon(i64);

impl Store {
    /// The present horizon of the history. Rows are read in a later snapshot, and only up to the horizon. So a reader that pages
    /// by sequence misses no row that commits late, and writers don't wait for each other.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn history_horizon(&self) -> Result<Horizon> {
        diesel::define_sql_function! { fn card_history_horizon() -> BigInt }
        let statement = diesel::select(card_history_horizon());
        let horizon: i64 = statement.get_result(&self.connection().await?).await?;
        Ok(Horizon(horizon))
    }
}

/// A page of a history.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Only rows after this one.
    pub after: Sequence,
    /// Most rows.
    pub rows: u32,
}

/// The rows of a project's present and deleted cards, in the order of their numbers, as the caller sees them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list_of_project(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    horizon: Horizon,
    slice: Slice,
) -> Result<Vec<HistoryRow>> {
    let rows: Vec<EntryRow> = card_history::table
        .filter(card_history::project_id.eq(project.record.id.0))
        .filter(card_history::sequence.gt(slice.after.0).and(card_history::sequence.le(horizon.0)))
        .order(card_history::sequence)
        .limit(i64::from(slice.rows))
        .select(EntryRow::as_select())
        .load(tx)
        .await?;
    view::history(tx, call, rows.into_iter().map(EntryRow::read).collect::<Result<_>>()?).await
}

/// The rows of a card, which may be deleted, as the caller sees them. They need no horizon: writers lock the card, so its rows
/// are committed in the order of their numbers.
///
/// # Errors
/// `NOT_FOUND` if the project never had such a card.
pub async fn list_of_card(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    card: CardId,
    slice: Slice,
) -> Result<Vec<HistoryRow>> {
    let of_card = || {
        card_history::table
            .filter(card_history::card_id.eq(card.0))
            .filter(card_history::project_id.eq(project.record.id.0))
    };
    let found: Vec<EntryRow> = of_card()
        .filter(card_history::sequence.gt(slice.after.0))
        .order(card_history::sequence)
        .limit(i64::from(slice.rows))
        .select(EntryRow::as_select())
        .load(tx)
        .await?;
    if found.is_empty() {
        let any: Option<i64> = of_card().select(card_history::sequence).first(tx).await.optional()?;
        any.ok_or_else(Error::not_found)?;
    }
    view::history(tx, call, found.into_iter().map(EntryRow::read).collect::<Result<_>>()?).await
}

/// Appends rows; returns the last one as the new head. The caller then writes the change with this head.
pub(crate) async fn write<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    entries: Vec<Entry>,
) -> Result<Recorded<()>> {
    let heads = append(tx, call, project, entries).await?;
    let head = heads.last().copied().ok_or_else(|| Error::internal("no history was written"))?;
    Ok(Recorded { value: (), head })
}

/// Records `entries` and saves the card after `change`. Without entries, nothing happens.
pub(super) async fn record<P: Requirement>(
    tx: &mut Tx,
    card: &Card<P>,
    call: &Call<P>,
    entries: Vec<Entry>,
    change: impl FnOnce(&mut CardState),
) -> Result<Recorded<CardState>> {
    let mut state = card.state.clone();
    if entries.is_empty() {
        return Ok(Recorded { head: state.head, value: state });
    }
    let written = write(tx, call, card.project.record.id, entries).await?;
    change(&mut state);
    state.head = written.head;
    // The request may have waited for a later one.
    state.card.updated_at = call.now.max(state.card.updated_at);
    card::save(tx, &card.state, &mut state).await?;
    Ok(written.map(|()| state))
}

/// Refuses an expected head that is not the card's.
pub(super) fn require_head<P>(card: &Card<P>, expected: Option<HistoryId>) -> Result<()> {
    match expected {
        Some(expected) if expected != card.state.head.id => Err(conflict(card, expected)),
        _ => Ok(()),
    }
}

/// Refuses `entries` if one of them changes a field or element that has moved since the expected head (docs/api.md, section 5).
/// A head that the card never had counts as a conflict.
pub(super) async fn require_unmoved<P>(
    tx: &mut Tx,
    card: &Card<P>,
    expected: Option<HistoryId>,
    entries: &[Entry],
) -> Result<()> {
    let Some(expected) = expected.filter(|expected| *expected != card.state.head.id) else {
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
    if is_unknown || has_moved { Err(conflict(card, expected)) } else { Ok(()) }
}

/// Appends rows; returns their ids and numbers, in their order.
pub(crate) async fn append<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    project: ProjectId,
    entries: Vec<Entry>,
) -> Result<Vec<HistoryHead>> {
    let rows: Vec<HeadRow> = insert_statement(include_str!("append_history.sql"), call, project, &entries)?
        .load(tx)
        .await
        .map_err(append_failure)?;
    let mut heads: Vec<HistoryHead> = rows.into_iter().map(|row| row.head()).collect();
    heads.sort_by_key(|head| head.sequence);
    Ok(heads)
}

/// A statement that inserts `entries`. `sql` is `append_history.sql` or continues it with parameters from `$10` on.
pub(super) fn insert_statement<P: Requirement>(
    sql: &'static str,
    call: &Call<P>,
    project: ProjectId,
    entries: &[Entry],
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
        .bind::<Array<SqlUuid>, _>(entries.iter().map(|_| HistoryId::new(call.now).0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(entries.iter().map(|entry| entry.kind.as_str()).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(changes.map_err(Error::internal)?))
}

/// The failure of an insertion.
pub(super) fn append_failure(error: SqlError) -> Error {
    let gone = error.violates_foreign_key("card_history_project_id_fkey");
    if gone { Error::not_found() } else { error.into() }
}

/// A row of a statement that continues `append_history.sql`: a card's head, and `T`.
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

#[derive(Queryable, Selectable)]
#[diesel(table_name = card_history)]
struct EntryRow {
    id: Uuid,
    sequence: i64,
    card_id: Uuid,
    project_id: Uuid,
    kind: String,
    actor_user_id: Uuid,
    actor_key_id: Option<Uuid>,
    actor_session_id: Option<Uuid>,
    changes: Value,
    occurred_at: OffsetDateTime,
}

impl EntryRow {
    fn read(self) -> Result<HistoryRow> {
        Ok(HistoryRow {
            id: HistoryId(self.id),
            sequence: Sequence(self.sequence),
            card_id: CardId(self.card_id),
            project_id: ProjectId(self.project_id),
            kind: decode::text(&self.kind)?,
            actor: HistoryActor {
                user_id: UserId(self.actor_user_id),
                key_id: self.actor_key_id.map(ApiKeyId),
                session_id: self.actor_session_id.map(SessionId),
            },
            changes: serde_json::from_value(self.changes).map_err(Error::internal)?,
            occurred_at: Timestamp::from(self.occurred_at),
        })
    }
}

/// The failure of expected heads: for each card the expected and the current head, as far as it has them.
pub(crate) fn conflicts(found: &[(CardId, Option<HistoryId>, Option<HistoryId>)]) -> Error {
    let conflict = |(card, expected, current): &(CardId, Option<HistoryId>, Option<HistoryId>)| json!({ "cardId": card, "expectedHistoryHeadId": expected, "currentHistoryHeadId": current });
    let details = json!({ "conflicts": found.iter().map(conflict).collect::<Vec<_>>() });
    Error::new(Code::CardHistoryConflict, "A card has changed since the expected history head.")
        .with_details(details)
}

fn conflict<P>(card: &Card<P>, expected: HistoryId) -> Error {
    conflicts(&[(card.id(), Some(expected), Some(card.state.head.id))])
}
