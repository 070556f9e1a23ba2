//! Requests between processes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::id::ProcessId;
use domain::time::Clock;
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;
use serde_json::{Value, json};
use testkit::redis::PrivateRedis;
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::support::{SECRET, open, open_unserved, redis_connection, sealed_by, start_job, until};

/// Timeout for answers that arrive.
const LONG: Duration = Duration::from_secs(20);
/// Timeout for answers that never arrive.
const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_request_is_handled_by_its_recipient_before_it_is_answered() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_unserved(&redis));
    let handled = Arc::new(Mutex::new(Vec::new()));
    host.serve({
        let handled = Arc::clone(&handled);
        move |request| {
            let handled = Arc::clone(&handled);
            async move {
                handled.lock().unwrap().push(request);
                true
            }
        }
    });
    let requests = [start_job(), start_job()];
    for (asker, request) in [&asker, &host].into_iter().zip(&requests) {
        assert!(asker.ask(host.process(), request.clone(), LONG).await.unwrap());
    }
    assert_eq!(*handled.lock().unwrap(), requests);
}

#[tokio::test]
async fn a_missing_process_gives_no_answer() {
    let redis = PrivateRedis::start();
    let asker = open(&redis);
    let nobody = ProcessId::new(Clock::system().now());
    assert!(!asker.ask(nobody, start_job(), SHORT).await.unwrap());
}

#[tokio::test]
async fn a_silent_process_is_not_waited_for_longer_than_asked() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_unserved(&redis));
    host.serve(async |_| std::future::pending().await);
    assert!(!asker.ask(host.process(), start_job(), SHORT).await.unwrap());
}

#[tokio::test]
async fn a_request_that_its_recipient_declines_is_not_done() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_unserved(&redis));
    host.serve(async |_| false);
    let started = Instant::now();
    assert!(!asker.ask(host.process(), start_job(), LONG).await.unwrap());
    assert!(started.elapsed() < LONG);
}

#[tokio::test]
async fn requests_are_handled_concurrently() {
    const REQUESTS: usize = 50;
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open_unserved(&redis));
    let all_here = Arc::new(Barrier::new(REQUESTS));
    host.serve(move |_| {
        let all_here = Arc::clone(&all_here);
        async move {
            all_here.wait().await;
            true
        }
    });
    let asked: Vec<_> = (0..REQUESTS)
        .map(|_| {
            let (asker, host) = (asker.clone(), host.process());
            tokio::spawn(async move { asker.ask(host, start_job(), LONG).await })
        })
        .collect();
    for asked in asked {
        assert!(asked.await.unwrap().unwrap());
    }
}

#[tokio::test]
async fn a_request_of_another_version_is_declined_at_once() {
    let redis = PrivateRedis::start();
    let host = open(&redis);
    let mut connection = redis_connection(&redis).await;
    // A later version may send other requests. An earlier one sends uploads, to hosts that it knows only by a
    // connection.
    let receivers = [json!({ "process": host.process() }), json!({ "host_of": "headless-1" })];
    for (to, kind) in receivers.into_iter().zip(["tomorrow", "attach"]) {
        let (asker, id) = (ProcessId::new(Clock::system().now()), Uuid::new_v4());
        let request = json!({ "kind": kind, "with": [1, 2] });
        let body = json!({ "request": { "from": asker, "request": request } });
        let message = json!({ "id": id, "to": to, "body": body }).to_string();
        let inbox = format!("test:inbox:{}", host.process());
        let _: String =
            connection.xadd(inbox, "*", &[("message", sealed_by(&SECRET, &message))]).await.unwrap();
        let answers = format!("test:inbox:{asker}");
        until("it answers", async || connection.xlen::<_, u64>(&answers).await.unwrap() == 1).await;
        let answers: StreamRangeReply = connection.xrange_all(&answers).await.unwrap();
        let answer: String = answers.ids[0].get("message").unwrap();
        let declined =
            json!({ "id": id, "to": { "process": asker }, "body": { "answer": { "response": null } } });
        let (_, text) = answer.split_once(" {").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&format!("{{{text}")).unwrap(), declined);
    }
}

#[tokio::test]
async fn an_inbox_deletes_read_entries_and_expires() {
    let redis = PrivateRedis::start();
    let (asker, host) = (open(&redis), open(&redis));
    let nobody = ProcessId::new(Clock::system().now());
    for process in [host.process(), nobody] {
        let _answer = asker.ask(process, start_job(), SHORT).await.unwrap();
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
    let (asker, host) = (open(&redis), open_unserved(&redis));
    let asked = Arc::new(AtomicUsize::new(0));
    let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
    host.serve({
        let asked = Arc::clone(&asked);
        move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            let _ = started.send(());
            async { true }
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
    let silent = open_unserved(&redis);
    silent.serve(async |_| std::future::pending().await);
    let waiting = tokio::spawn({
        let (asker, silent) = (asker.clone(), silent.process());
        async move { asker.ask(silent, start_job(), SHORT * 5).await }
    });
    for id in [Uuid::nil(), Uuid::new_v4()] {
        let body = json!({ "answer": { "response": { "kind": "done" } } });
        put(
            asker.process(),
            json!({ "id": id, "to": { "process": asker.process() }, "body": body }).to_string(),
        )
        .await;
    }
    assert!(!waiting.await.unwrap().unwrap());
    // The inboxes are read: a sealed request behind all of these is answered, and was the only one.
    assert!(asker.ask(host.process(), start_job(), LONG).await.unwrap());
    begun.recv().await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
