//! Word that a session has new events, to every process at once. It says nothing more, and it may be lost: who follows
//! a session reads its events from the database, and looks there now and then without having been told.

use std::sync::Arc;

use domain::id::SessionId;
use futures_util::StreamExt;
use redis::{Client, RedisResult};
use tokio::time::{sleep, timeout};

use crate::connection::CONNECT_TIMEOUT;
use crate::inbox::{RECONNECT_PAUSE, source_of};
use crate::link::{Link, Shared, lock};

impl Link {
    /// Says to all processes that a session has new events, which are committed. Nobody waits for it.
    pub fn announce_events(&self, session: SessionId) {
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let mut pipeline = redis::pipe();
            pipeline.publish(shared.keys.events(), session.to_string()).ignore();
            if let Err(error) = shared.commands.query::<()>(&pipeline).await {
                tracing::debug!(%session, cause = source_of(&error), "new events were not announced");
            }
        });
    }

    /// Calls `listener` for each announcement from now on, by this process or another. It must not block.
    pub fn on_events(&self, listener: impl Fn(SessionId) + Send + Sync + 'static) {
        *lock(&self.shared.listener) = Some(Arc::new(listener));
    }
}

/// Hears announcements until aborted, whatever happens to Redis, over a connection of its own.
pub(crate) async fn listen(shared: Arc<Shared>, client: Client) {
    let (shortest, longest) = RECONNECT_PAUSE;
    let mut pause = shortest;
    loop {
        match hear(&shared, &client).await {
            Ok(true) => pause = shortest,
            Ok(false) => {}
            Err(error) => tracing::debug!(cause = %error, "announcements can't be heard"),
        }
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Hears announcements until the connection ends; returns whether there was one at all.
async fn hear(shared: &Shared, client: &Client) -> RedisResult<bool> {
    let subscribed = timeout(CONNECT_TIMEOUT, async {
        let mut channel = client.get_async_pubsub().await?;
        channel.subscribe(shared.keys.events()).await?;
        RedisResult::Ok(channel)
    });
    let Ok(subscribed) = subscribed.await else { return Ok(false) };
    let mut announcements = subscribed?.into_on_message();
    while let Some(announcement) = announcements.next().await {
        let text: String = announcement.get_payload()?;
        let listener = lock(&shared.listener).clone();
        if let (Ok(session), Some(listener)) = (text.parse(), listener) {
            listener(session);
        }
    }
    Ok(true)
}
