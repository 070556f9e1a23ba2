//! The session registry: states, leases, takeover.

use std::time::Duration;

use link::{Link, LinkConfig, Presence};
use testkit::redis::PrivateRedis;

use crate::support::{config, connection, host_of, new_session, open, open_with, until, until_presence};

#[tokio::test]
async fn a_hosted_session_is_live_for_every_process() {
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    for link in [&host, &other] {
        assert_eq!(link.presence(session.session).await, Presence::Live);
        let found = link.find_session(session.session).await.unwrap().unwrap();
        assert_eq!((found.host, found.epoch, found.live), (host.process(), 1, true));
        assert_eq!(found.registration, session);
        assert_eq!(host_of(link, &session).await, Some(host.process()));
    }
    assert_eq!(host.hosted(&connection(&session)), Some(session.clone()));
    assert_eq!(other.hosted(&connection(&session)), None);
}

#[tokio::test]
async fn a_session_outlives_its_lease_as_long_as_its_host_lives() {
    let redis = PrivateRedis::start();
    let settings = LinkConfig { memory: Duration::from_secs(1), ..config(&redis) };
    let host = open_with(settings);
    // The lease of a dead process is the clock of this test: three times as long as the other's.
    let clock = open_with(LinkConfig { lease: Duration::from_secs(3), ..config(&redis) });
    let (kept, lost) = (new_session(), new_session());
    host.host_session(kept.clone()).await.unwrap();
    clock.host_session(lost.clone()).await.unwrap();
    drop(clock);
    let other = open(&redis);
    until_presence(&other, lost.session, Presence::WithoutHost).await;
    assert_eq!(other.presence(kept.session).await, Presence::Live);
}

#[tokio::test]
async fn a_session_of_a_dead_host_is_known_until_it_expires() {
    let redis = PrivateRedis::start();
    let settings = LinkConfig { memory: Duration::from_secs(3), ..config(&redis) };
    let host = open_with(settings);
    let other = open(&redis);
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    assert_eq!(other.presence(session.session).await, Presence::Live);
    drop(host);
    until_presence(&other, session.session, Presence::WithoutHost).await;
    assert_eq!(host_of(&other, &session).await, None);
    until_presence(&other, session.session, Presence::Lapsed).await;
    assert!(other.ensure_hosted(session.session).await.unwrap().is_none());
}

#[tokio::test]
async fn a_closed_session_is_gone_at_once_and_its_host_releases_it() {
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    other.release_session(session.session).await;
    for link in [&host, &other] {
        assert_eq!(link.presence(session.session).await, Presence::Lapsed);
        assert_eq!(host_of(link, &session).await, None);
        assert!(link.ensure_hosted(session.session).await.unwrap().is_none());
    }
    until("its host drops it", async || host.hosted(&connection(&session)).is_none()).await;
    assert_eq!(host.presence(session.session).await, Presence::Lapsed);
}

#[tokio::test]
async fn a_session_of_a_live_host_is_not_taken_over() {
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    let found = other.ensure_hosted(session.session).await.unwrap().unwrap();
    assert_eq!((found.host, found.epoch), (host.process(), 1));
    assert_eq!(other.hosted(&connection(&session)), None);
}

#[tokio::test]
async fn a_session_of_a_dead_host_is_taken_over_by_exactly_one_of_many() {
    let redis = PrivateRedis::start();
    let host = open(&redis);
    let others: Vec<_> = (0..8).map(|_| open(&redis)).collect();
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    drop(host);
    until_presence(&others[0], session.session, Presence::WithoutHost).await;
    let taking: Vec<_> = others
        .iter()
        .map(|link| {
            let link = link.clone();
            tokio::spawn(async move { link.ensure_hosted(session.session).await.unwrap().unwrap() })
        })
        .collect();
    let mut found = Vec::new();
    for taking in taking {
        found.push(taking.await.unwrap());
    }
    let hosts: Vec<_> = others
        .iter()
        .filter(|link| link.hosted(&connection(&session)).is_some())
        .map(Link::process)
        .collect();
    assert_eq!(hosts.len(), 1);
    assert!(found.iter().all(|found| [found.host] == hosts[..] && found.epoch == 2 && found.live));
    assert_eq!(others[0].presence(session.session).await, Presence::Live);
}

#[tokio::test]
async fn a_stopping_host_hands_its_sessions_over_at_once() {
    let redis = PrivateRedis::start();
    // A lease longer than this test.
    let settings = LinkConfig { lease: Duration::from_secs(3600), ..config(&redis) };
    let (host, other) = (open_with(settings.clone()), open_with(settings));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    host.leave().await;
    assert_eq!(host.hosted(&connection(&session)), None);
    until_presence(&other, session.session, Presence::WithoutHost).await;
    let found = other.ensure_hosted(session.session).await.unwrap().unwrap();
    assert_eq!((found.host, found.epoch), (other.process(), 2));
    assert_eq!(other.presence(session.session).await, Presence::Live);
}

#[tokio::test]
async fn a_host_suspended_during_its_replacement_drops_the_session() {
    let redis = PrivateRedis::start();
    let other = open(&redis);
    until_presence(&other, new_session().session, Presence::Lapsed).await;
    // This host is suspended for longer than its lease.
    let sleeper = open_with(LinkConfig { heartbeat: Duration::from_secs(5), ..config(&redis) });
    let session = new_session();
    sleeper.host_session(session.clone()).await.unwrap();
    until_presence(&other, session.session, Presence::WithoutHost).await;
    let found = other.ensure_hosted(session.session).await.unwrap().unwrap();
    assert_eq!((found.host, found.epoch), (other.process(), 2));
    assert!(sleeper.hosted(&connection(&session)).is_some(), "it sleeps");

    until("it wakes up and drops it", async || sleeper.hosted(&connection(&session)).is_none()).await;
    assert!(other.hosted(&connection(&session)).is_some());
    assert_eq!(other.presence(session.session).await, Presence::Live);
    assert!(!sleeper.host_session(session).await.unwrap(), "it has another host");
}
