//! Requests with several files: refusals of single files, repeats, limits, and a real client.

use std::fs;
use std::process::Command;

use testkit::deployment::{Deployment, Options};
use testkit::invariants::staged_files;
use testkit::open_session::{OpenSession, eventually};
use testkit::raw::Connection;
use testkit::session::Session;
use testkit::upload::{ASSEMBLY, form_of};

use crate::bulk::support::{below, files, results};

#[tokio::test]
async fn a_refused_file_does_not_refuse_the_others() {
    let opened = OpenSession::open().await;
    let deep = format!("{}deep.txt", "x/".repeat(33));
    let sent: Vec<(&str, &[u8])> = vec![
        ("a/1.txt", b"1"),
        ("../escape.txt", b"x"),
        ("/etc/passwd", b"x"),
        ("a\\2.txt", b"x"),
        ("a//3.txt", b"x"),
        ("", b"x"),
        (&deep, b"x"),
        ("a/1.txt", b"the same path"),
        ("a/ 1.txt", b"the same name"),
        ("b/4.txt", b"4"),
    ];
    let answer = opened.session.upload_files(&opened.model, &sent).await.expect(200);
    let refused = |path: &str| format!("{path}: INVALID_UPLOAD");
    let mut expected: Vec<String> = sent.iter().map(|(path, _)| refused(path)).collect();
    expected[0] = "a/1.txt".to_owned();
    expected[9] = "b/4.txt".to_owned();
    assert_eq!(files(&answer), expected);
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    assert_eq!(tree, ["a", "a/1.txt", "b", "b/4.txt"]);
}

#[tokio::test]
async fn paths_that_aiohttp_encodes_are_decoded_with_their_folders() {
    let opened = OpenSession::open().await;
    let sent: [(&str, &[u8]); 4] = [
        ("board%20rev2%2Fgerber%2Ftop%20%281%29.txt", b"1"),
        ("board%20rev2%2Fdrill.txt", b"2"),
        ("board%20rev2%2F..%2Fescape.txt", b"3"),
        ("100%25 sure.txt", b"4"),
    ];
    let answer = opened.session.upload_files(&opened.model, &sent).await.expect(200);
    let expected = [
        "board rev2/gerber/top (1).txt",
        "board rev2/drill.txt",
        "board rev2/../escape.txt: INVALID_UPLOAD",
        "100%25 sure.txt",
    ];
    assert_eq!(files(&answer), expected);
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    let folders =
        ["board rev2", "board rev2/drill.txt", "board rev2/gerber", "board rev2/gerber/top (1).txt"];
    assert_eq!(tree, [&["100%25 sure.txt"], &folders[..]].concat());
}

#[tokio::test]
async fn a_path_of_any_length_is_answered_in_bounds() {
    let opened = OpenSession::open().await;
    let path = "ä".repeat(5_000);
    let answer = opened.session.upload_files(&opened.model, &[(&path, b"1")]).await.expect(200);
    assert_eq!(answer.text("/files/0/path").chars().count(), 1_024);
}

#[tokio::test]
async fn each_file_is_converted_as_an_upload_of_its_own() {
    let opened = OpenSession::open().await;
    let sent: [(&str, &[u8]); 2] = [("cad/gear.stp", ASSEMBLY.as_bytes()), ("src/gear.py", b"teeth = 20\n")];
    let answer = opened.session.upload_files(&opened.model, &sent).await.expect(200).json();
    // Of an assembly only the first object is answered.
    let shown = |file: usize| {
        let file = &answer["files"][file];
        (file["root"]["name"].as_str().unwrap().to_owned(), file["objectCount"].as_u64().unwrap())
    };
    assert_eq!((shown(0), shown(1)), (("Gearbox".to_owned(), 3), ("gear.py".to_owned(), 1)));
    assert!(below(&opened.session, "Model/cad").await.len() == 3);
}

