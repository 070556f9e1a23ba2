//! Requests from process to process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::id::ProcessId;
use domain::time::Timestamp;
use domain::{Code, Error};
use link::{Failure, Handed, Request, Response};
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;
use serde_json::{Value, json};
use testkit::redis::PrivateRedis;
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::support::{connection, hand, new_session, open, open_host, redis_connection, until};

/// Long enough for any answer that comes.
const LONG: Duration = Duration::from_secs(20);
/// For answers that never come.
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_request_is_answered_by_the_process_that_was_asked() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    host.serve(|request| async move {
        match request {
            Request::Attach { change, .. } => Response::Attached(format!("got {change}")),
            _ => Response::NotHosted,
        }
    });
    let request = Request::Attach { connection: connection(&new_session()), change: "n".to_owned() };
    for process in [&asker, &host] {
        let answer = process.ask(host.process(), request.clone(), LONG).await.unwrap();
        assert_eq!(answer, Some(Response::Attached("got n".to_owned())));
    }
}

#[tokio::test]
async fn a_process_that_is_not_there_gives_no_answer() {
    let redis = PrivateRedis::start();
    let asker = open(&redis);
    let session = new_session().session;
    let nobody = ProcessId::new(Timestamp::now());
    let answer = asker.ask(nobody, Request::SessionStatus { session }, SHORT).await;
    assert_eq!(answer.unwrap(), None);
}

#[tokio::test]
async fn a_process_that_serves_nothing_declines_at_once() {
    let redis = PrivateRedis::start();
    let (asker, other) = (open(&redis), open(&redis));
    let session = new_session().session;
    let request = Request::SessionStatus { session };
    let asked = asker.ask(other.process(), request, Duration::from_secs(3600));
    let answer = tokio::time::timeout(LONG, asked).await.unwrap();
    assert_eq!(answer.unwrap(), None);
}

#[tokio::test]
async fn requests_are_handled_concurrently() {
    const REQUESTS: usize = 50;
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let all_here = Arc::new(Barrier::new(REQUESTS));
    host.serve(move |_| {
        let all_here = Arc::clone(&all_here);
        async move {
            all_here.wait().await;
            Response::NotHosted
        }
    });
    let session = new_session().session;
    let asked: Vec<_> = (0..REQUESTS)
        .map(|_| {
            let (asker, host) = (asker.clone(), host.process());
            tokio::spawn(async move { asker.ask(host, Request::SessionStatus { session }, LONG).await })
        })
        .collect();
    for asked in asked {
        assert_eq!(asked.await.unwrap().unwrap(), Some(Response::NotHosted));
    }
}

