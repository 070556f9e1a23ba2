//! Uploads: refusals that leave nothing, file names, and events that end an upload or don't.

use std::fs;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::database::Database;
use testkit::invariants::{staged_files, stored_blobs};
use testkit::raw::Connection;
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project, file_name, uploaded};
use testkit::small_disk::SmallDisk;
use testkit::upload::{Form, sha256};

use testkit::open_session::{OpenSession, eventually};

const CONTENT_TYPE: &str = "multipart/form-data; boundary=b";

#[tokio::test]
async fn an_upload_answers_its_single_object() {
    let opened = OpenSession::own().await;
    let answer = opened.session.upload(&opened.model, "gear.STEP", "solid").await;
    let hash = sha256(b"solid");
    let shown = answer.to_string().replace(&hash, "<sha256>");
    assert_snapshot!(shown, @r#"
    200 {
      "object": {
        "<id 1>": {
          "conversion": {"code":"NOT_STEP","message":"the file does not begin as ISO 10303-21 says","status":"failed"},
          "extension": ".step",
          "fileName": "gear.STEP",
          "id": "<id 1>",
          "kind": "reference",
          "mimeType": "text/plain",
          "name": "gear.STEP",
          "parent": "<id 2>",
          "sha256": "<sha256>",
          "size": 5,
          "type": "File"
        }
      }
    }
    "#);
    assert_eq!(opened.added().await, [uploaded(&answer)["id"].as_str().unwrap()]);
    let staged = staged_files(&opened.deployment.blob_folder());
    assert!(staged.is_empty(), "{staged:?}");
}

#[tokio::test]
async fn equal_bytes_are_stored_once_in_a_project_until_no_object_has_them() {
    let opened = OpenSession::own().await;
    let first = opened.session.upload(&opened.model, "a.txt", "same").await.expect(200);
    let second = opened.session.upload(&opened.model, "b.txt", "same").await.expect(200);
    assert_eq!(stored_blobs(&opened.deployment.blob_folder()).len(), 1);
    assert_eq!(opened.added().await.len(), 2);
    for answer in [first, second] {
        let path = opened.session.download_path(&file_name(&uploaded(&answer)));
        assert_eq!(opened.session.grant.get(&path).await.expect(200).body, "same");
    }
}

#[tokio::test]
async fn an_upload_goes_below_an_object_of_its_sessions_project_only() {
    let opened = OpenSession::own().await;
    let (session, model) = (&opened.session, &opened.model);
    let other = create_project(&opened.caller, "Other").await;
    let nowhere = ABSENT_ID;
    let upload =
        async |session: &Session, parent: &str| session.upload(parent, "a.txt", "a").await.to_string();

    assert_snapshot!(upload(session, nowhere).await, @"404 NOT_FOUND");
    let of_other = Session { project: other.clone(), ..session.clone() };
    assert_snapshot!(upload(&of_other, &other).await, @"404 NOT_FOUND");
    let at_branch = Session { branch: "no-such-branch".to_owned(), ..session.clone() };
    assert_snapshot!(upload(&at_branch, model).await, @"404 NOT_FOUND");
    let of_stranger = Session { owner: nowhere.to_owned(), ..session.clone() };
    assert_snapshot!(upload(&of_stranger, model).await, @"404 NOT_FOUND");
    for connection in ["tail-1", "HEADLESS-1", "xheadless-1", "headless"] {
        let through = Session { connection: connection.to_owned(), ..session.clone() };
        assert_eq!(upload(&through, model).await, "400 INVALID_CONNECTION_ID");
    }
    assert!(stored_blobs(&opened.deployment.blob_folder()).is_empty());

    // The project itself may be the parent, and a connection without a host is served by an ephemeral one.
    let longest = format!("headless-{}", "x".repeat(246));
    for connection in [
        session.connection.as_str(),
        "headless-exec-1",
        "headless-",
        "headless-%C3%A9.%2F~",
        longest.as_str(),
    ] {
        let through = Session { connection: connection.to_owned(), ..session.clone() };
        through.upload(&opened.project, "a.txt", connection).await.expect(200);
    }
    assert_eq!(opened.added().await.len(), 5);
}

// X23
#[tokio::test]
async fn a_body_without_exactly_one_complete_file_part_is_refused_at_little_cost_and_leaves_nothing() {
    let opened = OpenSession::own().await;
    let part = |name: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\nbytes\r\n")
    };
    let large_head = |bytes: usize| format!("--b\r\nX-Long: {}\r\n\r\nbytes\r\n--b--\r\n", "x".repeat(bytes));
    let many_parts = format!("{}--b--\r\n", part("x").repeat(100_000));
    let overlong = format!("multipart/form-data; boundary={}", "b".repeat(71));
    let bodies: Vec<(&str, &str, String)> = vec![
        ("nothing at all", CONTENT_TYPE, String::new()),
        ("no final boundary", CONTENT_TYPE, part("file")),
        ("no boundary anywhere", CONTENT_TYPE, "bytes without a form".to_owned()),
        (
            "another boundary than declared",
            "multipart/form-data; boundary=c",
            format!("{}--b--\r\n", part("file")),
        ),
        ("no declared boundary", "multipart/form-data", format!("{}--b--\r\n", part("file"))),
        ("an overlong boundary", &overlong, String::new()),
        ("no part named file", CONTENT_TYPE, format!("{}--b--\r\n", part("other"))),
        ("two parts", CONTENT_TYPE, format!("{}{}--b--\r\n", part("file"), part("file"))),
        (
            "a part without a name",
            CONTENT_TYPE,
            "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n".to_owned(),
        ),
        ("a head of 17 KB", CONTENT_TYPE, large_head(17 * 1024)),
        ("100,000 parts", CONTENT_TYPE, many_parts),
        ("a head of 64 MB", CONTENT_TYPE, large_head(64 * 1024 * 1024)),
    ];
    let data = opened.deployment.data[0].process();
    let cpu_before = data.cpu_time();
    let count = u32::try_from(bodies.len()).unwrap();
    for (what, content_type, body) in bodies {
        let answer = send(&opened, content_type, &body).await;
        assert_eq!(answer.to_string(), "400 INVALID_UPLOAD", "{what}");
    }
    let cpu = data.cpu_time() - cpu_before;
    assert!(cpu < Duration::from_millis(200) * count, "{cpu:?} of processor time");
    assert_nothing_is_stored(&opened).await;
}

