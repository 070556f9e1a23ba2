//! Concurrent attachment of uploads: shared transactions, and independence of each other.

use std::time::Duration;

use futures_util::future::join_all;
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::invariants::stored_blobs;
use testkit::open_session::{OpenSession, added, eventually};
use testkit::session::{Session, create_project, uploaded};
use uuid::Uuid;

#[tokio::test]
async fn uploads_that_arrive_during_an_attachment_share_the_next_transaction() {
    let opened = OpenSession::own().await;
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let upload = |number: usize| {
        let name = format!("{number}.bin");
        tokio::spawn(
            opened.session.upload(&opened.model, &name, [&[0, 1], name.as_bytes()].concat()).into_future(),
        )
    };
    let mut uploads = vec![upload(0)];
    opened.deployment.database.wait_for_blocked(1).await;
    uploads.extend((1..12).map(upload));
    let stored = || stored_blobs(&opened.deployment.blob_folder()).len() == 12;
    eventually("all are stored", stored).await;
    lock.rollback().await.unwrap();
    for (number, answer) in join_all(uploads).await.into_iter().enumerate() {
        assert_eq!(uploaded(&answer.unwrap().expect(200))["name"], format!("{number}.bin"));
    }
    assert_eq!(opened.added().await.len(), 12);
    let transactions = "select count(distinct xmin::text) from applied_uploads";
    let transactions = opened.deployment.database.count(transactions).await;
    // Uploads that were stored but not yet waiting when the batch started needed a later one.
    assert!(transactions <= 6, "{transactions}");
}

#[tokio::test]
async fn uploads_of_different_sessions_share_transactions() {
    let opened = OpenSession::own().await;
    let mut sessions = vec![opened.session.clone()];
    for number in 0..8 {
        let project = create_project(&opened.caller, &format!("Gear {number}")).await;
        sessions.push(Session::open(&opened.caller, &project).await);
    }
    let upload = |session: &Session| {
        let bytes = [&[0, 1], Uuid::new_v4().as_bytes().as_slice()].concat();
        tokio::spawn(session.upload(&session.project, "part.bin", bytes).into_future())
    };
    for answer in join_all(sessions.iter().map(upload)).await {
        answer.unwrap().expect(200);
    }
    // The lock holds up the last statement of the first transaction.
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    let of_first =
        format!("select from session_event_heads where session_id = '{}' for update", opened.session.id);
    assert_eq!(lock.execute(&of_first, &[]).await.unwrap(), 1);
    let mut uploads = vec![upload(&sessions[0])];
    opened.deployment.database.wait_for_blocked(1).await;
    uploads.extend(sessions[1..].iter().map(upload));
    eventually("all are stored", || stored_blobs(&opened.deployment.blob_folder()).len() == 18).await;
    let transactions = "select count(distinct xmin::text) from applied_uploads";
    let before = opened.deployment.database.count(transactions).await;
    lock.rollback().await.unwrap();
    for answer in join_all(uploads).await {
        answer.unwrap().expect(200);
    }
    for session in &sessions {
        assert_eq!(added(&opened.caller, &session.project).await.len(), 2);
    }
    let shared = opened.deployment.database.count(transactions).await - before;
    // Uploads that were stored but not yet waiting when the batch started needed a later one.
    assert!(shared <= 4, "{shared}");
}

#[tokio::test]
async fn uploads_are_attached_and_told_while_the_process_that_hosts_their_session_is_silent() {
    let opened =
        OpenSession::on(Deployment::with(Options { control_replicas: 2, ..Options::default() }).await).await;
    let other = opened.caller.at(&opened.deployment.control_urls[1]);
    let mut events = EventStream::open(other.get(&format!("{}/events", opened.session.path()))).await;
    opened.deployment.control[0].process().pause();
    for number in 1..=3 {
        let name = format!("{number}.txt");
        let answer = opened.session.upload(&opened.model, &name, name.clone()).await.expect(200);
        let told = events.next_of("objects.changed").await;
        assert_eq!(told.json["data"]["added"][0], uploaded(&answer)["id"]);
    }
    opened.deployment.control[0].process().resume();
    assert_eq!(opened.added().await.len(), 3);
}

#[tokio::test]
async fn a_locked_project_does_not_delay_uploads_to_another() {
    let opened = OpenSession::own().await;
    let other = create_project(&opened.caller, "Pump").await;
    let other = Session::open(&opened.caller, &other).await;
    for session in [&opened.session, &other] {
        session.upload(&session.project, "known.txt", "known").await.expect(200);
    }
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    let branch = format!("select from branches where project_id = '{}' for update", opened.project);
    assert_eq!(lock.execute(&branch, &[]).await.unwrap(), 1);
    let busy = tokio::spawn(opened.session.upload(&opened.model, "busy.txt", "busy").into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    for number in 0..3 {
        let name = format!("{number}.txt");
        other.upload(&other.project, &name, name.clone()).await.expect(200);
    }
    assert!(!busy.is_finished());
    lock.rollback().await.unwrap();
    busy.await.unwrap().expect(200);
    assert_eq!((opened.added().await.len(), added(&opened.caller, &other.project).await.len()), (2, 4));
}

#[tokio::test]
async fn uploads_of_more_sessions_than_may_wait_for_a_branch_are_attached_in_turn() {
    let opened = OpenSession::own().await;
    let mut sessions = vec![opened.session.clone()];
    for _ in 0..11 {
        sessions.push(Session::open(&opened.caller, &opened.project).await);
    }
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select from branches for update", &[]).await.unwrap();
    let upload = |(number, session): (usize, &Session)| {
        let name = format!("{number}.txt");
        tokio::spawn(session.upload(&opened.model, &name, name.clone()).into_future())
    };
    let uploads: Vec<_> = sessions.iter().enumerate().map(upload).collect();
    eventually("all are stored", || stored_blobs(&opened.deployment.blob_folder()).len() == 12).await;
    // Those that may not wait give a lock up after a tenth of a second.
    tokio::time::sleep(Duration::from_millis(400)).await;
    lock.rollback().await.unwrap();
    for answer in join_all(uploads).await {
        answer.unwrap().expect(200);
    }
    assert_eq!(opened.added().await.len(), 12);
}
