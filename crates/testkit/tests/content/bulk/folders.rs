//! Folders of files' paths: found by their names or made, each once.

use std::future::IntoFuture;

use serde_json::json;
use testkit::events::EventStream;
use testkit::open_session::OpenSession;
use testkit::session::Session;

use crate::bulk::support::{below, files, paths};

#[tokio::test]
async fn files_come_below_the_folders_of_their_paths() {
    let opened = OpenSession::open().await;
    let sent: [(&str, &[u8]); 4] = [
        ("Drawings/2026/b.txt", b"b"),
        ("Drawings/2026/a.txt", b"a"),
        ("readme.txt", b"r"),
        // Names are sanitised as those of objects.
        ("Drawings/2025/ A\u{308}rger /a\u{308}.txt", b"x"),
    ];
    let answer = opened.session.upload_files(&opened.model, &sent).await.expect(200);
    assert_eq!(files(&answer), sent.map(|(path, _)| path));
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    assert_eq!(
        tree,
        [
            "Drawings",
            "Drawings/2025",
            "Drawings/2025/\u{c4}rger",
            "Drawings/2025/\u{c4}rger/\u{e4}.txt",
            "Drawings/2026",
            "Drawings/2026/a.txt",
            "Drawings/2026/b.txt",
            "readme.txt",
        ]
    );
    // A second request finds the folders.
    opened.session.upload_files(&opened.model, &[("Drawings/2026/c.txt", b"c")]).await.expect(200);
    assert_eq!(below(&opened.session, "Model").await.len(), 9);
}

#[tokio::test]
async fn requests_at_once_make_each_folder_once() {
    let opened = OpenSession::open().await;
    let other = Session::open(&opened.caller, &opened.project).await;
    let requests = (0..8).map(|number| {
        let session = if number % 2 == 0 { &opened.session } else { &other };
        let paths = [format!("a/b/{number}.txt"), format!("a/c/{number}.txt"), format!("d/{number}.txt")];
        let sent: Vec<(&str, &[u8])> = paths.iter().map(|path| (path.as_str(), path.as_bytes())).collect();
        tokio::spawn(session.upload_files(&opened.model, &sent).into_future())
    });
    for request in requests.collect::<Vec<_>>() {
        assert_eq!(files(&request.await.unwrap().expect(200)).len(), 3);
    }
    let tree = below(&opened.session, "Model").await;
    let folders: Vec<&String> = tree.iter().filter(|path| !path.ends_with(".txt")).collect();
    assert_eq!(folders.len(), 4, "{folders:?}");
    assert_eq!(tree.len(), 4 + 3 * 8);
}

#[tokio::test]
async fn a_name_that_several_siblings_have_means_the_first_that_may_hold_files() {
    let opened = OpenSession::open().await;
    let create = async |name: &str, object_type: &str| {
        let body = json!({ "name": name, "type": object_type, "parent": opened.model });
        let path = format!("/api/v2/projects/{}/objects", opened.project);
        opened.caller.post(&path).json(body).await.expect(201).text("/object/id")
    };
    opened.session.upload(&opened.model, "Gears", "a file of this name").await.expect(200);
    let first = create("Gears", "Assembly of mine").await;
    create("Gears", "Folder").await;
    let parent_of = async |path: &str| {
        let answer = opened.session.upload_files(&opened.model, &[(path, path.as_bytes())]).await.expect(200);
        answer.text("/files/0/root/parent")
    };
    assert_eq!(parent_of("Gears/1.txt").await, first);

    // A committed folder is found as well, and a renamed, moved or deleted one is not.
    let commit = format!("/api/v2/projects/{}/branches/main/commits", opened.project);
    opened.caller.post(&commit).json(json!({ "message": "Gears" })).await.expect(201);
    assert_eq!(parent_of("Gears/2.txt").await, first);
    let object = format!("/api/v2/projects/{}/objects/{first}", opened.project);
    opened.caller.patch(&object).json(json!({ "name": "Old gears" })).await.expect(200);
    assert_ne!(parent_of("Gears/3.txt").await, first);
    assert_eq!(parent_of("Old gears/4.txt").await, first);
    opened.caller.delete(&object).await.expect(200);
    assert_ne!(parent_of("Old gears/5.txt").await, first);
}

#[tokio::test]
async fn a_path_below_the_project_finds_its_packages() {
    let opened = OpenSession::open().await;
    let before = paths(&opened.session).await.len();
    opened
        .session
        .upload_files(&opened.project, &[("Model/a.txt", b"a"), ("Notes/b.txt", b"b")])
        .await
        .expect(200);
    assert_eq!(below(&opened.session, "Model").await, ["a.txt"]);
    assert_eq!(below(&opened.session, "Notes").await, ["b.txt"]);
    assert_eq!(paths(&opened.session).await.len(), before + 3);
}

#[tokio::test]
async fn followers_are_told_of_folders_and_files() {
    let opened = OpenSession::open().await;
    opened.session.upload_files(&opened.model, &[("a/b/1.txt", b"1"), ("a/b/2.txt", b"2")]).await.expect(200);
    let events =
        EventStream::open(opened.caller.get(&format!("{}/events?follow=false", opened.session.path())));
    let changes = events.await.rest().await.into_iter().filter(|event| event.kind == "objects.changed");
    let changes: Vec<u64> = changes.map(|event| event.json["data"]["addedCount"].as_u64().unwrap()).collect();
    assert_eq!(changes, [2, 1, 1]);
}
