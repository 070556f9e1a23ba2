//! The events of sessions: appended in the transaction of what they tell of, and read by those who follow.

use std::collections::{BTreeMap, VecDeque};

use auth::actor::ProjectRead;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::{NewEvent, SessionEvent};
use domain::id::SessionId;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::session::Session;
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::session_event_heads;
use crate::resources::store::{Store, Tx};

/// Most events of a page.
const PAGE_ROWS: i64 = 100;
/// Bytes of events after which a page ends, about: one event alone may be more.
const PAGE_BYTES: i64 = 4 * 1024 * 1024;
/// Events that one statement removes.
const FORGOTTEN_AT_ONCE: i64 = 5_000;

/// Some events in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// The events.
    pub events: Vec<SessionEvent>,
    /// Whether more follow at once.
    pub is_full: bool,
}

/// Proof that somebody who may read a session asked for its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed(SessionId);

/// Where the events of a session begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The last event's sequence; 0 where there is none yet.
    pub last: i64,
    /// Events up to this one are kept no longer.
    pub forgotten: i64,
}

impl Followed {
    /// The session's events, for whoever can read it.
    pub fn of(session: &Session<ProjectRead>) -> Self {
        Self(session.record.id)
    }

    /// The session.
    pub fn session(self) -> SessionId {
        self.0
    }
}

/// Appends an event to a session's. From here to its end the transaction holds the session's count of events, which
/// makes the order of their sequences that of their commits: so this comes last of what a transaction locks.
///
/// # Errors
/// `NOT_FOUND` where the session has gone with its project.
pub async fn append(tx: &mut Tx, session: SessionId, now: Timestamp, event: &NewEvent) -> Result<()> {
    appending(now, &[(session, event)])?.run(tx).await
}

/// Events that are to be appended to those of sessions.
pub(crate) struct Appending<'a> {
    statement: Statement<'a>,
    /// How many they are.
    expected: usize,
}

/// What appends events to those of their sessions, in their order, as [`append`] does.
///
/// # Errors
/// `INTERNAL_ERROR` where they can't be written down.
pub(crate) fn appending<'a>(now: Timestamp, events: &[(SessionId, &'a NewEvent)]) -> Result<Appending<'a>> {
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
    Ok(Appending { statement, expected: events.len() })
}

impl Appending<'_> {
    /// Appends them.
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

/// Where the session's events begin and end now.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn extent(tx: &mut Tx, session: &Session<ProjectRead>) -> Result<Extent> {
    let found: Option<(i64, i64)> = session_event_heads::table
        .find(session.record.id.0)
        .select((session_event_heads::sequence, session_event_heads::forgotten))
        .first(tx)
        .await
        .optional()?;
    Ok(found.map_or_else(Extent::default, |(last, forgotten)| Extent { last, forgotten }))
}

impl Store {
    /// Appends an event of the service's own, such as the progress of an upload whose grant was checked.
    ///
    /// # Errors
    /// As for [`append`].
    pub async fn append_event(&self, session: SessionId, now: Timestamp, event: &NewEvent) -> Result<()> {
        self.transaction(async |tx| append(tx, session, now, event).await).await
    }

    /// The events of a session after the one numbered `after`, in order: a page, bounded in number and bytes.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn events_after(&self, of: Followed, after: i64) -> Result<EventPage> {
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

    /// The sequence of the last event of each of these sessions that has any.
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

    /// Removes the events from before `time`, some at a time; returns how many sessions lost any, each as often as it did.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn forget_events(&self, time: Timestamp) -> Result<usize> {
        let mut all = 0;
        loop {
            let statement = Statement::new(include_str!("session_events/forget.sql"))
                .bind::<Timestamptz, _>(time.0)
                .bind::<BigInt, _>(FORGOTTEN_AT_ONCE);
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