#[tokio::test]
async fn a_repeat_under_a_key_attaches_nothing_twice_and_answers_the_same() {
    let opened = OpenSession::open().await;
    let sent: [(&str, &[u8]); 3] = [("a/1.txt", b"1"), ("a/2.txt", b"2"), ("../3.txt", b"3")];
    let send = async |files: &[(&str, &[u8])], key: &str| {
        opened.session.upload_files(&opened.model, files).idempotency_key(key).await.expect(200)
    };
    let first = send(&sent[..2], "key").await;
    assert!(!first.is_replay());
    // Even where the folder has another name by now.
    let folder = first.json()["files"][0]["root"]["parent"].clone();
    let object = format!("/api/v2/projects/{}/objects/{}", opened.project, folder.as_str().unwrap());
    opened.caller.patch(&object).json(serde_json::json!({ "name": "renamed" })).await.expect(200);
    let again = send(&sent[..2], "key").await;
    assert!(again.is_replay());
    assert_eq!(again.json(), first.json());
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    assert_eq!(tree, ["renamed", "renamed/1.txt", "renamed/2.txt"]);

    // A request with more files repeats those of the first, and adds the others.
    let more = send(&[sent[0], ("b/1.txt", b"1")], "key").await;
    assert!(!more.is_replay());
    assert_eq!(more.json()["files"][0], first.json()["files"][0]);
    assert_eq!(below(&opened.session, "Model").await.len(), 5);
    // Another key is another upload, and so is a single file under the same key.
    send(&sent, "other").await;
    opened.session.upload(&opened.model, "1.txt", "1").idempotency_key("key").await.expect(200);
    assert_eq!(below(&opened.session, "Model").await.len(), 9);
}

#[tokio::test]
async fn a_request_has_at_most_a_thousand_files_and_256_mib() {
    let opened = OpenSession::open().await;
    let names: Vec<String> = (0..1_001).map(|number| format!("f/{number}.bin")).collect();
    // No text, so that no worker has to read them.
    let sent: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"\0\xff\0".as_slice())).collect();
    let over = opened.session.upload_files(&opened.model, &sent).await;
    assert_eq!(over.code(), "INVALID_UPLOAD");
    assert_eq!(results(&over.json()["error"]["details"]["files"]), names[..1_000]);
    assert_eq!(below(&opened.session, "Model").await.len(), 1_001);

    let (content_type, _) = form_of(&[]);
    let mut connection = Connection::open(&opened.session.grant.url).await;
    let head = head(&opened.session, &opened.model, &content_type, 256 * 1024 * 1024 + 1);
    connection.send(head).await;
    let refused = connection.answer().await;
    assert_eq!(refused.code(), "PAYLOAD_TOO_LARGE");
    assert_eq!(refused.json()["error"]["details"]["limitBytes"], 256 * 1024 * 1024);
}

/// The head of a request whose body is sent by hand.
pub fn head(session: &Session, parent: &str, content_type: &str, length: usize) -> String {
    format!(
        "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {content_type}\r\n\
         idempotency-key: by-hand\r\ncontent-length: {length}\r\n\r\n",
        session.bulk_path(parent),
        session.grant.credential(),
    )
}

#[tokio::test]
async fn a_request_leaves_slots_for_others_of_its_session() {
    let options =
        Options { environment: vec![("uploads_per_session", "3".to_owned())], ..Options::default() };
    let opened = OpenSession::on(Deployment::with(options).await).await;
    // More than the service buffers before it writes.
    let (content_type, body) = form_of(&[("1.bin", &vec![1; 6 * 1024 * 1024])]);
    let (first, last) = body.split_at(body.len() / 2);
    let folder = opened.deployment.blob_folder();
    let mut held = Vec::new();
    // Two of three slots, then the last one.
    for count in 1..=2 {
        let mut connection = Connection::open(&opened.session.grant.url).await;
        connection.send(head(&opened.session, &opened.model, &content_type, body.len())).await;
        connection.send(first).await;
        eventually("bytes are on disk", || staged_files(&folder).len() == count).await;
        held.push(connection);
    }
    let refused = opened.session.upload_files(&opened.model, &[("2.txt", b"2")]).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    for mut connection in held {
        connection.send(last).await;
        assert_eq!(files(&connection.answer().await.expect(200)), ["1.bin"]);
    }
    // Both have the same key.
    assert_eq!(below(&opened.session, "Model").await, ["1.bin"]);
}

#[tokio::test]
async fn curl_uploads_a_folder_in_one_request() {
    let opened = OpenSession::open().await;
    let folder = tempfile::tempdir().unwrap();
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--fail-with-body", "-H"]);
    curl.arg(format!("Authorization: Bearer {}", opened.session.grant.credential()));
    for (number, path) in ["a.txt", "Drawings/b.txt", "Drawings/\u{fc}ber \"c\".txt"].iter().enumerate() {
        let file = folder.path().join(number.to_string());
        fs::write(&file, path).unwrap();
        let quoted = path.replace('"', "\\\"");
        curl.arg("-F").arg(format!("file=@{};filename=\"{quoted}\"", file.display()));
    }
    curl.arg(format!("{}{}", opened.session.grant.url, opened.session.bulk_path(&opened.model)));
    let output = curl.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    assert_eq!(tree, ["Drawings", "Drawings/b.txt", "Drawings/\u{fc}ber \"c\".txt", "a.txt"]);
}
