//! A Redis that answers and can't be used: a replica, a node of a cluster, a user without rights.

use std::time::Duration;

use domain::rate::{Charge, Charges};
use domain::{Code, Result};
use link::{LinkConfig, Presence};
use testkit::redis::PrivateRedis;

use crate::support::{config, host_of, new_session, open, open_with, start_job, until, until_presence};

/// The page with the least rights.
const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

fn code<T>(result: Result<T>) -> Option<(Code, Option<u32>)> {
    result.err().map(|error| (error.code, error.retry_after_secs))
}

#[tokio::test]
async fn a_replica_is_unavailable_until_it_takes_writes_again() {
    const REFUSED: Option<(Code, Option<u32>)> = Some((Code::Unavailable, Some(1)));
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    redis.run("REPLICAOF 127.0.0.1 1");
    assert_eq!(code(other.check().await), REFUSED);
    assert_eq!(code(other.host_session(new_session()).await), REFUSED);
    assert_eq!(code(other.claim("ticket", "other", 60).await), REFUSED);
    assert_eq!(code(other.ask(host.process(), start_job(), Duration::from_secs(1)).await), REFUSED);

    redis.run("REPLICAOF NO ONE");
    other.check().await.unwrap();
    until_presence(&other, session.session, Presence::Live).await;
    assert_eq!(host_of(&other, &session).await, Some(host.process()));
}

#[tokio::test]
async fn a_node_of_a_cluster_is_unavailable() {
    for (slots, own) in [("0 16383", "all"), ("0 8191", "half")] {
        let redis = PrivateRedis::start_with(vec![
            "--cluster-enabled",
            "yes",
            "--cluster-require-full-coverage",
            "no",
        ]);
        redis.run(&format!("CLUSTER ADDSLOTSRANGE {slots}"));
        let link = open(&redis);
        assert_eq!(code(link.check().await), Some((Code::Unavailable, Some(1))), "{own}");
        for _ in 0..4 {
            let session = new_session();
            let hosted = link.host_session(session.clone()).await;
            assert!(hosted.is_ok() || code(hosted) == Some((Code::Unavailable, Some(1))), "{own}");
            let asked = link.ask(link.process(), start_job(), Duration::from_secs(1)).await;
            assert_ne!(code(asked).map(|(code, _)| code), Some(Code::InternalError), "{own}");
        }
    }
}

/// The user of the page, with this prefix.
fn least_rights() -> String {
    let (_, command) = OPERATIONS.split_once("\nredis-cli ").unwrap();
    let (command, _) = command.split_once("\n```").unwrap();
    let words =
        command.replace(['\\', '\''], "").replace("PASSWORD", "secret").replace("atelier:*", "test:*");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_least_rights_of_the_documentation_suffice() {
    let redis = PrivateRedis::start();
    redis.run(&least_rights());
    let settings = || LinkConfig { url: redis.url_of("atelier:secret"), ..config(&redis) };
    let (host, other) = (open_with(settings()), open_with(settings()));
    assert_eq!(other.missing_rights().await.unwrap(), [""; 0]);
    other.check().await.unwrap();

    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    assert_eq!(host_of(&other, &session).await, Some(host.process()));
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    other.on_events(move |event| {
        let _closed = told.send(event);
    });
    until("an announcement arrives", async || {
        host.announce_events(session.session);
        heard.try_recv().is_ok()
    })
    .await;
    assert!(other.claim("ticket", "other", 60).await.unwrap());
    let charge = Charge {
        bucket: "all".into(),
        cost: Duration::from_secs(1),
        room: Duration::from_secs(9),
        overdraws: false,
    };
    let counted = other.count(&Charges { all: charge, own: vec![], is_stranger: false }).await;
    assert!(matches!(counted, domain::rate::RateCount::Taken(_)), "{counted:?}");
    host.leave().await;
    until("the session is taken over", async || {
        other.ensure_hosted(session.session).await.is_ok_and(|found| found.unwrap().host == other.process())
    })
    .await;
    other.release_session(session.session).await;
    assert_eq!(other.presence(session.session).await, Presence::Lapsed);
}

#[tokio::test]
async fn missing_rights_are_named_together() {
    let redis = PrivateRedis::start();
    let rights =
        least_rights().replace(" +xadd", "").replace(" +hincrby", "").replace("&test:*", "resetchannels");
    redis.run(&rights);
    let link = open_with(LinkConfig { url: redis.url_of("atelier:secret"), ..config(&redis) });
    let missing = link.missing_rights().await.unwrap();
    let named: Vec<_> = missing.iter().filter_map(|right| right.split(':').next()).collect();
    assert_eq!(named, ["HINCRBY", "XADD", "PUBLISH", "SUBSCRIBE"], "{missing:?}");
}
