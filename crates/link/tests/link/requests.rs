//! Requests between processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::Error;
use domain::error::Failure;
use domain::id::ProcessId;
use domain::time::Clock;
use domain::upload::{AttachOutcome, LockedRows};
use link::{HostReply, ProcessRequest, ProcessResponse, SentUpload};
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;
use serde_json::{Value, json};
use testkit::redis::PrivateRedis;
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::support::{connection, new_session, open, open_host, redis_connection, until};

/// Timeout for answers that arrive.
const LONG: Duration = Duration::from_secs(20);
/// Timeout for answers that never arrive.
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_request_is_answered_by_its_recipient() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    host.serve(|request| async move {
        match request {
            ProcessRequest::Attach { uploads, .. } => {
                ProcessResponse::Attached(vec![AttachOutcome::Deferred; uploads.len()])
            }
            _ => ProcessResponse::NotHosted,
        }
    });
    let upload = SentUpload { connection: connection(&new_session()), upload: "{}".to_owned() };
    let request = ProcessRequest::Attach { uploads: vec![upload; 3], locked: LockedRows::Defer };
    for process in [&asker, &host] {
        let answer = process.ask(host.process(), request.clone(), LONG).await.unwrap();
        assert_eq!(answer, Some(ProcessResponse::Attached(vec![AttachOutcome::Deferred; 3])));
    }
}

#[tokio::test]
async fn a_missing_process_gives_no_answer() {
    let redis = PrivateRedis::start();
    let asker = open(&redis);
    let session = new_session().session;
    let nobody = ProcessId::new(Clock::system().now());
    let answer = asker.ask(nobody, ProcessRequest::SessionStatus { session }, SHORT).await;
    assert_eq!(answer.unwrap(), None);
}

#[tokio::test]
async fn a_process_without_a_handler_declines_at_once() {
    let redis = PrivateRedis::start();
    let (asker, other) = (open(&redis), open(&redis));
    let session = new_session().session;
    let request = ProcessRequest::SessionStatus { session };
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
            ProcessResponse::NotHosted
        }
    });
    let session = new_session().session;
    let asked: Vec<_> = (0..REQUESTS)
        .map(|_| {
            let (asker, host) = (asker.clone(), host.process());
            tokio::spawn(
                async move { asker.ask(host, ProcessRequest::SessionStatus { session }, LONG).await },
            )
        })
        .collect();
    for asked in asked {
        assert_eq!(asked.await.unwrap().unwrap(), Some(ProcessResponse::NotHosted));
    }
}

#[tokio::test]
async fn only_the_host_of_a_live_connection_gets_its_requests() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let asked = Arc::new(AtomicUsize::new(0));
    host.serve({
        let asked = Arc::clone(&asked);
        move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            async { ProcessResponse::Done }
        }
    });
    let registration = new_session();
    let ask = async || {
        let request = ProcessRequest::SessionStatus { session: registration.session };
        asker.ask_host(&connection(&registration), request, LONG).await.unwrap()
    };
    assert_eq!(ask().await, None, "no host yet");
    host.host_session(registration.clone()).await.unwrap();
    let reply = HostReply { host: host.process(), response: Some(ProcessResponse::Done) };
    assert_eq!(ask().await, Some(reply));
    host.release_session(registration.session).await;
    assert_eq!(ask().await, None, "closed");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_host_without_an_answer_is_named() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let registration = new_session();
    host.host_session(registration.clone()).await.unwrap();
    let ask = async || {
        let request = ProcessRequest::SessionStatus { session: registration.session };
        asker.ask_host(&connection(&registration), request, SHORT).await.unwrap()
    };
    let unanswered = Some(HostReply { host: host.process(), response: None });
    assert_eq!(ask().await, unanswered, "it serves no requests");
    host.serve(async |_| std::future::pending().await);
    assert_eq!(ask().await, unanswered, "it is silent");
}

#[tokio::test]
async fn a_failure_reaches_the_requester_with_its_details() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let registration = new_session();
    host.host_session(registration.clone()).await.unwrap();
    let refusal = || Failure::from(Error::invalid("parentId", "exists", "gone"));
    host.serve(move |_| async move { ProcessResponse::Failed(refusal()) });
    let request = ProcessRequest::SessionStatus { session: registration.session };
    let reply = asker.ask_host(&connection(&registration), request, LONG).await.unwrap().unwrap();
    assert_eq!(reply.response, Some(ProcessResponse::Failed(refusal())));
    assert_eq!(Error::from(refusal()).to_string(), "parentId: gone");
}

#[tokio::test]
async fn a_request_of_another_version_is_declined_at_once() {
    let redis = PrivateRedis::start();
    let host = open_host(&redis);
    let (asker, id) = (ProcessId::new(Clock::system().now()), Uuid::new_v4());
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
async fn an_inbox_deletes_read_entries_and_expires() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_host(&redis));
    let session = new_session().session;
    let nobody = ProcessId::new(Clock::system().now());
    for process in [host.process(), nobody] {
        let _answer = asker.ask(process, ProcessRequest::SessionStatus { session }, SHORT).await.unwrap();
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
