//! Notifications of new events of sessions, and of change events, published to all processes. They say where to look, and may
//! be lost: followers read events from the database, and also poll it periodically.

use std::collections::HashSet;
use std::sync::Arc;

use domain::id::SessionId;
use futures_util::StreamExt;
use redis::RedisResult;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::announcement::Announcement;
use crate::connection::CONNECT_TIMEOUT;
use crate::inbox::{RECONNECT_PAUSE, source_of};
use crate::link::{Link, LinkState};

impl Link {
    /// Notifies all processes of committed events of a session, in the background.
    pub fn announce_events(&self, session: SessionId) {
        announce(&self.shared, Announcement::Session(session));
    }

    /// Notifies all processes of the change events that this process commits, each time when `written` changes.
    pub fn announce_changes(&self, mut written: watch::Receiver<()>) {
        let shared = Arc::clone(&self.shared);
        let announcing = self.shared.runtime.spawn(async move {
            while written.changed().await.is_ok() {
                announce(&shared, Announcement::Changes);
            }
        });
        self.keep(announcing.abort_handle());
    }

    /// Calls `listener` for each future notification of any process. It must not block.
    pub fn on_events(&self, listener: impl Fn(Announcement) + Send + Sync + 'static) {
        let listening = self.shared.runtime.spawn(listen(Arc::clone(&self.shared), listener));
        self.keep(listening.abort_handle());
    }
}

/// Adds an announcement to those that are sent in the background.
fn announce(shared: &Arc<LinkState>, announcement: Announcement) {
    // A running announcer also takes what arrives meanwhile.
    let mut announcing = shared.announcing.lock();
    let is_announcer = announcing.is_none();
    announcing.get_or_insert_default().insert(announcement);
    drop(announcing);
    if is_announcer {
        shared.runtime.spawn(announce_all(Arc::clone(shared)));
    }
}

/// Announces events until none are left.
async fn announce_all(shared: Arc<LinkState>) {
    loop {
        let announcements = {
            let mut announcing = shared.announcing.lock();
            match announcing.take().filter(|announcements| !announcements.is_empty()) {
                Some(announcements) => {
                    *announcing = Some(HashSet::new());
                    announcements
                }
                None => return,
            }
        };
        let mut pipeline = redis::pipe();
        for announcement in announcements {
            pipeline.publish(shared.keys.events(), announcement.to_string()).ignore();
        }
        if let Err(error) = shared.commands.query::<()>(&pipeline).await {
            tracing::debug!(cause = source_of(&error), "notification of new events failed");
        }
    }
}

/// Receives notifications over its own connection until aborted. Reconnects after each failure.
async fn listen(shared: Arc<LinkState>, listener: impl Fn(Announcement)) {
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
async fn receive(shared: &LinkState, listener: &impl Fn(Announcement)) -> RedisResult<bool> {
    let subscribed = timeout(CONNECT_TIMEOUT, async {
        let mut channel = shared.client.get_async_pubsub().await?;
        channel.subscribe(shared.keys.events()).await?;
        RedisResult::Ok(channel)
    });
    let Ok(subscribed) = subscribed.await else { return Ok(false) };
    let mut announcements = subscribed?.into_on_message();
    while let Some(announcement) = announcements.next().await {
        let text: String = announcement.get_payload()?;
        // A later version may announce other things.
        if let Ok(announcement) = text.parse() {
            listener(announcement);
        }
    }
    Ok(true)
}