#[tokio::test]
async fn errors_of_a_body_are_shown_only_to_those_who_may_attach_there() {
    let mut opened = OpenSession::own().await;
    let bodies = [1_000, 100_000].map(|bytes| "x".repeat(bytes));
    for body in &bodies {
        assert_eq!(send(&opened, CONTENT_TYPE, body).await.to_string(), "400 INVALID_UPLOAD");
    }
    opened.model = ABSENT_ID.to_owned();
    for body in &bodies {
        assert_eq!(send(&opened, CONTENT_TYPE, body).await.to_string(), "404 NOT_FOUND");
    }
    assert_nothing_is_stored(&opened).await;
}

// X23
#[tokio::test]
async fn a_truncated_body_leaves_nothing() {
    let opened = OpenSession::own().await;
    let form = Form::new("a.txt");
    let body = form.body(&[7; 100_000]);
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection.send(head(&opened, &form.content_type(), body.len())).await;
    connection.send(&body[..50_000]).await;
    connection.finish().await;
    // A client that half-closed may get an answer; one that disconnected can't.
    if let Some(answer) = connection.try_answer().await {
        assert_eq!(answer.status, 400, "{answer}");
    }
    drop(connection);
    let upload = opened.session.upload(&opened.model, "b.txt", "whole").await.expect(200);
    assert_eq!(opened.added().await, [uploaded(&upload)["id"].as_str().unwrap()]);
    assert_eq!(stored_blobs(&opened.deployment.blob_folder()).len(), 1);
    let folder = opened.deployment.blob_folder();
    eventually("what was written is removed", || staged_files(&folder).is_empty()).await;
}

