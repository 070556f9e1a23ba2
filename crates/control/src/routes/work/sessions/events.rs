//! Follow the events of a session, as a stream of server-sent events that can be resumed.

use actix_web::HttpResponse;
use api::operation::Raw;
use api::work::sessions::conversation::StreamEvents;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::event::typed::TypedEvent;
use domain::event::{EventType, SessionEvent};
use domain::time::Timestamp;
use domain::{Code, Result};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use serde_json::{Value, json};
use store::work::session_events::{self, EventRange, SessionEvents};
use store::{Call, Session, SessionRef};
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::event_stream::{self, EVENT_STREAM, RETRY};
use crate::routes::target::PathTarget;
use crate::sessions::conversation_reader::ConversationReader;
use crate::sessions::events::{StreamedEvent, Subscription, encode, page_after};
use crate::streams::{OpenStream, StreamWake};

/// A stream of events; `None` for a closed session without further events, so that the client does not reconnect.
pub struct EventStream(Option<LocalBoxStream<'static, Result<Bytes>>>);

/// Sends the session's events in order and waits for new ones. An event's data has `id`, `type`, `sequence`,
/// `occurredAt` and `data`. If unseen events are no longer kept, one `resync` replaces them: the client has to read the
/// state again. The stream ends after an hour, and when the session is closed or no longer readable. A client that
/// reconnects with `Last-Event-ID` misses nothing.
pub async fn handle(app: App, request: Request<ProjectRead, StreamEvents>) -> Result<EventStream> {
    let Request { call, path, query, head, .. } = request;
    let position = event_stream::position(&head, query.after)?.unwrap_or_default();
    let at = path.target();
    let open = app.streams.open(&call.actor, at.project.project.0, app.clock.now())?;
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
        open,
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
    open: OpenStream,
}

/// The reasons for which a waiting stream wakes.
enum WakeReason {
    /// `None` if the channel overflowed and events were missed.
    Event(Option<StreamedEvent>),
    Stream(StreamWake),
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
                wake = self.open.wake() => WakeReason::Stream(wake),
            };
            match happened {
                WakeReason::Event(Some(sent)) if sent.sequence <= self.position => {}
                WakeReason::Event(Some(sent)) => return self.send(&sent),
                WakeReason::Event(None) => self.replays = true,
                WakeReason::Stream(StreamWake::Heartbeat) => {
                    return Ok(StreamStep::Send(Bytes::from_static(b": heartbeat\n\n")));
                }
                // Boxed: it takes far more memory than a waiting stream.
                WakeReason::Stream(StreamWake::Check) => Box::pin(self.check()).await?,
                WakeReason::Stream(StreamWake::End) => return Ok(StreamStep::End(Bytes::new())),
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
            self.app.store.find(&self.call, &self.at).await
        };
        match checked.await {
            Ok(session) => self.reader = ConversationReader::of(&session, &self.call),
            // A failed check is repeated at the next interval.
            Err(error) if error.code == Code::Unavailable => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The start of a stream: the reconnection delay, and a `resync` if events were missed.
fn opening(position: i64, range: EventRange, occurred_at: Timestamp) -> Result<Bytes> {
    let mut opening = Vec::from(format!("{RETRY}\n"));
    if position < range.deleted || position > range.last {
        let data = json!({ "first": range.deleted + 1, "last": range.last });
        // The position from which the client continues after the `resync`.
        let sequence = if position > range.last { range.last } else { range.deleted };
        let resync = SessionEvent { sequence, kind: EventType::Resync, occurred_at, data };
        opening.extend_from_slice(&encode(&resync)?);
    }
    Ok(opening.into())
}

impl HandlerAnswer for EventStream {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let Some(stream) = self.0 else {
            return Ok(HttpResponse::NoContent().finish());
        };
        Ok(event_stream::answer(stream))
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
