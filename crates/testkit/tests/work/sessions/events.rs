//! Event streams: every event in order and exactly once, in spite of crashes and disconnects.

use std::time::Duration;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::events::{Event, EventStream};
use testkit::model_server::Reply;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::raw::Connection;
use testkit::redis::PrivateRedis;
use testkit::seed::MANAGE;
use testkit::session::Session;

use crate::sessions::support::AgentSession;

/// The path of the events of a session.
fn path(session: &Session) -> String {
    format!("{}/events", session.path())
}

/// Sequences and types of events, as `1 session.created`.
fn shown(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| format!("{} {}", event.id, event.kind)).collect()
}

/// Has a session create an object, which is one event; a slow upload tells of its progress, too.
async fn create(caller: &Caller, session: &Session, name: &str) {
    let body = json!({ "toolbox": "project", "tool": "create_object", "params": { "name": name } });
    caller.post(&format!("{}/tools/invoke", session.path())).json(body).await.expect(200);
}

#[tokio::test]
async fn a_stream_has_past_events_then_new_ones_and_ends_with_the_session() {
    let opened = OpenSession::open().await;
    create(&opened.caller, &opened.session, "a").await;
    let mut stream = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    let created = stream.next().await.unwrap();
    assert_eq!(created.kind, "session.created");
    assert_eq!(created.json["sequence"], 1);
    assert_eq!(created.json["data"]["createdBy"], opened.alice.id.as_str());
    assert_eq!(stream.next().await.unwrap().kind, "objects.changed");
    create(&opened.caller, &opened.session, "b").await;
    let changed = stream.next().await.unwrap();
    assert_eq!(changed.json["data"]["branch"], "main");
    assert!(opened.added().await.contains(&changed.json["data"]["added"][0].as_str().unwrap().to_owned()));
    opened.session.close().await.expect(200);
    assert_eq!(shown(&stream.rest().await), ["4 session.closed"]);
    // A client that reconnects is told that the stream has ended.
    let seen = opened.caller.get(&path(&opened.session)).header("last-event-id", "4").await;
    assert_eq!((seen.status, seen.body.len()), (204, 0));
    let mut again = EventStream::open(opened.caller.get(&format!("{}?after=2", path(&opened.session)))).await;
    assert_eq!(shown(&again.rest().await), ["3 objects.changed", "4 session.closed"]);
}

#[tokio::test]
async fn a_client_can_read_only_past_events() {
    let opened = OpenSession::open().await;
    let mut stream =
        EventStream::open(opened.caller.get(&format!("{}?follow=false", path(&opened.session)))).await;
    assert_eq!(shown(&stream.rest().await), ["1 session.created"]);
    let bad = opened.caller.get(&path(&opened.session)).header("last-event-id", "x").await;
    assert_snapshot!(bad, @"400 INVALID_REQUEST header.Last-Event-ID type");
    let bad = opened.caller.get(&format!("{}?after=-1", path(&opened.session))).await;
    assert_snapshot!(bad, @"400 INVALID_REQUEST query.after minimum");
    let bad = opened.caller.get(&path(&opened.session)).header("last-event-id", "-1").await;
    assert_snapshot!(bad, @"400 INVALID_REQUEST header.Last-Event-ID minimum");
    let both = opened.caller.get(&format!("{}?after=0", path(&opened.session))).header("last-event-id", "1");
    let both = both.header("accept", "text/event-stream");
    create(&opened.caller, &opened.session, "a").await;
    let mut newer = EventStream::open(both).await;
    assert_eq!(shown(&[newer.next().await.unwrap()]), ["2 objects.changed"]);
    let head = opened.caller.head(&path(&opened.session)).await;
    assert_eq!((head.status, head.header("content-type")), (200, "text/event-stream"));
}

#[tokio::test]
async fn a_reconnected_client_misses_nothing_after_the_death_of_redis_and_its_replica() {
    let mut redis = PrivateRedis::start();
    // Events are made by a process that serves none of the streams.
    let options = Options { redis_url: redis.url(), control_replicas: 3, ..Options::default() };
    let mut opened = OpenSession::on(Deployment::with(options).await).await;
    let [other, maker] = [1, 2].map(|process| opened.caller.at(&opened.deployment.control_urls[process]));
    let mut first = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    create(&maker, &opened.session, "1").await;
    let mut events = vec![first.next().await.unwrap(), first.next().await.unwrap()];
    redis.kill();
    // Without a notification for this event.
    create(&maker, &opened.session, "2").await;
    events.push(first.next().await.unwrap());
    opened.deployment.control[0].kill();
    assert_eq!(first.next().await, None);
    create(&maker, &opened.session, "3").await;
    let back = other.get(&path(&opened.session)).header("last-event-id", &events[2].id);
    let mut second = EventStream::open(back).await;
    events.push(second.next().await.unwrap());
    redis.restart();
    create(&maker, &opened.session, "4").await;
    events.push(second.next().await.unwrap());
    let kinds = [
        "1 session.created",
        "2 objects.changed",
        "3 objects.changed",
        "4 objects.changed",
        "5 objects.changed",
    ];
    assert_eq!(shown(&events), kinds);
    opened.deployment.control[0].restart();
}