#[tokio::test]
async fn an_upload_must_be_a_form() {
    let opened = OpenSession::own().await;
    for content_type in ["application/json", "text/plain", "multipart/mixed; boundary=b"] {
        let answer = send(&opened, content_type, "{}").await;
        assert_eq!(answer.to_string(), "415 UNSUPPORTED_MEDIA_TYPE");
    }
    assert_nothing_is_stored(&opened).await;
}

// X24
#[tokio::test]
async fn a_hostile_file_name_is_sanitised_and_never_a_path() {
    let opened = OpenSession::own().await;
    let long = format!("{}.step", "é".repeat(300));
    let names: [&str; 10] = [
        "../../x",
        "C:\\x",
        "nul\0.txt",
        "gpj.\u{202e}exe",
        &long,
        "",
        ".",
        "CON",
        "%2e%2e",
        "a\"b;\r\nx: y.txt",
    ];
    let mut shown = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let form = Form::new(name);
        let body = form.body(format!("file {number}").as_bytes());
        let request = opened.session.grant.post(&opened.session.upload_path(&opened.model));
        let answer = request.body(&form.content_type(), body).await.expect(200);
        let object = uploaded(&answer);
        let file =
            opened.session.grant.get(&opened.session.download_path(&file_name(&object))).await.expect(200);
        assert_eq!(file.body, format!("file {number}"));
        assert!(file.header("content-disposition").starts_with("attachment; filename=\""), "{name}");
        assert!(!file.header("content-disposition").contains(['/', '\\']), "{name}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert!(file.header("content-security-policy").starts_with("sandbox"));
        let name = object["name"].as_str().unwrap();
        assert!(
            name.chars().count() <= 255 && !name.contains(['/', '\\', '\0', '\r', '\n', '\u{202e}']),
            "{name}"
        );
        shown.push(if name.chars().count() > 100 { "<long>.step".to_owned() } else { name.to_owned() });
    }
    assert_snapshot!(
        shown.join(" | "),
        @r#"x | x | nul.txt | gpj.exe | <long>.step | file | file | CON | %2e%2e | a"b; x: y.txt"#
    );
    for key in stored_blobs(&opened.deployment.blob_folder()) {
        let ids: Vec<_> = key.split('/').map(|part| part.parse::<uuid::Uuid>()).collect();
        assert!(ids.len() == 2 && ids.iter().all(Result::is_ok), "{key}");
    }
}

#[tokio::test]
async fn a_key_uploads_one_file_below_an_object_for_any_number_of_repeats() {
    let opened = OpenSession::own().await;
    let upload = |bytes: &str| opened.session.upload(&opened.model, "a.txt", bytes).idempotency_key("k");
    let answers =
        futures_util::future::join_all(["one", "two", "three"].map(|bytes| upload(bytes).into_future()))
            .await;
    let again = upload("four").await.expect(200);
    assert!(again.is_replay());
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == again.body));
    assert_eq!(answers.iter().filter(|answer| answer.is_replay()).count(), 2);
    assert_eq!((opened.added().await.len(), stored_blobs(&opened.deployment.blob_folder()).len()), (1, 1));
    // Another parent has its own keys, and a request without a key is always new.
    for request in [
        opened.session.upload(&opened.project, "a.txt", "five").idempotency_key("k"),
        opened.session.upload(&opened.model, "a.txt", "six"),
        opened.session.upload(&opened.model, "a.txt", "seven").idempotency_key("another"),
    ] {
        assert!(!request.await.expect(200).is_replay());
    }
    assert_eq!(opened.added().await.len(), 4);
    assert_snapshot!(
        opened.session.upload(&opened.model, "a.txt", "").idempotency_key(" ").await,
        @"400 INVALID_IDEMPOTENCY_KEY"
    );
}

