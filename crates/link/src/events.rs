//! Notifications of new events of a session, published to all processes. They carry the session only, and may be lost:
//! followers read events from the database, and also poll it periodically.

use std::collections::HashSet;
use std::sync::Arc;

use domain::id::SessionId;
use futures_util::StreamExt;
use redis::RedisResult;
use tokio::time::{sleep, timeout};

use crate::connection::CONNECT_TIMEOUT;
use crate::inbox::{RECONNECT_PAUSE, source_of};
use crate::link::{Link, LinkState};

impl Link {
    /// Notifies all processes of committed events of a session, in the background.
    pub fn announce_events(&self, session: SessionId) {
        // A running announcer also takes sessions that arrive meanwhile.
        let mut announcing = self.shared.announcing.lock();
        let is_announcer = announcing.is_none();
        announcing.get_or_insert_default().insert(session);
        drop(announcing);
        if is_announcer {
            self.shared.runtime.spawn(announce(Arc::clone(&self.shared)));
        }
    }

    /// Calls `listener` for each future notification of any process. It must not block.
    pub fn on_events(&self, listener: impl Fn(SessionId) + Send + Sync + 'static) {
        let listening = self.shared.runtime.spawn(listen(Arc::clone(&self.shared), listener));
        self.keep(listening.abort_handle());
    }
}

/// Announces sessions until none is left.
async fn announce(shared: Arc<LinkState>) {
    loop {
        let sessions = {
            let mut announcing = shared.announcing.lock();
            match announcing.take().filter(|sessions| !sessions.is_empty()) {
                Some(sessions) => {
                    *announcing = Some(HashSet::new());
                    sessions
                }
                None => return,
            }
        };
        let mut pipeline = redis::pipe();
        for session in sessions {
            pipeline.publish(shared.keys.events(), session.to_string()).ignore();
        }
        if let Err(error) = shared.commands.query::<()>(&pipeline).await {
            tracing::debug!(cause = source_of(&error), "notification of new events failed");
        }
    }
}

/// Receives notifications over its own connection until aborted. Reconnects after each failure.
async fn listen(shared: Arc<LinkState>, listener: impl Fn(SessionId)) {
    let (shortest, longest) = RECONNECT_PAUSE;
    let mut pause = shortest;
    loop {
        match receive(&shared, &listener).await {
            Ok(true) => pause = shortest,
            Ok(false) => {}
            Err(error) => tracing::debug!(cause = %error, "notifications of events can't be received"),
        }
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Receives notifications until the connection ends. Returns true if it was established.
async fn receive(shared: &LinkState, listener: &impl Fn(SessionId)) -> RedisResult<bool> {
    let subscribed = timeout(CONNECT_TIMEOUT, async {
        let mut channel = shared.client.get_async_pubsub().await?;
        channel.subscribe(shared.keys.events()).await?;
        RedisResult::Ok(channel)
    });
    let Ok(subscribed) = subscribed.await else { return Ok(false) };
    let mut announcements = subscribed?.into_on_message();
    while let Some(announcement) = announcements.next().await {
        let text: String = announcement.get_payload()?;
        if let Ok(session) = text.parse() {
            listener(session);
        }
    }
    Ok(true)
}