#[tokio::test]
async fn a_client_beyond_the_kept_events_gets_one_resync() {
    let opened = OpenSession::own().await;
    for name in ["a", "b"] {
        create(&opened.caller, &opened.session, name).await;
    }
    let client = opened.deployment.database.connect().await;
    client
        .batch_execute(
            "delete from session_events where sequence < 3; update session_event_heads set forgotten = 2",
        )
        .await
        .unwrap();
    let mut late =
        EventStream::open(opened.caller.get(&path(&opened.session)).header("last-event-id", "1")).await;
    let told = late.next().await.unwrap();
    assert_eq!(
        (told.kind.as_str(), told.json["data"].to_string()),
        ("resync", r#"{"first":3,"last":3}"#.to_owned())
    );
    assert_eq!(late.next().await.unwrap().id, "3");
    let again = format!("{}?follow=false&after={}", path(&opened.session), told.id);
    assert_eq!(
        shown(&EventStream::open(opened.caller.get(&again)).await.rest().await),
        ["3 objects.changed"]
    );
    let mut early = EventStream::open(opened.caller.get(&format!("{}?after=9", path(&opened.session)))).await;
    assert_eq!(shown(&[early.next().await.unwrap()]), ["3 resync"]);
    create(&opened.caller, &opened.session, "c").await;
    assert_eq!(shown(&[early.next().await.unwrap()]), ["4 objects.changed"]);
}

#[tokio::test]
async fn a_stream_ends_with_its_key_or_its_users_access_to_the_project() {
    let environment = vec![("event_check_secs", "1".to_owned())];
    let opened = OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let operator = opened.deployment.operator();
    let key = opened.alice.issue(MANAGE, &[]).await;
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &opened.project, "viewer").await;
    let mut of_key = EventStream::open(key.caller.get(&path(&opened.session))).await;
    let mut of_member = EventStream::open(bob.key(MANAGE).await.get(&path(&opened.session))).await;
    let mut of_alice = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    operator.revoke(&key).await;
    operator.remove_member(&bob, "--project", &opened.project).await;
    for stream in [&mut of_key, &mut of_member] {
        assert_eq!(shown(&stream.rest().await), ["1 session.created"]);
    }
    create(&opened.caller, &opened.session, "a").await;
    assert_eq!(of_alice.next_of("objects.changed").await.id, "2");
}

#[tokio::test]
async fn a_stream_ends_with_its_key_long_before_its_next_check() {
    let environment = vec![("event_check_secs", "3600".to_owned())];
    let opened = OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let key = opened.alice.issue(MANAGE, &[]).await;
    let mut of_key = EventStream::open(key.caller.get(&path(&opened.session))).await;
    let mut of_alice = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    assert_eq!(of_key.next().await.unwrap().kind, "session.created");
    opened.deployment.operator().revoke(&key).await;
    assert_eq!(of_key.next().await, None);
    create(&opened.caller, &opened.session, "a").await;
    assert_eq!(of_alice.next_of("objects.changed").await.id, "2");
}

#[tokio::test]
async fn a_stopping_process_ends_its_streams_at_once() {
    let mut opened = OpenSession::own().await;
    let mut stream = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    assert_eq!(stream.next().await.unwrap().kind, "session.created");
    opened.deployment.control[0].ask_to_end();
    assert_eq!(stream.next().await, None);
    assert_eq!(opened.deployment.control[0].wait_for_end(), Some(0));
    opened.deployment.control[0].restart();
}

#[tokio::test]
async fn a_thousand_streams_stay_below_200_mib_and_each_gets_its_own_events() {
    const SESSIONS: usize = 100;
    const STREAMS_OF_EACH: usize = 10;
    let opened = OpenSession::own().await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let session = Session::open(&opened.caller, &opened.project).await;
        let streams = (0..STREAMS_OF_EACH).map(|_| EventStream::open(opened.caller.get(&path(&session))));
        let streams = join_all(streams).await;
        sessions.push((streams, session));
    }
    for stream in sessions.iter_mut().flat_map(|(streams, _)| streams) {
        assert_eq!(stream.next().await.unwrap().kind, "session.created");
    }
    for (streams, session) in sessions.iter_mut().step_by(10) {
        session.close().await.expect(200);
        for stream in streams {
            assert_eq!(shown(&stream.rest().await), ["2 session.closed"]);
        }
    }
    let peak = opened.deployment.control[0].process().peak_memory_bytes();
    assert!(peak < 200 * 1024 * 1024, "{peak} bytes");
}