#[tokio::test]
async fn a_change_is_attached_by_the_host_of_a_live_connection_alone() {
    let redis = PrivateRedis::start();
    let (uploader, host) = (open(&redis), open(&redis));
    let applied = Arc::new(AtomicUsize::new(0));
    host.serve({
        let applied = Arc::clone(&applied);
        move |_| {
            let count = applied.fetch_add(1, Ordering::Relaxed);
            async move { Response::Attached(count.to_string()) }
        }
    });
    let session = new_session();
    let attach = async || uploader.attach::<_, Value>(&connection(&session), &"change", LONG).await.unwrap();
    assert_eq!(attach().await, Handed::NoHost, "no host yet");
    host.host_session(session.clone()).await.unwrap();
    assert_eq!(attach().await, Handed::Applied(json!(0)));
    host.release_session(session.session).await;
    assert_eq!(attach().await, Handed::NoHost, "closed");
    assert_eq!(applied.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn changes_of_several_connections_reach_the_host_that_they_were_handed_to_before() {
    let redis = PrivateRedis::start();
    let (uploader, host) = (open(&redis), open_host(&redis));
    let sessions = [new_session(), new_session()];
    let connections = sessions.each_ref().map(connection);
    let at_once = async |wait| {
        let changes = [(&connections[0], "one"), (&connections[1], "other")];
        uploader.attach_at_once::<_, Value>(host.process(), &changes, wait).await.unwrap()
    };
    assert_eq!(at_once(LONG).await, Handed::NoHost, "nothing was handed over yet");
    for session in &sessions {
        host.host_session(session.clone()).await.unwrap();
        assert_eq!(hand(&uploader, session).await, Handed::Applied(host.process()));
    }
    host.serve(async |request| match request {
        // The first is left out.
        Request::AttachAtOnce { changes } => {
            let attached = changes.into_iter().map(|change| Some(change.change));
            Response::AttachedAtOnce(std::iter::once(None).chain(attached.skip(1)).collect())
        }
        _ => Response::NotHosted,
    });
    assert_eq!(at_once(LONG).await, Handed::Applied(vec![None, Some(json!("other"))]));

    host.serve(async |_| std::future::pending().await);
    assert_eq!(at_once(SHORT).await, Handed::Unknown);
    // None of its connections is taken for its any more.
    assert!(connections.iter().all(|connection| uploader.likely_host(connection).is_none()));
    assert_eq!(at_once(LONG).await, Handed::NoHost);
}

#[tokio::test]
async fn a_refusal_crosses_over_and_a_breakdown_counts_as_no_answer() {
    let redis = PrivateRedis::start();
    let (uploader, host) = (open(&redis), open_host(&redis));
    let session = new_session();
    host.host_session(session.clone()).await.unwrap();
    let attach = async || uploader.attach::<_, Value>(&connection(&session), &"change", LONG).await;

    host.serve(|_| async {
        Response::Failed(Failure::from(&Error::invalid("path.parentId", "exists", "gone")))
    });
    let error = attach().await.unwrap_err();
    assert_eq!(error.code, Code::InvalidRequest);
    assert_eq!(error.details.unwrap()["issues"][0]["path"], "path.parentId");

    host.serve(|_| async { Response::Failed(Failure::from(&Error::unavailable("database"))) });
    assert_eq!(attach().await.unwrap(), Handed::Unknown);
    host.serve(|_| async { Response::NotHosted });
    assert_eq!(attach().await.unwrap(), Handed::NoHost);
}

#[tokio::test]
async fn a_request_that_only_another_version_understands_is_declined_at_once() {
    let redis = PrivateRedis::start();
    let host = open_host(&redis);
    let (asker, id) = (ProcessId::new(Timestamp::now()), Uuid::new_v4());
    let request = json!({ "kind": "tomorrow", "with": [1, 2] });
    let message = json!({ "id": id, "body": { "request": { "from": asker, "request": request } } });
    let mut connection = redis_connection(&redis).await;
    let inbox = format!("test:inbox:{}", host.process());
    let _: String = connection.xadd(inbox, "*", &[("message", message.to_string())]).await.unwrap();
    let answers = format!("test:inbox:{asker}");
    until("it answers", async || connection.xlen::<_, u64>(&answers).await.unwrap() == 1).await;
    let answers: StreamRangeReply = connection.xrange_all(&answers).await.unwrap();
    let answer: String = answers.ids[0].get("message").unwrap();
    let declined = json!({ "id": id, "body": { "answer": { "response": null } } });
    assert_eq!(serde_json::from_str::<Value>(&answer).unwrap(), declined);
}

#[tokio::test]
async fn an_inbox_keeps_nothing_that_was_read_and_nothing_for_long() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_host(&redis));
    let session = new_session().session;
    let nobody = ProcessId::new(Timestamp::now());
    for process in [host.process(), nobody] {
        let _answer = asker.ask(process, Request::SessionStatus { session }, SHORT).await.unwrap();
    }
    let mut connection = redis_connection(&redis).await;
    until("the inboxes are empty", async || {
        let mut pipeline = redis::pipe();
        pipeline
            .xlen(format!("test:inbox:{}", host.process()))
            .xlen(format!("test:inbox:{}", asker.process()));
        let lengths: (u64, u64) = pipeline.query_async(&mut connection).await.unwrap();
        lengths == (0, 0)
    })
    .await;
    let lifetime: i64 =
        redis::cmd("PTTL").arg(format!("test:inbox:{nobody}")).query_async(&mut connection).await.unwrap();
    assert!((1..=60_000).contains(&lifetime), "{lifetime}");
}
