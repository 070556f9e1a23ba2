//! The events of a session, over reconnects and without loss.

use std::time::Duration;

use api::work::sessions::SessionPath;
use api::work::sessions::conversation::StreamEvents;
use domain::event::typed::TypedEvent;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use reqwest::StatusCode;
use sse_stream::{Sse, SseStream};

use crate::error::{RequestError, RequestResult};
use crate::session::Session;

/// Longest silence of a connection. The service sends a heartbeat every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);
/// The delay before a reconnection after a break.
const PAUSE: Duration = Duration::from_secs(1);

/// An event of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id; the place from which a later stream goes on.
    pub id: String,
    /// Its type. Clients ignore types that they don't know.
    pub kind: String,
    /// The event, as JSON.
    pub json: String,
}

impl Event {
    /// The event with its data; `None` for a type that this version doesn't know.
    pub fn typed(&self) -> Option<TypedEvent> {
        serde_json::from_str(&self.json).ok()
    }
}

struct Following {
    session: Session,
    last: Option<String>,
    connection: Option<BoxStream<'static, RequestResult<Sse, sse_stream::Error>>>,
    is_over: bool,
}

impl Session {
    /// The session's events after the one with the id `after`, or all that are kept; then those that follow, until the
    /// session is closed. Where unseen events are no longer kept, one `resync` replaces them.
    pub fn events(&self, after: Option<String>) -> BoxStream<'static, RequestResult<Event>> {
        let following = Following { session: self.clone(), last: after, connection: None, is_over: false };
        let events = stream::try_unfold(following, |mut following| async move {
            Ok(following.next().await?.map(|event| (event, following)))
        });
        events.boxed()
    }
}

impl Following {
    async fn next(&mut self) -> RequestResult<Option<Event>> {
        while !self.is_over {
            if self.connection.is_none() && !self.connect().await? {
                return Ok(None);
            }
            let Some(connection) = &mut self.connection else { return Ok(None) };
            match tokio::time::timeout(SILENCE, connection.try_next()).await {
                Ok(Ok(Some(sent))) => {
                    if let Some(event) = self.event(sent) {
                        return Ok(Some(event));
                    }
                }
                // The service ends a stream after an hour, and networks at any time.
                Ok(Ok(None) | Err(_)) | Err(_) => {
                    self.connection = None;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        Ok(None)
    }

    /// False if the session is closed and every event was sent.
    async fn connect(&mut self) -> RequestResult<bool> {
        let project = self.session.project().project;
        let mut call = self
            .session
            .client()
            .call(StreamEvents, SessionPath { project_id: project.into(), session_id: self.session.id() });
        if let Some(last) = &self.last {
            call = call.header("last-event-id", last);
        }
        let response = loop {
            match call.response().await {
                Err(RequestError::Interrupted { .. }) => tokio::time::sleep(PAUSE).await,
                answered => break answered?,
            }
        };
        if response.status() == StatusCode::NO_CONTENT {
            return Ok(false);
        }
        self.connection = Some(SseStream::from_bytes_stream(response.bytes_stream()).boxed());
        Ok(true)
    }

    fn event(&mut self, sent: Sse) -> Option<Event> {
        let Sse { event, data, id, .. } = sent;
        let json = data?;
        let event = Event { id: id?, kind: event.unwrap_or_default(), json };
        self.last = Some(event.id.clone());
        self.is_over = event.kind == "session.closed";
        Some(event)
    }
}
