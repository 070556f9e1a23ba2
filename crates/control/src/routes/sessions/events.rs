//! Follow the events of a session: as a stream of server-sent events, from where the client was.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::error::Location;
use domain::event::{EventType, SessionEvent};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::session_events::{self, Extent, Followed};
use store::{Call, Session, SessionRef};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};
use wire::{Answer, Head, Request, Schemas, UntilClientLeaves};

use crate::app::App;
use crate::routes::sessions::SessionPath;
use crate::sessions::conversation_reader::ConversationReader;
use crate::sessions::events::{StreamPermit, StreamedEvent, Subscription, encode, page_after};

const EVENT_STREAM: &str = "text/event-stream";
/// Where a client that comes back says where it was.
const LAST_EVENT_ID: &str = "last-event-id";
/// How often a stream shows that it lives.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a stream lasts, after which the client opens another: no credential is believed for longer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// From where, and how far.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only events with a greater sequence; all that are kept, unless said. `Last-Event-ID` comes before it.
    #[schemars(range(min = 0))]
    after: Option<i64>,
    /// Whether to go on once all events so far are sent; true unless said.
    follow: Option<bool>,
}

/// A stream of events; `None` where there are none and will be none, which keeps a client from coming back.
pub struct EventStream(Option<LocalBoxStream<'static, Result<Bytes>>>);

/// Sends the session's events in their order, and goes on with each new one. An event's data is
/// `{id, type, sequence, occurredAt, data}`. Where events are kept no longer that the client has not seen, one `resync`
/// comes in their place: what they were about has to be read anew. The stream ends when the session is closed or may
/// not be read any more, and after an hour; a client that comes back with `Last-Event-ID` misses nothing.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath, Query>) -> Result<EventStream> {
    let Request { call, path, query, head, .. } = request;
    let position = position(&head, query.after)?;
    let at = path.target();
    let found = async |tx: &mut _, session: &Session<ProjectRead>| {
        let is_open = session.record.closed_at.is_none();
        let reader = ConversationReader::of(session, &call);
        Ok((Followed::of(session), reader, is_open, session_events::extent(tx, session).await?))
    };
    let (of, reader, is_open, extent) = app.store.read(&call, &at, found).await?;
    if !is_open && position >= extent.last {
        return Ok(EventStream(None));
    }
    if head.is_head() {
        return Ok(EventStream(Some(stream::empty().boxed_local())));
    }
    let follows = is_open && query.follow.unwrap_or(true);
    let client = Client {
        _permit: app.events.permit(call.actor.user)?,
        stopping: app.events.stopping(),
        heartbeat: every(HEARTBEAT),
        check: every(app.event_check),
        end: Instant::now() + LIFETIME,
        replays: true,
        position: position.min(extent.last),
        waiting: opening(position, extent, app.clock.now())?,
        following: follows.then(|| app.events.subscribe(of, extent.last)),
        app,
        call,
        at,
        of,
        reader,
    };
    Ok(EventStream(Some(stream::unfold(Some(Box::new(client)), advance).boxed_local())))
}

/// One client's stream: it holds nothing of the database while it waits.
struct Client {
    app: App,
    call: Call<ProjectRead>,
    at: SessionRef,
    of: Followed,
    /// The client, as far as it was checked last.
    reader: ConversationReader,
    /// New events; `None` where the client wants those so far alone.
    following: Option<Subscription>,
    /// The sequence of the last event that was sent.
    position: i64,
    /// Whether events are to be read from the database, rather than waited for.
    replays: bool,
    /// What is to be sent first.
    waiting: Bytes,
    /// Is given back with the stream.
    _permit: StreamPermit,
    heartbeat: Interval,
    check: Interval,
    end: Instant,
    stopping: watch::Receiver<bool>,
}

/// What a stream that waits is woken by.
enum Happened {
    /// `None`: so many events that some were missed.
    Event(Option<StreamedEvent>),
    Heartbeat,
    Check,
    End,
}

/// What a stream does next.
enum Next {
    Send(Bytes),
    /// The last thing that is sent.
    End(Bytes),
}

async fn advance(client: Option<Box<Client>>) -> Option<(Result<Bytes>, Option<Box<Client>>)> {
    let mut client = client?;
    match client.next().await {
        Ok(Next::Send(bytes)) => Some((Ok(bytes), Some(client))),
        Ok(Next::End(bytes)) => Some((Ok(bytes), None)),
        Err(error) => {
            tracing::debug!("error.chain" = error.chain(), "a stream of events ends");
            None
        }
    }
}

