//! Requests that end early: what is complete stays, and a repeat completes the rest.

use testkit::invariants::staged_files;
use testkit::open_session::{OpenSession, eventually, eventually_async};
use testkit::raw::Connection;
use testkit::upload::form_of;

use crate::bulk::requests::head;
use crate::bulk::support::{below, files, results};

const SENT: [(&str, &[u8]); 3] = [("a/1.txt", b"1"), ("a/2.txt", b"2"), ("b/3.txt", b"3")];

/// Sends the form without its last `missing` bytes.
async fn begin(opened: &OpenSession, missing: usize) -> Connection {
    let (content_type, body) = form_of(&SENT);
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection.send(head(&opened.session, &opened.model, &content_type, body.len())).await;
    connection.send(&body[..body.len() - missing]).await;
    connection
}

#[tokio::test]
async fn a_body_that_is_cut_keeps_its_complete_files_and_a_repeat_adds_the_others() {
    let opened = OpenSession::own().await;
    let mut cut = begin(&opened, 60).await;
    cut.finish().await;
    if let Some(answer) = cut.try_answer().await {
        assert_eq!(answer.code(), "INVALID_REQUEST");
        assert_eq!(results(&answer.json()["error"]["details"]["files"]), ["a/1.txt", "a/2.txt"]);
    }
    eventually_async("complete files are attached", async || {
        below(&opened.session, "Model").await.len() == 3
    })
    .await;
    let folder = opened.deployment.blob_folder();
    eventually("the cut file is removed", || staged_files(&folder).is_empty()).await;

    let repeat =
        opened.session.upload_files(&opened.model, &SENT).idempotency_key("by-hand").await.expect(200);
    assert!(!repeat.is_replay());
    assert_eq!(files(&repeat), SENT.map(|(path, _)| path));
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    assert_eq!(tree, ["a", "a/1.txt", "a/2.txt", "b", "b/3.txt"]);
}

#[tokio::test]
async fn a_form_with_another_part_says_which_files_it_has_added() {
    let opened = OpenSession::open().await;
    let (content_type, body) = form_of(&SENT);
    let text = String::from_utf8(body).unwrap();
    let (before, after) = text.rsplit_once("name=\"file\"").unwrap();
    let broken = format!("{before}name=\"other\"{after}");
    let answer =
        opened.session.grant.post(&opened.session.bulk_path(&opened.model)).body(&content_type, broken).await;
    assert_eq!(answer.code(), "INVALID_UPLOAD");
    assert_eq!(results(&answer.json()["error"]["details"]["files"]), ["a/1.txt", "a/2.txt"]);
    assert_eq!(below(&opened.session, "Model").await.len(), 3);
}

#[tokio::test]
async fn closing_the_session_ends_a_request_and_keeps_its_complete_files() {
    let opened = OpenSession::own().await;
    let mut open = begin(&opened, 60).await;
    eventually_async("complete files are attached", async || {
        below(&opened.session, "Model").await.len() == 3
    })
    .await;
    opened.session.close().await.expect(200);
    // Within one or two seconds, although the client sends nothing.
    let answer = open.answer().await;
    assert_eq!(answer.code(), "UNAUTHENTICATED");
    assert_eq!(results(&answer.json()["error"]["details"]["files"]), ["a/1.txt", "a/2.txt"]);
    let folder = opened.deployment.blob_folder();
    eventually("the cut file is removed", || staged_files(&folder).is_empty()).await;
    assert_eq!(below(&opened.session, "Model").await.len(), 3);
}
