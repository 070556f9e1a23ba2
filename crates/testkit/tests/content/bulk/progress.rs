//! Progress of an archive: events of the session that stand for those of its files.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use testkit::events::EventStream;
use testkit::open_session::OpenSession;
use testkit::raw::Connection;
use testkit::upload::Form;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A ZIP with a file that is refused, and one that is attached.
fn archive() -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for path in ["../refused.bin", "attached.bin"] {
        zip.start_file(path, SimpleFileOptions::default()).unwrap();
        zip.write_all(b"\0").unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Sends the first bytes of an archive.
async fn begin(opened: &OpenSession, archive: &[u8], sent: usize) -> (Connection, Vec<u8>) {
    let form = Form::new("archive.zip");
    let body = form.body(archive);
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection
        .send(format!(
            "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
             content-length: {}\r\n\r\n",
            opened.session.archive_path(&opened.model),
            opened.session.grant.credential(),
            form.content_type(),
            body.len(),
        ))
        .await;
    let sent = form.head().len() + sent;
    connection.send(&body[..sent]).await;
    (connection, body[sent..].to_vec())
}

async fn follow(opened: &OpenSession) -> EventStream {
    EventStream::open(opened.caller.get(&format!("{}/events", opened.session.path()))).await
}

/// The next report with a status.
async fn next(events: &mut EventStream, status: &str) -> Value {
    loop {
        let report = events.next_of("upload.changed").await.json["data"].clone();
        if report["status"] == status {
            return report;
        }
    }
}

#[tokio::test]
async fn a_slow_archive_reports_its_bytes_then_its_files_and_its_end() {
    let opened = OpenSession::own().await;
    let mut events = follow(&opened).await;
    let (mut connection, rest) = begin(&opened, &archive(), 100).await;
    let receiving = next(&mut events, "receiving").await;
    assert_eq!(receiving["files"], json!({ "attachedCount": 0, "refusedCount": 0 }));

    // The second file can't be attached while the branch is locked.
    let mut client = opened.deployment.database.connect().await;
    let lock = client.transaction().await.unwrap();
    lock.batch_execute("select from branches for update").await.unwrap();
    connection.send(rest).await;
    let converting = next(&mut events, "converting").await;
    assert_eq!(converting["files"], json!({ "attachedCount": 0, "refusedCount": 1 }));
    assert_eq!(converting["uploadId"], receiving["uploadId"]);
    lock.rollback().await.unwrap();

    assert_eq!(connection.answer().await.status, 200);
    let done = next(&mut events, "done").await;
    assert_eq!(done["files"], json!({ "attachedCount": 1, "refusedCount": 1 }));
    let path = format!("{}/uploads/{}", opened.session.path(), done["uploadId"].as_str().unwrap());
    let state = opened.caller.get(&path).await.expect(200).json()["upload"].clone();
    assert_eq!((&state["status"], &state["files"]), (&done["status"], &done["files"]));
}

#[tokio::test]
async fn an_archive_that_is_cut_short_reports_its_failure() {
    let opened = OpenSession::open().await;
    let mut events = follow(&opened).await;
    let (connection, _) = begin(&opened, &archive(), 100).await;
    next(&mut events, "receiving").await;
    drop(connection);
    assert_eq!(next(&mut events, "failed").await["failure"]["code"], "INVALID_REQUEST");
}
