//! Files that their folder has already: left out by request, and added again once they are gone.

use std::future::IntoFuture;

use serde_json::json;
use testkit::open_session::OpenSession;
use testkit::session::Session;
use testkit::upload::ASSEMBLY;

use crate::bulk::support::below;

const SENT: [(&str, &[u8]); 3] =
    [("a/1.txt", b"1"), ("a/2.txt", b"2"), ("cad/gear.stp", ASSEMBLY.as_bytes())];

#[tokio::test]
async fn the_same_files_of_two_sessions_at_once_are_there_once() {
    let opened = OpenSession::open().await;
    let other = Session::open(&opened.caller, &opened.project).await;
    let send =
        |session: &Session| tokio::spawn(session.upload_missing_files(&opened.model, &SENT).into_future());
    let both = [send(&opened.session), send(&other), send(&opened.session)];
    let mut answers = Vec::new();
    for sent in both {
        answers.push(sent.await.unwrap().expect(200));
    }
    let count = |file: usize| answers[0].json()["files"][file]["objectCount"].as_u64().unwrap();
    assert_eq!([count(0), count(1), count(2)], [1, 1, 3]);
    assert_eq!(answers[1].json(), answers[0].json());
    assert_eq!(answers[2].json(), answers[0].json());
    // The assembly has three objects, and a folder of its own.
    assert_eq!(below(&opened.session, "Model").await.len(), 7);
    let again = opened.session.upload_missing_files(&opened.model, &SENT).await.expect(200);
    assert!(again.is_replay());
    assert_eq!(again.json(), answers[0].json());
}

#[tokio::test]
async fn a_file_that_was_removed_moved_or_replaced_is_added_again() {
    let opened = OpenSession::open().await;
    let send = async |content: &[u8]| {
        let answer =
            opened.session.upload_missing_files(&opened.model, &[("1.txt", content)]).await.expect(200);
        answer.json()["files"][0]["root"]["id"].as_str().unwrap().to_owned()
    };
    let object = |id: &str| format!("/api/v2/projects/{}/objects/{id}", opened.project);
    let first = send(b"1").await;
    assert_eq!(send(b"1").await, first);
    let differs = send(b"2").await;
    assert_ne!(differs, first);
    opened.caller.delete(&object(&first)).await.expect(200);
    let second = send(b"1").await;
    assert_ne!(second, first);
    opened.caller.patch(&object(&second)).json(json!({ "parent": opened.project })).await.expect(200);
    let third = send(b"1").await;
    assert_ne!(third, second);
    opened.session.replace(&third, "1.txt", "3").await.expect(200);
    let fourth = send(b"1").await;
    assert_ne!(fourth, third);
    assert_eq!(send(b"1").await, fourth);
    // Without the option each request adds the file.
    opened.session.upload_files(&opened.model, &[("1.txt", b"1")]).await.expect(200);
    assert_eq!(below(&opened.session, "Model").await.len(), 4);
}
