//! Uploads over HTTP: both services run as processes, with a database of their own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use dataplane::blobs::Blobs;
use dataplane::blobs::local::Folder;
use dataplane::sweep::sweep;
use domain::time::Timestamp;
use insta::assert_snapshot;
use store::{DatabaseConfig, Store};
use testkit::answer::Answer;
use testkit::api::{Api, Options};
use testkit::caller::Caller;
use testkit::invariants::{staged_files, stored_blobs};
use testkit::raw::Connection;
use testkit::seed::{Key, MANAGE};
use testkit::session::{Session, create_project, file_name, uploaded};
use testkit::upload::{Form, sha256};
use tokio::runtime::Handle;
use uuid::Uuid;

const SECOND: Duration = Duration::from_secs(1);

/// A session of alice's on a project of hers, and the id of its package `Model`.
struct Rig {
    api: Api,
    key: Key,
    session: Session,
    model: String,
}

impl Rig {
    async fn start() -> Self {
        Self::with(Options::default()).await
    }

    async fn with(options: Options) -> Self {
        let api = Api::with(options).await;
        let key = api.operator().user("alice").await.issue(MANAGE, &[]).await;
        let project = create_project(&key.caller, "Gearbox").await;
        let session = Session::open(&key.caller, &project).await;
        let model = session.model().await;
        Self { api, key, session, model }
    }

    /// Who calls the data plane with the session's grant, at the address where it runs.
    fn grant(&self) -> Caller {
        self.session.grant.clone()
    }

    async fn upload_to(&self, path: &str) -> Answer {
        let form = Form::new("a.txt");
        self.grant().post(path).body(&form.content_type(), form.body(b"hello")).await
    }

    async fn tree_size(&self) -> u64 {
        let tree = self.key.caller.get(&format!("/api/v2/projects/{}/tree", self.session.project)).await;
        tree.expect(200).json().get("objectCount").unwrap().as_u64().unwrap()
    }

