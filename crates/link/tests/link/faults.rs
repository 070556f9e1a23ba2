//! A Redis that is wiped, killed, paused or absent.

use std::time::{Duration, Instant};

use domain::Code;
use domain::rate::{Charge, Charges};
use link::{LinkConfig, Presence};
use redis::AsyncCommands;
use testkit::redis::PrivateRedis;

use crate::support::{
    config, connection, new_session, open, open_with, redis_connection, start_job, until, until_presence,
};

/// Longest time of a call with default settings, with room for a busy machine.
const BOUND: Duration = Duration::from_secs(1 + 4);
/// Timeout for answers that arrive.
const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_thousand_sessions_return_within_a_heartbeat_after_a_wipe() {
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let sessions: Vec<_> = (0..1000).map(|_| new_session()).collect();
    for session in &sessions {
        host.host_session(session.clone()).await.unwrap();
    }
    redis.wipe();
    for session in &sessions {
        until("the session is live", async || {
            // A live session never looks expired.
            let found = other.find_session(session.session).await;
            found.is_ok_and(|found| {
                let found = found.unwrap();
                assert_eq!(found.epoch, 1);
                found.live
            })
        })
        .await;
    }
}

#[tokio::test]
async fn requests_are_answered_right_after_a_wipe() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    for _ in 0..20 {
        assert!(asker.ask(host.process(), start_job(), LONG).await.unwrap());
        redis.wipe();
    }
}

#[tokio::test]
async fn requests_are_counted_after_redis_has_lost_the_scripts() {
    let redis = PrivateRedis::start();
    let link = open(&redis);
    let mut connection = redis_connection(&redis).await;
    for _ in 0..2 {
        until("Redis counts", async || {
            let charge = Charge {
                bucket: "all".into(),
                cost: Duration::from_secs(60),
                room: Duration::from_secs(600),
                overdraws: false,
            };
            link.count(&Charges { all: charge, own: vec![], is_stranger: false }).await;
            connection.del("test:rate:all").await.unwrap()
        })
        .await;
        redis::cmd("SCRIPT").arg("FLUSH").exec_async(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn a_dead_redis_delays_calls_little_and_makes_sessions_unknown_until_it_returns() {
    let mut redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    assert_eq!(other.presence(session.session).await, Presence::Live);

    redis.kill();
    let started = Instant::now();
    assert_eq!(other.presence(session.session).await, Presence::Unknown);
    assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
    let error = other.host_session(new_session()).await.unwrap_err();
    assert_eq!((error.code, error.retry_after_secs), (Code::Unavailable, Some(1)));
    let asked = other.ask(host.process(), start_job(), LONG).await;
    assert_eq!(asked.unwrap_err().code, Code::Unavailable);
    assert!(host.hosted(&connection(&session)).is_some(), "the host keeps what it has");

    redis.restart();
    until_presence(&other, session.session, Presence::Live).await;
    other.check().await.unwrap();
}

#[tokio::test]
async fn a_paused_redis_delays_calls_within_bounds_and_sessions_keep_their_hosts() {
    let redis = PrivateRedis::start();
    let host = open(&redis);
    let other = open_with(LinkConfig { timeout: LinkConfig::new("", "").timeout, ..config(&redis) });
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    until_presence(&other, session.session, Presence::Live).await;

    redis.pause();
    // Longer than the lease.
    let paused = Instant::now();
    while paused.elapsed() < Duration::from_millis(1500) {
        let started = Instant::now();
        assert_eq!(other.presence(session.session).await, Presence::Unknown);
        assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
        let started = Instant::now();
        assert_eq!(other.check().await.unwrap_err().code, Code::Unavailable);
        assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
    }

    redis.resume();
    until("it is idle again", async || {
        let found = other.ensure_hosted(session.session).await;
        assert!(
            found.as_ref().is_ok_and(|found| found.as_ref().unwrap().host == host.process())
                || found.is_err()
        );
        match other.presence(session.session).await {
            Presence::Unknown => false,
            presence => {
                assert_eq!(presence, Presence::Live);
                true
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_missing_lease_proves_nothing_while_heartbeats_fail_and_shortly_after() {
    let redis = PrivateRedis::start();
    let heartbeat = Duration::from_secs(1);
    let other = open_with(LinkConfig { heartbeat, timeout: Duration::from_millis(250), ..config(&redis) });
    let host = open(&redis);
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    drop(host);
    until_presence(&other, session.session, Presence::WithoutHost).await;

    // As in a failover: reads succeed, and hosts can't renew leases; pending writes are lost with their connections.
    let mut connection = redis_connection(&redis).await;
    let mut client = async |arguments: &[&str]| {
        let mut command = redis::cmd("CLIENT");
        command.arg(arguments).exec_async(&mut connection).await.unwrap();
    };
    client(&["PAUSE", "60000", "WRITE"]).await;
    let paused = Instant::now();
    until("a heartbeat has failed", async || paused.elapsed() > heartbeat * 2).await;
    client(&["KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    let error = other.find_session(session.session).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert_eq!(other.presence(session.session).await, Presence::Unknown);

    let before = Instant::now();
    client(&["UNPAUSE"]).await;
    until_presence(&other, session.session, Presence::WithoutHost).await;
    assert!(before.elapsed() > heartbeat * 3 / 2, "{:?}", before.elapsed());
}

#[tokio::test]
async fn the_first_call_after_a_return_of_redis_succeeds() {
    let mut redis = PrivateRedis::start();
    let link = open_with(LinkConfig { heartbeat: Duration::from_secs(3600), ..config(&redis) });
    link.check().await.unwrap();
    redis.restart();
    link.check().await.unwrap();
    redis.kill();
    assert_eq!(link.check().await.unwrap_err().code, Code::Unavailable);
    redis.restart();
    link.check().await.unwrap();
}

#[tokio::test]
async fn a_process_starts_without_redis_and_works_when_it_arrives() {
    let mut redis = PrivateRedis::stopped();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    assert_eq!(host.check().await.unwrap_err().code, Code::Unavailable);
    assert_eq!(host.host_session(session.clone()).await.unwrap_err().code, Code::Unavailable);
    assert_eq!(host.presence(session.session).await, Presence::Unknown);

    redis.restart();
    host.host_session(session.clone()).await.unwrap();
    until_presence(&other, session.session, Presence::Live).await;
}

#[tokio::test]
async fn a_session_closed_without_redis_leaves_the_registry_later() {
    let redis = PrivateRedis::start();
    let (host, other) = (open(&redis), open(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    redis.pause();
    other.release_session(session.session).await;
    redis.resume();
    until_presence(&other, session.session, Presence::Lapsed).await;
    until("its host drops it", async || host.hosted(&connection(&session)).is_none()).await;
}
