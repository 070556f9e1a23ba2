//! Workers that die, hang, or hit a limit: the file is stored with the reason, and other conversions are not affected.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use testkit::answer::Answer;
use testkit::events::EventStream;
use testkit::open_session::{OpenSession, eventually};
use testkit::process::is_running;
use testkit::session::{file_name, objects};
use testkit::upload::ASSEMBLY;

use crate::conversions::support::{failure, limited, long, with_points, workers};

/// The worker process of the single data plane.
fn worker(opened: &OpenSession) -> Option<Pid> {
    workers(opened).into_iter().next()
}

/// Uploads a file that takes long, and runs `with` on its worker meanwhile.
async fn upload_and_disturb(opened: &OpenSession, with: impl Fn(Pid)) -> Answer {
    let upload = tokio::spawn(opened.session.upload(&opened.model, "long.stp", long()).into_future());
    eventually("the file is being converted", || worker(opened).is_some()).await;
    with(worker(opened).unwrap());
    upload.await.unwrap().expect(200)
}

#[tokio::test]
async fn a_killed_worker_leaves_the_file_with_the_reason() {
    let opened = OpenSession::own().await;
    let answer = upload_and_disturb(&opened, |worker| kill(worker, Signal::SIGKILL).unwrap()).await;
    assert_eq!(failure(&opened, &answer).await, "CONVERSION_CRASHED");
    let all = objects(&answer);
    let shown = ["kind", "type", "mimeType", "extension"].map(|field| all[0][field].as_str().unwrap());
    assert_snapshot!(shown.join(" "), @"reference File model/step .stp");
    let path = opened.session.download_path(&file_name(&all[0]));
    assert_eq!(opened.session.grant.get(&path).await.expect(200).body, long());
    // The next file is converted.
    let next = opened.session.upload(&opened.model, "gear.stp", ASSEMBLY).await.expect(200);
    assert_eq!(objects(&next).len(), 3);
}

#[tokio::test]
async fn events_and_upload_state_report_a_conversion_in_progress() {
    let opened = OpenSession::own().await;
    let mut events = EventStream::open(opened.caller.get(&format!("{}/events", opened.session.path()))).await;
    let upload = tokio::spawn(opened.session.upload(&opened.model, "long.stp", long()).into_future());
    eventually("the file is being converted", || worker(&opened).is_some()).await;
    kill(worker(&opened).unwrap(), Signal::SIGSTOP).unwrap();
    let told = loop {
        let told = events.next_of("upload.changed").await.json["data"].clone();
        if told["status"] == "converting" {
            break told;
        }
    };
    assert_eq!(told["receivedBytes"], long().len());
    let path = format!("{}/uploads/{}", opened.session.path(), told["uploadId"].as_str().unwrap());
    let asked = async || opened.caller.get(&path).await.expect(200).json()["upload"].clone();
    assert_eq!(asked().await["status"], "converting");
    kill(worker(&opened).unwrap(), Signal::SIGCONT).unwrap();
    let answer = upload.await.unwrap().expect(200);
    let done = asked().await;
    assert_eq!((&done["status"], &done["object"]), (&"done".into(), &answer.json()["object"]));
}

#[tokio::test]
async fn a_worker_that_hangs_is_killed_after_its_time_and_delays_no_others() {
    let opened = limited(&[("conversion_secs", "10"), ("ATELIER_CONVERSIONS_AT_ONCE", "1")]).await;
    let stopped = Instant::now();
    let hanging = async {
        let answer = upload_and_disturb(&opened, |worker| kill(worker, Signal::SIGSTOP).unwrap()).await;
        assert_eq!(failure(&opened, &answer).await, "CONVERSION_TIMED_OUT");
        assert!(stopped.elapsed() < Duration::from_secs(60), "{:?}", stopped.elapsed());
    };
    let beside = async {
        eventually("the file is being converted", || worker(&opened).is_some()).await;
        let small = opened.session.upload(&opened.model, "gear.stp", ASSEMBLY).await.expect(200);
        assert_eq!(objects(&small).len(), 3);
        assert!(worker(&opened).is_some(), "a small file waited for a large one");
    };
    tokio::join!(hanging, beside);
    assert_eq!(worker(&opened), None);
}

#[tokio::test]
async fn a_worker_that_computes_too_long_is_killed_after_its_processor_time() {
    let opened = limited(&[("conversion_processor_secs", "1")]).await;
    let answer = opened.session.upload(&opened.model, "long.stp", with_points(3_000_000)).await.expect(200);
    assert_eq!(failure(&opened, &answer).await, "CONVERSION_TIMED_OUT");
}

#[tokio::test]
async fn a_worker_dies_with_the_data_plane() {
    let mut opened = OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    let upload = tokio::spawn(opened.session.upload(&opened.model, "long.stp", long()).try_send());
    eventually("the file is being converted", || worker(&opened).is_some()).await;
    let orphan = worker(&opened).unwrap();
    kill(orphan, Signal::SIGSTOP).unwrap();
    opened.deployment.data[0].kill();
    assert!(upload.await.unwrap().is_err(), "a killed process answered");
    eventually("the worker is gone", || !is_running(orphan)).await;
    assert!(opened.added().await.is_empty());
    opened.deployment.data[0].restart();
}

#[tokio::test]
async fn closing_the_session_ends_an_upload_during_its_conversion() {
    let opened = OpenSession::own().await;
    let upload = tokio::spawn(opened.session.upload(&opened.model, "long.stp", long()).into_future());
    eventually("the file is being converted", || worker(&opened).is_some()).await;
    kill(worker(&opened).unwrap(), Signal::SIGSTOP).unwrap();
    opened.session.close().await.expect(200);
    assert_snapshot!(upload.await.unwrap(), @"401 UNAUTHENTICATED");
    eventually("the worker is gone", || worker(&opened).is_none()).await;
    assert!(opened.added().await.is_empty());
}