impl Client {
    async fn next(&mut self) -> Result<Next> {
        if !self.waiting.is_empty() {
            return Ok(Next::Send(std::mem::take(&mut self.waiting)));
        }
        loop {
            if self.replays {
                if let Some(next) = self.replay().await? {
                    return Ok(next);
                }
                continue;
            }
            let Some(following) = &mut self.following else {
                return Ok(Next::End(Bytes::new()));
            };
            let happened = tokio::select! {
                sent = following.next() => Happened::Event(sent),
                _ = self.heartbeat.tick() => Happened::Heartbeat,
                _ = self.check.tick() => Happened::Check,
                _ = self.stopping.wait_for(|stopping| *stopping) => Happened::End,
                () = sleep_until(self.end) => Happened::End,
            };
            match happened {
                Happened::Event(Some(sent)) if sent.sequence <= self.position => {}
                Happened::Event(Some(sent)) => return self.send(&sent),
                Happened::Event(None) => self.replays = true,
                Happened::Heartbeat => return Ok(Next::Send(Bytes::from_static(b": heartbeat\n\n"))),
                // In a box, as it takes far more memory than a stream that waits.
                Happened::Check => Box::pin(self.check()).await?,
                Happened::End => return Ok(Next::End(Bytes::new())),
            }
        }
    }

    /// Reads a page from the database; `None` where there was nothing to send.
    async fn replay(&mut self) -> Result<Option<Next>> {
        let (page, is_full) = page_after(&self.app.store, self.of, self.position).await?;
        self.replays = is_full;
        let Some(last) = page.last() else { return Ok(None) };
        self.position = last.sequence;
        let ends = last.is_last;
        let mut bytes = Vec::new();
        for event in &page {
            bytes.extend_from_slice(&event.bytes_for(&self.reader)?);
        }
        Ok(Some(if ends { Next::End(bytes.into()) } else { Next::Send(bytes.into()) }))
    }

    fn send(&mut self, event: &StreamedEvent) -> Result<Next> {
        self.position = event.sequence;
        let bytes = event.bytes_for(&self.reader)?;
        Ok(if event.is_last { Next::End(bytes) } else { Next::Send(bytes) })
    }

    /// Whether the client may still read the session: its key, its user's role, and the session itself.
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
            // What can't be said now is asked again with the next check.
            Err(error) if error.code == Code::Unavailable => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// What a stream begins with: how soon to come back, and whether something was missed.
fn opening(position: i64, extent: Extent, occurred_at: Timestamp) -> Result<Bytes> {
    let mut opening = Vec::from(b"retry: 1000\n\n");
    if position < extent.forgotten || position > extent.last {
        let data = json!({ "first": extent.forgotten + 1, "last": extent.last });
        // Where a client that was told so once comes back to.
        let sequence = if position > extent.last { extent.last } else { extent.forgotten };
        let resync = SessionEvent { sequence, kind: EventType::Resync, occurred_at, data };
        opening.extend_from_slice(&encode(&resync)?);
    }
    Ok(opening.into())
}

/// The position that the client is at.
fn position(head: &Head, after: Option<i64>) -> Result<i64> {
    let (location, field, position) = match head.header(LAST_EVENT_ID) {
        Some(id) => (Location::Header, "Last-Event-ID", id.parse().map_err(|_| not_an_id())?),
        None => (Location::Query, "after", after.unwrap_or_default()),
    };
    if position < 0 {
        return Err(Error::invalid(field, "minimum", "must be at least 0").at(location));
    }
    Ok(position)
}

fn not_an_id() -> Error {
    Error::invalid("Last-Event-ID", "format", "must be the id of an event").at(Location::Header)
}

fn every(period: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

impl Answer for EventStream {
    fn into_response(self, _: &Head) -> Result<HttpResponse> {
        let Some(stream) = self.0 else {
            return Ok(HttpResponse::NoContent().finish());
        };
        let mut response = HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, EVENT_STREAM))
            // A proxy that gathers the answer before it passes it on would keep the client waiting.
            .insert_header(("x-accel-buffering", "no"))
            .streaming(stream);
        response.extensions_mut().insert(UntilClientLeaves);
        Ok(response)
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let events = json!({ EVENT_STREAM: { "schema": { "type": "string" } } });
        vec![
            (200, json!({ "description": "The events", "content": events })),
            (204, json!({ "description": "The session is closed, and all of its events were sent before" })),
        ]
    }
}
