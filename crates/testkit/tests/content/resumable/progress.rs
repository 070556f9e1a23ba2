//! Progress of uploads: events of the session, and answers to requests.

use insta::assert_snapshot;
use serde_json::Value;
use testkit::events::EventStream;
use testkit::open_session::OpenSession;
use testkit::raw::Connection;
use testkit::session::Session;
use testkit::upload::Form;

use crate::resumable::support::{PieceUpload, content};

const MIB: usize = 1024 * 1024;

async fn follow(opened: &OpenSession) -> EventStream {
    EventStream::open(opened.caller.get(&format!("{}/events", opened.session.path()))).await
}

/// The state of an upload, as its session answers.
async fn state(opened: &OpenSession, upload: &Value) -> Value {
    let path = format!("{}/uploads/{}", opened.session.path(), upload.as_str().unwrap());
    opened.caller.get(&path).await.expect(200).json()["upload"].clone()
}

/// An upload in one piece of 4 MiB, half of it sent.
async fn half_sent(opened: &OpenSession) -> Connection {
    let form = Form::new("a.bin");
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection
        .send(format!(
            "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
             content-length: {}\r\n\r\n{}",
            opened.session.upload_path(&opened.model),
            opened.session.grant.credential(),
            form.content_type(),
            form.length(u64::try_from(4 * MIB).unwrap()),
            form.head(),
        ))
        .await;
    connection.send(content(2 * MIB)).await;
    connection
}

#[tokio::test]
async fn an_upload_in_pieces_reports_progress_and_its_objects_name_it() {
    let opened = OpenSession::open().await;
    let mut events = follow(&opened).await;
    let file = content(4 * MIB);
    let upload = PieceUpload::of(&opened, "a.bin", file.len()).await;
    let mut piece = upload.begin_piece(0, file.len(), &file[..3 * MIB]).await;
    let told = events.next_of("upload.changed").await.json["data"].clone();
    assert_eq!(
        (told["status"].as_str(), told["sizeBytes"].as_u64()),
        (Some("receiving"), Some(4 * 1024 * 1024))
    );
    assert!((1..=3 * 1024 * 1024).contains(&told["receivedBytes"].as_u64().unwrap()), "{told}");
    piece.send(&file[3 * MIB..]).await;
    assert_eq!(piece.answer().await.status, 204);
    let done = events.next_of("objects.changed").await.json["data"].clone();
    assert_eq!(done["uploadId"], told["uploadId"]);
    assert_eq!(upload.path.rsplit('/').next(), told["uploadId"].as_str());
}

#[tokio::test]
async fn an_upload_in_one_piece_reports_progress_and_failure() {
    let opened = OpenSession::open().await;
    let mut events = follow(&opened).await;
    let connection = half_sent(&opened).await;
    let told = events.next_of("upload.changed").await.json["data"].clone();
    assert_eq!((told["status"].as_str(), told["sizeBytes"].is_null()), (Some("receiving"), true));
    let asked = state(&opened, &told["uploadId"]).await;
    assert_eq!((&asked["status"], &asked["sizeBytes"]), (&told["status"], &told["sizeBytes"]));
    drop(connection);
    loop {
        let told = events.next_of("upload.changed").await.json["data"].clone();
        if told["status"] == "failed" {
            assert_eq!(told["failure"]["code"], "INVALID_REQUEST");
            assert_eq!(state(&opened, &told["uploadId"]).await["failure"], told["failure"]);
            break;
        }
    }
}

#[tokio::test]
async fn a_client_that_lost_the_answer_to_a_simple_upload_reads_its_state_by_id() {
    let opened = OpenSession::open().await;
    let mut events = follow(&opened).await;
    let answer = opened.session.upload(&opened.model, "a.txt", "solid").await.expect(200);
    let told = events.next_of("objects.changed").await.json["data"]["uploadId"].clone();
    let asked = state(&opened, &told).await;
    assert_eq!(asked["object"], answer.json()["object"]);
    assert_eq!((asked["status"].as_str(), asked["sizeBytes"].as_u64()), (Some("done"), Some(5)));
    assert_eq!(asked["receivedBytes"], 5);
    // Another session doesn't find it.
    let other = Session::open(&opened.caller, &opened.project).await;
    let path = format!("{}/uploads/{}", other.path(), told.as_str().unwrap());
    assert_snapshot!(opened.caller.get(&path).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn an_upload_in_pieces_is_read_at_the_same_path() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.bin", 4).await;
    let id = Value::from(upload.path.rsplit('/').next().unwrap());
    upload.append(0, "so").await.expect(204);
    let asked = state(&opened, &id).await;
    assert_eq!(asked["status"], "receiving");
    assert_eq!((asked["receivedBytes"].as_u64(), asked["sizeBytes"].as_u64()), (Some(2), Some(4)));
    upload.append(2, "up").await.expect(204);
    let asked = state(&opened, &id).await;
    assert_eq!(asked["status"], "done");
    assert_eq!(asked["object"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn an_upload_whose_process_died_has_failed_after_a_minute_of_silence() {
    let mut opened = OpenSession::own().await;
    let mut events = follow(&opened).await;
    let _connection = half_sent(&opened).await;
    let id = events.next_of("upload.changed").await.json["data"]["uploadId"].clone();
    opened.deployment.data[0].kill();
    assert_eq!(state(&opened, &id).await["status"], "receiving");
    let client = opened.deployment.database.connect().await;
    client
        .batch_execute("update session_events set occurred_at = occurred_at - interval '1 minute'")
        .await
        .unwrap();
    let asked = state(&opened, &id).await;
    assert_eq!(asked["status"], "failed");
    assert_eq!(asked["failure"]["code"], "UNAVAILABLE");
    assert!(opened.added().await.is_empty());
    opened.deployment.data[0].restart();
}

#[tokio::test]
async fn a_small_upload_reports_only_its_end() {
    let opened = OpenSession::open().await;
    let mut events = follow(&opened).await;
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    PieceUpload::of(&opened, "b.txt", 1).await.append(0, "b").await.expect(204);
    opened.session.close().await.expect(200);
    let kinds: Vec<String> = events.rest().await.into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["session.created", "objects.changed", "objects.changed", "session.closed"]);
}