#[tokio::test]
async fn a_file_without_an_extension_is_downloaded_by_its_id_without_one() {
    let opened = OpenSession::open().await;
    for (name, content) in [("LICENSE", "free"), (".gitignore", "target/"), ("x.täg", "tag")] {
        let object = uploaded(&opened.session.upload(&opened.model, name, content).await.expect(200));
        assert_eq!((&object["name"], &object["extension"]), (&json!(name), &json!("")));
        assert_eq!(object["id"], file_name(&object));
        let path = opened.session.download_path(&file_name(&object));
        assert_eq!(opened.session.grant.get(&path).await.expect(200).body, content);
    }
}

// X27
#[tokio::test]
async fn an_ended_grant_stores_nothing_even_with_other_errors() {
    let opened = OpenSession::own().await;
    opened.session.close().await.expect(200);
    for bytes in ["x".repeat(1_000), "x".repeat(100_000)] {
        let refused = opened.session.upload(&opened.model, "late.txt", &*bytes).await;
        assert_eq!(refused.to_string(), "401 UNAUTHENTICATED");
        for content_type in [CONTENT_TYPE, "text/plain"] {
            let refused = send(&opened, content_type, &bytes).await;
            assert_eq!(refused.to_string(), "401 UNAUTHENTICATED");
        }
    }
    assert_nothing_is_stored(&opened).await;
}

// X27
#[tokio::test]
async fn closing_the_session_aborts_an_upload_and_attaches_nothing() {
    let opened = OpenSession::own().await;
    let mut upload = Upload::begin(&opened, "late.txt").await;
    opened.session.close().await.expect(200);
    // Within one or two seconds, although the client sends nothing.
    assert_snapshot!(upload.connection.answer().await, @"401 UNAUTHENTICATED");
    assert_nothing_is_stored(&opened).await;
}

// X27
#[tokio::test]
async fn an_upload_that_ends_after_its_session_is_never_attached() {
    let mut opened = OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    let mut upload = Upload::begin(&opened, "late.txt").await;
    opened.session.close().await.expect(200);
    upload.complete().await;
    assert_snapshot!(upload.connection.answer().await, @"401 UNAUTHENTICATED");
    // If it was aborted during the completion of its blob, the sweep removes that.
    assert_nothing_is_attached(&opened.deployment.database).await;
}

