//! Notifications of new events.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use domain::id::SessionId;
use link::Announcement;
use testkit::redis::PrivateRedis;

use crate::support::{new_session, open, until};

#[tokio::test]
async fn sessions_announced_together_are_all_received_and_again_later() {
    let redis = PrivateRedis::start();
    let (speaker, hearer) = (open(&redis), open(&redis));
    let heard = Arc::new(Mutex::new(HashSet::new()));
    hearer.on_events({
        let heard = Arc::clone(&heard);
        move |announced| {
            if let Announcement::Session(session) = announced {
                heard.lock().unwrap().insert(session);
            }
        }
    });
    let first = new_session().session;
    until("somebody listens", async || {
        speaker.announce_events(first);
        heard.lock().unwrap().contains(&first)
    })
    .await;

    let sessions: HashSet<SessionId> = (0..100).map(|_| new_session().session).collect();
    for _ in 0..2 {
        heard.lock().unwrap().clear();
        for session in &sessions {
            speaker.announce_events(*session);
            tokio::task::yield_now().await;
        }
        until("all are heard of", async || heard.lock().unwrap().is_superset(&sessions)).await;
    }
}