#[tokio::test]
async fn a_client_that_changes_the_replica_during_a_run_gets_every_piece_once() {
    const TEXT: &str = "A gear has teeth, a rack has teeth, and the saw has the most of them all.";
    let options = Options { control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Slow(TEXT)]).await;
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    let mut callers = [&agent.opened.caller, &other].into_iter().cycle();
    agent.prompt("What has teeth?").await.expect(202);
    let (mut after, mut heard) = ("0".to_owned(), String::new());
    let whole = 'run: loop {
        // A few pieces from each in turn.
        let caller = callers.next().unwrap();
        let request = caller.get(&agent.path("events")).header("last-event-id", &after);
        let mut stream = EventStream::open(request).await;
        loop {
            let event = stream.next().await.unwrap();
            after.clone_from(&event.id);
            match event.kind.as_str() {
                "message.delta" => {
                    heard.push_str(event.json["data"]["text"].as_str().unwrap());
                    break;
                }
                "message.created" if event.json["data"]["role"] == "assistant" => {
                    break 'run event.json["data"]["parts"][0]["text"].as_str().unwrap().to_owned();
                }
                _ => {}
            }
        }
    };
    assert_eq!((heard.as_str(), whole.as_str()), (TEXT, TEXT));
}

#[tokio::test]
async fn old_events_are_deleted_regardless_of_their_number() {
    let environment = vec![("maintenance_secs", "1".to_owned())];
    let opened = OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let client = opened.deployment.database.connect().await;
    let old = "update session_event_heads set sequence = 12001; \
         insert into session_events (session_id, sequence, type, data, occurred_at) \
         select session_id, n, 'run.status', '{}', now() - interval '8 days' \
         from session_event_heads, generate_series(2, 12001) n";
    client.batch_execute(old).await.unwrap();
    create(&opened.caller, &opened.session, "a").await;
    eventually_async("old events are deleted", async || {
        opened.deployment.database.count("select max(forgotten) from session_event_heads").await == 12_001
    })
    .await;
    let mut stream =
        EventStream::open(opened.caller.get(&format!("{}?after=1", path(&opened.session)))).await;
    assert_eq!(
        shown(&[stream.next().await.unwrap(), stream.next().await.unwrap()]),
        ["12001 resync", "12002 objects.changed"]
    );
}

#[tokio::test]
async fn many_large_events_are_all_delivered_in_several_reads() {
    let opened = OpenSession::own().await;
    let client = opened.deployment.database.connect().await;
    let large = "update session_event_heads set sequence = 21; \
         insert into session_events (session_id, sequence, type, data, occurred_at) \
         select session_id, n, 'message.delta', \
         jsonb_build_object('taskId', session_id, 'text', repeat('x', 1000000)), now() \
         from session_event_heads, generate_series(2, 21) n";
    client.batch_execute(large).await.unwrap();
    let mut stream =
        EventStream::open(opened.caller.get(&format!("{}?follow=false", path(&opened.session)))).await;
    let sequences: Vec<String> = stream.rest().await.into_iter().map(|event| event.id).collect();
    assert_eq!(sequences, (1..=21).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_user_has_a_limit_of_streams_and_the_end_of_one_frees_its_place() {
    let environment = vec![("streams_per_user", "2".to_owned())];
    let opened = OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let other = Session::open(&opened.caller, &opened.project).await;
    let mut first = EventStream::open(opened.caller.get(&path(&opened.session))).await;
    let mut second = EventStream::open(opened.caller.get(&path(&other))).await;
    for stream in [&mut first, &mut second] {
        assert_eq!(stream.next().await.unwrap().kind, "session.created");
    }
    let refused = opened.alice.key(MANAGE).await.get(&path(&opened.session)).await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"streams"}"#);
    other.close().await.expect(200);
    assert_eq!(shown(&second.rest().await), ["2 session.closed"]);
    eventually_async("its place is free", async || {
        let again = opened.caller.get(&format!("{}?follow=false", path(&opened.session))).await;
        again.status == 200
    })
    .await;
}

#[tokio::test]
async fn a_disconnected_client_frees_its_place_before_the_next_write() {
    let environment = vec![("streams_per_user", "2".to_owned())];
    let opened = OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let follow = format!(
        "GET {} HTTP/1.1\r\nhost: control.test\r\nauthorization: Bearer {}\r\n\r\n",
        path(&opened.session),
        opened.caller.credential(),
    );
    let mut clients =
        [Connection::open(&opened.caller.url).await, Connection::open(&opened.caller.url).await];
    for client in &mut clients {
        assert!(client.send(&follow).await);
    }
    let [one, other] = &clients;
    eventually_async("both are followed", async || one.has_received().await && other.has_received().await)
        .await;
    let once_more = opened.caller.get(&format!("{}?follow=false", path(&opened.session))).await;
    assert_eq!(once_more.status, 429, "there is no place left");
    for client in &mut clients {
        // The client keeps reading, so the service must notice the end on its own.
        client.finish().await;
        assert!(client.is_closed_within(Duration::from_secs(10)).await);
    }
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = EventStream::open(opened.caller.get(&path(&opened.session))).await;
        assert_eq!(stream.next().await.unwrap().kind, "session.created");
        streams.push(stream);
    }
}