// X27
#[tokio::test]
async fn an_attachment_in_progress_finishes_before_its_session_closes() {
    let opened = OpenSession::own().await;
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let upload = tokio::spawn(opened.session.upload(&opened.model, "in-time.txt", "in time").into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    // The attaching transaction locks the session's row.
    let session = opened.session.clone();
    let close = tokio::spawn(async move { session.close().await });
    opened.deployment.database.wait_for_blocked(2).await;
    lock.rollback().await.unwrap();

    let (upload, close) = (upload.await.unwrap(), close.await.unwrap());
    assert_eq!(close.expect(200).json()["deleted"], true);
    assert_eq!(opened.added().await, [uploaded(&upload.expect(200))["id"].as_str().unwrap()]);
}

#[tokio::test]
async fn revoking_the_key_aborts_the_uploads_of_its_grants() {
    let opened = OpenSession::own().await;
    let key = opened.alice.issue(MANAGE, &[]).await;
    let session = Session::open(&key.caller, &opened.project).await;
    let opened = OpenSession { session, ..opened };
    let mut upload = Upload::begin(&opened, "late.txt").await;
    opened.deployment.operator().revoke(&key).await;
    assert_snapshot!(upload.connection.answer().await, @"401 UNAUTHENTICATED");
    assert_nothing_is_stored(&opened).await;
}

// X28
#[tokio::test]
async fn losing_the_project_during_an_upload_gets_404() {
    let opened = OpenSession::own().await;
    let bob = opened.deployment.operator().user("bob").await;
    opened.deployment.operator().add_member(&bob, "--project", &opened.project, "editor").await;
    let session = Session::open(&bob.key(MANAGE).await, &opened.project).await;
    let opened = OpenSession { session, ..opened };
    let mut upload = Upload::begin(&opened, "late.txt").await;
    opened.deployment.operator().remove_member(&bob, "--project", &opened.project).await;
    upload.complete().await;
    assert_snapshot!(upload.connection.answer().await, @"404 NOT_FOUND");
    assert_nothing_is_stored(&opened).await;
}

#[tokio::test]
async fn an_upload_to_a_project_that_is_deleted_meanwhile_is_refused() {
    let mut opened = OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    let mut upload = Upload::begin(&opened, "late.txt").await;
    opened.caller.delete(&format!("/api/v2/projects/{}", opened.project)).await.expect(200);
    upload.complete().await;
    let answer = upload.connection.answer().await;
    assert!(matches!(answer.status, 401 | 404), "{answer}");
    assert_nothing_is_attached(&opened.deployment.database).await;
}

// X25
#[tokio::test]
async fn a_full_disk_refuses_an_upload_and_accepts_the_next_that_fits() {
    const DISK_BYTES: usize = 8 * 1024 * 1024;
    let mut opened = OpenSession::own().await;
    let folder = opened.deployment.blob_folder();
    let Some(disk) = SmallDisk::mount(&folder, DISK_BYTES) else { return };
    for part in ["blobs", "tmp"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    opened.session.upload(&opened.model, "small.bin", [0; 1000]).await.expect(200);
    let large = opened.session.upload(&opened.model, "large.bin", vec![0; 2 * DISK_BYTES]).await;
    assert_snapshot!(large, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    eventually("what was written is removed", || staged_files(&folder).is_empty()).await;
    opened.session.upload(&opened.model, "next.bin", [1; 1000]).await.expect(200);
    assert_eq!(opened.added().await.len(), 2);
    // Unmounting deletes the files.
    opened.caller.delete(&format!("/api/v2/projects/{}", opened.project)).await.expect(200);
    opened.deployment.leaves_blobs = true;
    drop(disk);
}

/// An upload whose head and first bytes have arrived.
pub struct Upload {
    pub connection: Connection,
    form: Form,
}

/// More than the service buffers before it writes.
const HALF_BYTES: usize = 3 * 1024 * 1024;

impl Upload {
    pub async fn begin(opened: &OpenSession, name: &str) -> Self {
        let form = Form::new(name);
        let mut connection = Connection::open(&opened.session.grant.url).await;
        let length = usize::try_from(form.length(2 * u64::try_from(HALF_BYTES).unwrap())).unwrap();
        connection.send(head(opened, &form.content_type(), length)).await;
        connection.send(form.head()).await;
        connection.send(vec![1; HALF_BYTES]).await;
        let folder = opened.deployment.blob_folder();
        // With bytes on disk, the request has passed all of its checks.
        eventually("bytes are on disk", || !staged_files(&folder).is_empty()).await;
        Self { connection, form }
    }

    pub async fn complete(&mut self) {
        self.connection.send(vec![2; HALF_BYTES]).await;
        self.connection.send(self.form.tail()).await;
    }
}

async fn send(opened: &OpenSession, content_type: &str, body: &str) -> Answer {
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection.send(head(opened, content_type, body.len())).await;
    // The service may answer before the end.
    connection.send(body).await;
    connection.answer().await
}

fn head(opened: &OpenSession, content_type: &str, length: usize) -> String {
    format!(
        "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {content_type}\r\n\
         content-length: {length}\r\n\r\n",
        opened.session.upload_path(&opened.model),
        opened.session.grant.credential(),
    )
}

async fn assert_nothing_is_stored(opened: &OpenSession) {
    assert!(stored_blobs(&opened.deployment.blob_folder()).is_empty());
    let folder = opened.deployment.blob_folder();
    eventually("what was written is removed", || staged_files(&folder).is_empty()).await;
    assert_nothing_is_attached(&opened.deployment.database).await;
}

async fn assert_nothing_is_attached(database: &Database) {
    for table in ["files", "applied_uploads", "working_changes"] {
        assert_eq!(database.count(&format!("select count(*) from {table}")).await, 0, "{table}");
    }
}
