//! Requests between processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::error::Failure;
use domain::id::ProcessId;
use domain::time::Clock;
use domain::upload::{AttachOutcome, LockedRows};
use domain::{Error, Rule};
use link::{HostReply, ProcessRequest, ProcessResponse, SentUpload};
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;
use serde_json::{Value, json};
use testkit::redis::PrivateRedis;
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::support::{SECRET, connection, new_session, open, open_host, redis_connection, sealed_by, until};

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
    let refusal = || Failure::from(Error::invalid("parentId", Rule::Exists, "gone"));
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
    let body = json!({ "request": { "from": asker, "request": request } });
    let message = json!({ "id": id, "to": { "process": host.process() }, "body": body });
    let mut connection = redis_connection(&redis).await;
    let inbox = format!("test:inbox:{}", host.process());
    let _: String =
        connection.xadd(inbox, "*", &[("message", sealed_by(&SECRET, &message.to_string()))]).await.unwrap();
    let answers = format!("test:inbox:{asker}");
    until("it answers", async || connection.xlen::<_, u64>(&answers).await.unwrap() == 1).await;
    let answers: StreamRangeReply = connection.xrange_all(&answers).await.unwrap();
    let answer: String = answers.ids[0].get("message").unwrap();
    let declined =
        json!({ "id": id, "to": { "process": asker }, "body": { "answer": { "response": null } } });
    let (_, text) = answer.split_once(" {").unwrap();
    assert_eq!(serde_json::from_str::<Value>(&format!("{{{text}")).unwrap(), declined);
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

#[tokio::test]
async fn who_can_write_to_redis_can_neither_ask_nor_answer_for_a_process() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let asked = Arc::new(AtomicUsize::new(0));
    let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
    host.serve({
        let asked = Arc::clone(&asked);
        move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            let _ = started.send(());
            async { ProcessResponse::Done }
        }
    });
    let mut forger = redis_connection(&redis).await;
    let mut put = async |process: ProcessId, message: String| {
        let inbox = format!("test:inbox:{process}");
        let _: String = forger.xadd(inbox, "*", &[("message", message)]).await.unwrap();
    };
    let job = json!({ "kind": "agent_run", "id": Uuid::new_v4() });
    let request = json!({ "kind": "start_job", "job": job });
    let body = json!({ "request": { "from": asker.process(), "request": request } });
    let message =
        json!({ "id": Uuid::new_v4(), "to": { "process": host.process() }, "body": body }).to_string();
    let no_seal = "0".repeat(32);
    // Bare, with a made-up seal, under another deployment's key, of another version, and sealed for another process.
    put(host.process(), message.clone()).await;
    put(host.process(), format!("1 {no_seal} {message}")).await;
    put(host.process(), sealed_by(&[8; 32], &message)).await;
    put(host.process(), sealed_by(&SECRET, &message).replacen('1', "2", 1)).await;
    put(asker.process(), sealed_by(&SECRET, &message)).await;
    // An answer that nobody gave, to a request that waits.
    let session = new_session().session;
    let silent = open(&redis);
    silent.serve(async |_| std::future::pending().await);
    let waiting = tokio::spawn({
        let (asker, silent) = (asker.clone(), silent.process());
        async move { asker.ask(silent, ProcessRequest::SessionStatus { session }, SHORT * 5).await }
    });
    for id in [Uuid::nil(), Uuid::new_v4()] {
        let body = json!({ "answer": { "response": { "kind": "done" } } });
        put(
            asker.process(),
            json!({ "id": id, "to": { "process": asker.process() }, "body": body }).to_string(),
        )
        .await;
    }
    assert_eq!(waiting.await.unwrap().unwrap(), None);
    // The inboxes are read: a sealed request behind all of these is answered, and was the only one.
    let answer = asker.ask(host.process(), ProcessRequest::SessionStatus { session }, LONG).await.unwrap();
    assert_eq!(answer, Some(ProcessResponse::Done));
    begun.recv().await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
