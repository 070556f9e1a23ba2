//! Follow the events of a session, as a stream of server-sent events that can be resumed.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use api::sessions::StreamEventsQuery;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::error::Location;
use domain::event::typed::TypedEvent;
use domain::event::{EventType, SessionEvent};
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use serde_json::{Value, json};
use store::session_events::{self, EventRange, SessionEvents};
use store::{Call, Session, SessionRef};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};
use wire::{EndlessBody, HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::sessions::SessionPath;
use crate::sessions::conversation_reader::ConversationReader;
use crate::sessions::events::{StreamPermit, StreamedEvent, Subscription, encode, page_after};

const EVENT_STREAM: &str = "text/event-stream";
/// The header in which a reconnecting client states its position.
const LAST_EVENT_ID: &str = "last-event-id";
/// Interval of keep-alive comments.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Maximum duration of a stream. Then the client reconnects, so a credential is trusted no longer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// A stream of events; `None` for a closed session without further events, so that the client does not reconnect.
pub struct EventStream(Option<LocalBoxStream<'static, Result<Bytes>>>);

/// Sends the session's events in order and waits for new ones. An event's data has `id`, `type`, `sequence`,
/// `occurredAt` and `data`. If unseen events are no longer kept, one `resync` replaces them: the client has to read the
/// state again. The stream ends after an hour, and when the session is closed or no longer readable. A client that
/// reconnects with `Last-Event-ID` misses nothing.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, StreamEventsQuery>,
) -> Result<EventStream> {
    let Request { call, path, query, head, .. } = request;
    let position = position(&head, query.after)?;
    let at = path.target();
    let found = async |tx: &mut _, session: &Session<ProjectRead>| {
        let is_open = session.record.closed_at.is_none();
        let reader = ConversationReader::of(session, &call);
        Ok((SessionEvents::of(session), reader, is_open, session_events::range(tx, session).await?))
    };
    let (of, reader, is_open, range) = app.store.read(&call, &at, found).await?;
    if !is_open && position >= range.last {
        return Ok(EventStream(None));
    }
    if head.is_head() {
        return Ok(EventStream(Some(stream::empty().boxed_local())));
    }
    let follows = is_open && query.follow.unwrap_or(true);
    let client = ClientStream {
        _permit: app.events.permit(call.actor.user)?,
        // A stream by a browser token has none; its token is checked at intervals.
        key_end: call.actor.key().map(|key| app.events.end_of(key)),
        stopping: app.events.stopping(),
        heartbeat: every(HEARTBEAT),
        check: every(app.event_check),
        end: Instant::now() + LIFETIME,
        replays: true,
        position: position.min(range.last),
        waiting: opening(position, range, app.clock.now())?,
        following: follows.then(|| app.events.subscribe(of, range.last)),
        app,
        call,
        at,
        of,
        reader,
    };
    Ok(EventStream(Some(stream::unfold(Some(Box::new(client)), advance).boxed_local())))
}

/// The stream of one client. It holds no database connection while it waits.
struct ClientStream {
    app: App,
    call: Call<ProjectRead>,
    at: SessionRef,
    of: SessionEvents,
    /// The client, as of the last check.
    reader: ConversationReader,
    /// New events; `None` if the client wants only existing ones.
    following: Option<Subscription>,
    /// The sequence of the last sent event.
    position: i64,
    /// True if the next events are in the database.
    replays: bool,
    /// The first bytes to send.
    waiting: Bytes,
    /// True once the client's key has ended.
    key_end: Option<watch::Receiver<bool>>,
    /// Released with the stream.
    _permit: StreamPermit,
    heartbeat: Interval,
    check: Interval,
    end: Instant,
    stopping: watch::Receiver<bool>,
}

/// The reasons for which a waiting stream wakes.
enum WakeReason {
    /// `None` if the channel overflowed and events were missed.
    Event(Option<StreamedEvent>),
    Heartbeat,
    Check,
    End,
}

/// The next step of a stream.
enum StreamStep {
    Send(Bytes),
    /// The last bytes to send.
    End(Bytes),
}

async fn advance(client: Option<Box<ClientStream>>) -> Option<(Result<Bytes>, Option<Box<ClientStream>>)> {
    let mut client = client?;
    match client.next().await {
        Ok(StreamStep::Send(bytes)) => Some((Ok(bytes), Some(client))),
        Ok(StreamStep::End(bytes)) => Some((Ok(bytes), None)),
        Err(error) => {
            tracing::debug!("error.chain" = error.chain(), "a stream of events ends");
            None
        }
    }
}

impl ClientStream {
    async fn next(&mut self) -> Result<StreamStep> {
        if !self.waiting.is_empty() {
            return Ok(StreamStep::Send(std::mem::take(&mut self.waiting)));
        }
        loop {
            if self.replays {
                if let Some(next) = self.replay().await? {
                    return Ok(next);
                }
                continue;
            }
            let Some(following) = &mut self.following else {
                return Ok(StreamStep::End(Bytes::new()));
            };
            let happened = tokio::select! {
                sent = following.next() => WakeReason::Event(sent),
                _ = self.heartbeat.tick() => WakeReason::Heartbeat,
                _ = self.check.tick() => WakeReason::Check,
                () = is_true(self.key_end.as_mut()) => WakeReason::End,
                () = is_true(Some(&mut self.stopping)) => WakeReason::End,
                () = sleep_until(self.end) => WakeReason::End,
            };
            match happened {
                WakeReason::Event(Some(sent)) if sent.sequence <= self.position => {}
                WakeReason::Event(Some(sent)) => return self.send(&sent),
                WakeReason::Event(None) => self.replays = true,
                WakeReason::Heartbeat => return Ok(StreamStep::Send(Bytes::from_static(b": heartbeat\n\n"))),
                // Boxed: it takes far more memory than a waiting stream.
                WakeReason::Check => Box::pin(self.check()).await?,
                WakeReason::End => return Ok(StreamStep::End(Bytes::new())),
            }
        }
    }

    /// Reads a page from the database; `None` if there is nothing to send.
    async fn replay(&mut self) -> Result<Option<StreamStep>> {
        let (page, is_full) = page_after(&self.app.store, self.of, self.position).await?;
        self.replays = is_full;
        let Some(last) = page.last() else { return Ok(None) };
        self.position = last.sequence;
        let ends = last.is_last;
        let mut bytes = Vec::new();
        for event in &page {
            bytes.extend_from_slice(&event.bytes_for(&self.reader)?);
        }
        Ok(Some(if ends { StreamStep::End(bytes.into()) } else { StreamStep::Send(bytes.into()) }))
    }

    fn send(&mut self, event: &StreamedEvent) -> Result<StreamStep> {
        self.position = event.sequence;
        let bytes = event.bytes_for(&self.reader)?;
        Ok(if event.is_last { StreamStep::End(bytes) } else { StreamStep::Send(bytes) })
    }

    /// Checks that the client can still read the session: its key, its user's role and the session.
    async fn check(&mut self) -> Result<()> {
        let checked = async {
            self.app.store.check_credential(&self.call.actor).await?;
            let call = &self.call;
            self.app
                .store
                .read(call, &self.at, async |_, session| Ok(ConversationReader::of(session, call)))
                .await
        };
        match checked.await {
            Ok(reader) => self.reader = reader,
            // A failed check is repeated at the next interval.
            Err(error) if error.code == Code::Unavailable => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Waits until a flag is true; forever without one.
async fn is_true(flag: Option<&mut watch::Receiver<bool>>) {
    match flag {
        // The sender lives as long as the process.
        Some(flag) => drop(flag.wait_for(|is_set| *is_set).await),
        None => std::future::pending().await,
    }
}

/// The start of a stream: the reconnection delay, and a `resync` if events were missed.
fn opening(position: i64, range: EventRange, occurred_at: Timestamp) -> Result<Bytes> {
    let mut opening = Vec::from(b"retry: 1000\n\n");
    if position < range.deleted || position > range.last {
        let data = json!({ "first": range.deleted + 1, "last": range.last });
        // The position from which the client continues after the `resync`.
        let sequence = if position > range.last { range.last } else { range.deleted };
        let resync = SessionEvent { sequence, kind: EventType::Resync, occurred_at, data };
        opening.extend_from_slice(&encode(&resync)?);
    }
    Ok(opening.into())
}

/// The client's position.
fn position(head: &RequestHead, after: Option<i64>) -> Result<i64> {
    let (location, field, position) = match head.header(LAST_EVENT_ID) {
        Some(id) => (Location::Header, "Last-Event-ID", id.parse().map_err(|_| not_an_id())?),
        None => (Location::Query, "after", after.unwrap_or_default()),
    };
    if position < 0 {
        return Err(Error::broken(field, Rule::Minimum(0.into())).at(location));
    }
    Ok(position)
}

fn not_an_id() -> Error {
    Error::invalid("Last-Event-ID", Rule::types(["integer"]), "must be the id of an event")
        .at(Location::Header)
}

fn every(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

impl HandlerAnswer for EventStream {
    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let Some(stream) = self.0 else {
            return Ok(HttpResponse::NoContent().finish());
        };
        let mut response = HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, EVENT_STREAM))
            // Proxies must not buffer the stream.
            .insert_header(("x-accel-buffering", "no"))
            .streaming(stream);
        response.extensions_mut().insert(EndlessBody);
        Ok(response)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        // The schema of each event's data, as generators of clients expect it.
        let events = json!({ EVENT_STREAM: { "schema": schemas.answer::<TypedEvent>() } });
        vec![
            (200, json!({ "description": "The events", "content": events })),
            (204, json!({ "description": "The session is closed, and all of its events were sent before" })),
        ]
    }
}
