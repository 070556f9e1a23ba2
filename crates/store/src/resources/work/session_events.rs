//! Events of sessions: appended in the transaction of the change that they report, and read by followers.

use std::collections::{BTreeMap, VecDeque};

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::{session_event_heads, sessions};
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::{NewEvent, SessionEvent};
use domain::id::SessionId;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::session::Session;
use crate::resources::store::{Store, Tx};

/// Most events of a page.
const PAGE_ROWS: i64 = 100;
/// Approximate size after which a page ends, in bytes. A single event may be larger.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// Events that one statement deletes.
const DELETE_ROWS: i64 = 5_000;

/// A page of events in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// The events.
    pub events: Vec<SessionEvent>,
    /// More events follow.
    pub is_full: bool,
}

/// Proof that the caller may read a session, and so its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEvents(SessionId);

/// The range of the events of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRange {
    /// The last event's sequence; 0 if there are no events.
    pub last: i64,
    /// Events up to this one were deleted.
    pub deleted: i64,
}

impl SessionEvents {
    /// The proof for a session.
    pub fn of(session: &Session<ProjectRead>) -> Self {
        Self(session.record.id)
    }

    /// The session.
    pub fn session(self) -> SessionId {
        self.0
    }
}

/// Appends an event to a session. Until the transaction ends, it locks the session's event counter: events are numbered in
/// the order of their commits. So this comes last of the locks of a transaction.
///
/// # Errors
/// `NOT_FOUND` if the session was deleted with its project.
pub async fn append(tx: &mut Tx, session: SessionId, now: Timestamp, event: &NewEvent) -> Result<()> {
    append_statement(now, &[(session, event)])?.run(tx).await
}

/// A statement that appends events to sessions.
pub(crate) struct AppendStatement<'a> {
    statement: Statement<'a>,
    /// Number of events.
    expected: usize,
}

/// Prepares to append events to their sessions, in their order, as [`append`].
///
/// # Errors
/// `INTERNAL_ERROR` if they can't be encoded.
pub(crate) fn append_statement<'a>(
    now: Timestamp,
    events: &[(SessionId, &'a NewEvent)],
) -> Result<AppendStatement<'a>> {
    let kind = |event: &NewEvent| -> Result<String> {
        let kind = serde_json::to_value(event.kind).map_err(Error::internal)?;
        Ok(kind.as_str().unwrap_or_default().to_owned())
    };
    let mut counts: BTreeMap<Uuid, i64> = BTreeMap::new();
    let mut behind = VecDeque::new();
    for (session, _) in events.iter().rev() {
        let count = counts.entry(session.0).or_default();
        behind.push_front(*count);
        *count += 1;
    }
    let kinds: Result<Vec<String>> = events.iter().map(|(_, event)| kind(event)).collect();
    let statement = Statement::new(include_str!("session_events/append.sql"))
        .bind::<Array<SqlUuid>, _>(counts.keys().copied().collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(counts.into_values().collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(events.iter().map(|(session, _)| session.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(kinds?)
        .bind::<Array<BigInt>, _>(Vec::from(behind))
        .bind::<Array<Jsonb>, _>(events.iter().map(|(_, event)| &event.data).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(now.0);
    Ok(AppendStatement { statement, expected: events.len() })
}

impl AppendStatement<'_> {
    /// Appends the events.
    ///
    /// # Errors
    /// As for [`append`].
    pub(crate) async fn run(self, connection: &Connection) -> Result<()> {
        let appended = self.statement.execute(connection).await?;
        match appended == self.expected {
            true => Ok(()),
            false => Err(Error::internal("an event was not appended")),
        }
    }
}

/// The range of the session's events.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn range(tx: &mut Tx, session: &Session<ProjectRead>) -> Result<EventRange> {
    let found: Option<(i64, i64)> = session_event_heads::table
        .find(session.record.id.0)
        .select((session_event_heads::sequence, session_event_heads::forgotten))
        .first(tx)
        .await
        .optional()?;
    Ok(found.map_or_else(EventRange::default, |(last, deleted)| EventRange { last, deleted }))
}

impl Store {
    /// Appends an event of the service itself to an open session, for example the progress of an upload. False for a closed
    /// session, whose `session.closed` stays its last event.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn append_event(&self, session: SessionId, now: Timestamp, event: &NewEvent) -> Result<bool> {
        self.transaction(async |tx| {
            let open: Option<Uuid> = sessions::table
                .filter(sessions::id.eq(session.0).and(sessions::closed_at.is_null()))
                .select(sessions::id)
                .for_share()
                .first(tx)
                .await
                .optional()?;
            if open.is_some() {
                append(tx, session, now, event).await?;
            }
            Ok(open.is_some())
        })
        .await
    }

    /// A page of the events of a session after number `after`, limited in number and bytes.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn events_after(&self, of: SessionEvents, after: i64) -> Result<EventPage> {
        let statement = Statement::new(include_str!("session_events/after.sql"))
            .bind::<SqlUuid, _>(of.0.0)
            .bind::<BigInt, _>(after)
            .bind::<BigInt, _>(PAGE_ROWS)
            .bind::<BigInt, _>(PAGE_BYTES);
        let found: Vec<EventRow> = statement.load(&self.connection().await?).await?;
        let is_full = found.last().is_some_and(|row| !row.is_last);
        let events: Result<Vec<SessionEvent>> = found.into_iter().map(EventRow::event).collect();
        Ok(EventPage { events: events?, is_full })
    }

    /// The sequence of the last event of each session that has events.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn last_events(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, i64)>> {
        let ids: Vec<Uuid> = sessions.iter().map(|session| session.0).collect();
        let statement = session_event_heads::table
            .filter(session_event_heads::session_id.eq_any(ids))
            .select((session_event_heads::session_id, session_event_heads::sequence));
        let found: Vec<(Uuid, i64)> = statement.load(&self.connection().await?).await?;
        Ok(found.into_iter().map(|(session, last)| (SessionId(session), last)).collect())
    }

    /// Deletes the events from before `time`, in batches. Returns the number of sessions that lost events, summed over the
    /// batches.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_events_before(&self, time: Timestamp) -> Result<usize> {
        let mut all = 0;
        loop {
            let statement = Statement::new(include_str!("session_events/delete.sql"))
                .bind::<Timestamptz, _>(time.0)
                .bind::<BigInt, _>(DELETE_ROWS);
            let some = statement.execute(&self.connection().await?).await?;
            if some == 0 {
                return Ok(all);
            }
            all += some;
        }
    }
}

#[derive(QueryableByName)]
struct EventRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Jsonb)]
    data: Value,
    #[diesel(sql_type = Timestamptz)]
    occurred_at: OffsetDateTime,
    #[diesel(sql_type = Bool)]
    is_last: bool,
}

impl EventRow {
    fn event(self) -> Result<SessionEvent> {
        Ok(SessionEvent {
            sequence: self.sequence,
            kind: decode::text(&self.kind)?,
            occurred_at: Timestamp::from(self.occurred_at),
            data: self.data,
        })
    }
}