    /// A connection on which the head of an upload and the first `sent` bytes of its file have been sent.
    async fn begin_upload(&self, declared: u64, sent: usize) -> Connection {
        let form = Form::new("big.bin");
        let mut connection = Connection::open(&self.session.grant.url).await;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: data\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
            self.session.upload_path(&self.model),
            self.session.grant.credential(),
            form.content_type(),
            form.length(declared),
            form.head(),
        );
        assert!(connection.send(head).await);
        assert!(connection.send(vec![7; sent]).await);
        connection
    }

    /// Waits until a file is being written.
    async fn await_staged(&self) {
        while staged_files(&self.api.blob_folder()).is_empty() {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until no file is being written.
    async fn await_unstaged(&self) {
        while !staged_files(&self.api.blob_folder()).is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn an_uploaded_file_joins_the_tree_as_a_reference() {
    let rig = Rig::start().await;
    let answer = rig.session.upload(&rig.model, "Gear box (v2).STEP", "ISO-10303-21;").await;
    assert_snapshot!(answer, @r##"200 {"object":{"<id 1>":{"extension":".step","id":"<id 1>","kind":"reference","mimeType":"model/step","name":"Gear box (v2).STEP","parent":"<id 2>","sha256":"f173fe44447b57a79ca85a732c31c5fb5fca41fcef440054a099df01e02a037b","size":13,"type":"File"}}}"##);
    assert_eq!(rig.tree_size().await, 4);
    let object = uploaded(&answer);
    let downloaded = rig.grant().get(&rig.session.download_path(&file_name(&object))).await.expect(200);
    assert_eq!(downloaded.body, "ISO-10303-21;");
    assert_eq!(object.get("sha256").unwrap(), &sha256(b"ISO-10303-21;"));
}

#[tokio::test]
async fn the_path_must_name_what_the_session_opened() {
    let rig = Rig::start().await;
    let Session { owner, project, branch, connection, .. } = &rig.session;
    let (model, other) = (&rig.model, Uuid::now_v7());
    let other_project = create_project(&rig.key.caller, "Other").await;
    let at = |path: String| {
        let rig = &rig;
        async move { rig.upload_to(&format!("/api/v1/file/upload/{path}")).await.to_string() }
    };
    for path in [
        format!("{other}/me/{project}--{branch}/{connection}/{model}"),
        format!("{owner}/me/{other}--{branch}/{connection}/{model}"),
        format!("{owner}/me/{other_project}--{branch}/{connection}/{model}"),
        format!("{owner}/me/{project}--other/{connection}/{model}"),
        format!("{owner}/me/{project}--{branch}/{connection}/{other}"),
    ] {
        assert_eq!(at(path.clone()).await, "404 NOT_FOUND", "{path}");
    }
    for connection in ["headles-1", "HEADLESS-1", "xheadless-1", "live"] {
        let path = format!("{owner}/me/{project}--{branch}/{connection}/{model}");
        assert_eq!(at(path).await, "400 INVALID_CONNECTION_ID", "{connection}");
    }
    let no_id = at(format!("{owner}/me/{project}--{branch}/{connection}/Model")).await;
    assert_snapshot!(no_id, @"400 INVALID_REQUEST path.parentId format");
    assert_eq!(rig.tree_size().await, 3);
    assert_eq!(stored_blobs(&rig.api.blob_folder()), [""; 0]);
    for path in [
        format!("{owner}/anybody/{project}--{branch}/{connection}/{model}"),
        format!("{owner}/me/{project}/{connection}/{model}"),
        format!("{owner}/me/{project}--{branch}/headless-exec-{other}/{model}"),
        format!("{owner}/me/{project}--{branch}/{connection}/{project}"),
    ] {
        assert!(at(path.clone()).await.starts_with("200"), "{path}");
    }
    assert_eq!(rig.tree_size().await, 7);
}

#[tokio::test]
async fn a_body_that_is_not_one_file_is_refused_and_leaves_nothing() {
    let rig = Rig::start().await;
    let (path, form) = (rig.session.upload_path(&rig.model), Form::new("a.txt"));
    let part = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhi\r\n";
    let cases = [
        ("multipart/form-data", format!("{part}--b--"), "400 INVALID_UPLOAD"),
        ("multipart/form-data; boundary=c", format!("{part}--b--"), "400 INVALID_UPLOAD"),
        ("multipart/form-data; boundary=b", part.to_owned(), "400 INVALID_UPLOAD"),
        ("multipart/form-data; boundary=b", format!("{part}{part}--b--"), "400 INVALID_UPLOAD"),
        (
            "multipart/form-data; boundary=b",
            part.replace("\"file\"", "\"data\"") + "--b--",
            "400 INVALID_UPLOAD",
        ),
        ("multipart/form-data; boundary=b", part.repeat(100_000), "400 INVALID_UPLOAD"),
        (
            "multipart/form-data; boundary=b",
            part.replace("form-data", &"x".repeat(17 * 1024)),
            "400 INVALID_UPLOAD",
        ),
        ("multipart/form-data; boundary=b", String::new(), "400 INVALID_UPLOAD"),
        ("application/octet-stream", "hi".to_owned(), "415 UNSUPPORTED_MEDIA_TYPE"),
    ];
    for (content_type, body, expected) in cases {
        let shown: String = body.chars().take(60).collect();
        let answer = rig.grant().post(&path).body(content_type, body).await;
        assert_eq!(answer.to_string(), expected, "{content_type} {shown}");
    }
    let mut cut = rig.begin_upload(3_000_000, 2_000_000).await;
    rig.await_staged().await;
    cut.finish().await;
    assert_eq!(cut.answer().await.status, 400);
    rig.await_unstaged().await;
    assert_eq!(stored_blobs(&rig.api.blob_folder()), [""; 0]);
    assert_eq!(rig.tree_size().await, 3);
    rig.grant().post(&path).body(&form.content_type(), form.body(b"hi")).await.expect(200);
}

#[tokio::test]
async fn a_file_that_is_declared_too_large_is_refused_before_it_is_sent() {
    let rig = Rig::start().await;
    let mut connection = rig.begin_upload(2_147_483_648 + 65_536 + 1, 0).await;
    assert_snapshot!(connection.answer().await, @r##"413 PAYLOAD_TOO_LARGE {"limitBytes":2147483648}"##);
}

#[tokio::test]
async fn the_same_bytes_are_kept_once_in_a_project() {
    let rig = Rig::start().await;
    let first = uploaded(&rig.session.upload(&rig.model, "a.txt", "same").await.expect(200));
    let second = uploaded(&rig.session.upload(&rig.model, "b.pdf", "same").await.expect(200));
    assert_eq!(stored_blobs(&rig.api.blob_folder()).len(), 1);
    for object in [first, second] {
        let path = rig.session.download_path(&file_name(&object));
        assert_eq!(rig.grant().get(&path).await.expect(200).body, "same");
    }
}

#[tokio::test]
async fn closing_the_session_cuts_an_upload_off() {
    let rig = Rig::start().await;
    let mut connection = rig.begin_upload(3_000_000, 2_000_000).await;
    rig.await_staged().await;
    rig.session.close().await.expect(200);
    assert_snapshot!(connection.answer().await, @"401 UNAUTHENTICATED");
    rig.await_unstaged().await;
    assert_eq!(rig.tree_size().await, 3);
}

#[tokio::test]
async fn revoking_the_key_cuts_an_upload_off() {
    let rig = Rig::start().await;
    let mut connection = rig.begin_upload(3_000_000, 2_000_000).await;
    rig.await_staged().await;
    rig.api.operator().revoke(&rig.key).await;
    assert_eq!(connection.answer().await.to_string(), "401 UNAUTHENTICATED");
    rig.await_unstaged().await;
    assert_eq!(stored_blobs(&rig.api.blob_folder()), [""; 0]);
}

#[tokio::test]
async fn a_body_that_does_not_begin_is_not_waited_for() {
    let environment = vec![("ATELIER_FIRST_BYTE_TIMEOUT_SECS", "0.2".to_owned())];
    let rig = Rig::with(Options { environment, ..Options::default() }).await;
    let form = Form::new("a.txt");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: data\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\nContent-Length: 1000\r\n\r\n",
        rig.session.upload_path(&rig.model),
        rig.session.grant.credential(),
        form.content_type(),
    );
    let mut connection = Connection::open(&rig.session.grant.url).await;
    assert!(connection.send(head).await);
    assert_eq!(connection.answer().await.to_string(), "408 REQUEST_TIMEOUT");
    assert!(connection.is_closed_within(5 * SECOND).await);
}

#[tokio::test]
async fn a_killed_process_loses_the_upload_under_way_and_nothing_else() {
    let mut rig = Rig::start().await;
    let kept = uploaded(&rig.session.upload(&rig.model, "a.txt", "kept").await.expect(200));
    let _connection = rig.begin_upload(5_000_000, 4_000_000).await;
    rig.await_staged().await;
    let data = rig.api.data.first_mut().unwrap();
    data.kill();
    assert_eq!(staged_files(&rig.api.blob_folder()).len(), 1);
    rig.api.data.first_mut().unwrap().restart();
    rig.await_unstaged().await;
    assert_eq!(rig.tree_size().await, 4);
    let path = rig.session.download_path(&file_name(&kept));
    assert_eq!(rig.grant().get(&path).await.expect(200).body, "kept");
    let again = rig.session.upload(&rig.model, "big.bin", vec![7; 5_000_000]).await.expect(200);
    assert_eq!(uploaded(&again).get("size").unwrap(), 5_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_removes_what_nothing_refers_to_and_nothing_else() {
    let rig = Rig::start().await;
    let kept = uploaded(&rig.session.upload(&rig.model, "a.txt", "kept").await.expect(200));
    let folder = rig.api.blob_folder();
    // What a process leaves that dies between the last byte and the commit.
    let (project, upload) = (&rig.session.project, Uuid::now_v7());
    std::fs::write(folder.join(format!("blobs/{project}/{upload}")), "orphan").unwrap();
    std::fs::write(folder.join("tmp/half-written"), "half").unwrap();

    let blobs = Blobs::Local(Folder::open(&folder).unwrap());
    let database = DatabaseConfig { url: rig.api.database.url(), max_connections: 2 };
    let store = Store::open(&database, &Handle::current()).unwrap();
    let now = Timestamp::now();
    assert_eq!(
        sweep(&blobs, &store, now.plus_seconds(-3_600)).await.unwrap(),
        1,
        "the half-written file alone"
    );
    assert_eq!(sweep(&blobs, &store, now.plus_seconds(3_600)).await.unwrap(), 1, "the orphan");
    assert_eq!(sweep(&blobs, &store, now.plus_seconds(3_600)).await.unwrap(), 0);
    let path = rig.session.download_path(&file_name(&kept));
    assert_eq!(rig.grant().get(&path).await.expect(200).body, "kept");
}
