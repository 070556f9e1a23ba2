//! Attachments in pieces: each byte that was answered counts, and a file is attached once, also if a process dies.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::{Base, Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::invariants::{partial_files, stored_blobs};
use testkit::open_session::{eventually, eventually_async};
use testkit::raw::Connection;
use testkit::seed::ABSENT_ID;
use testkit::session::{Session, create_project};
use testkit::upload::sha256;

use crate::cards::support::{Card, Project};

/// An upload to a card after its creation.
struct CardUpload {
    grant: Caller,
    path: String,
}

impl CardUpload {
    fn of(grant: &Caller, created: &Answer) -> Self {
        let path = created.header("location").strip_prefix(&grant.url).unwrap().to_owned();
        Self { grant: grant.clone(), path }
    }

    async fn begin(project: &Project, grant: &Caller, card: &Card, length: usize) -> Self {
        Self::of(grant, &project.begin(grant, card, length).await.expect(201))
    }

    fn append(&self, offset: usize, bytes: impl Into<Vec<u8>>) -> Request {
        tus(self.grant.patch(&self.path))
            .header("upload-offset", &offset.to_string())
            .body("application/offset+octet-stream", bytes.into())
    }

    async fn offset(&self) -> usize {
        tus(self.grant.head(&self.path)).await.expect(200).header("upload-offset").parse().unwrap()
    }

    async fn status(&self) -> String {
        self.grant.get(&self.path).await.expect(200).text("/upload/status")
    }

    /// Sends the head and the first bytes of a piece.
    async fn begin_piece(&self, length: usize, first: &[u8]) -> Connection {
        let mut connection = Connection::open(&self.grant.url).await;
        let head = format!(
            "PATCH {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ntus-resumable: 1.0.0\r\n\
             content-type: application/offset+octet-stream\r\nupload-offset: 0\r\ncontent-length: {length}\r\n\r\n",
            self.path,
            self.grant.credential(),
        );
        connection.send(head).await;
        connection.send(first).await;
        connection
    }
}

impl Project {
    /// The path at which uploads to a card begin.
    fn uploads(&self, card: &Card) -> String {
        format!("/api/v1/projects/{}/cards/{}/attachment-uploads", self.id, card.id)
    }

    /// Begins an upload of a file `Run-out.csv`.
    fn begin(&self, grant: &Caller, card: &Card, length: usize) -> Request {
        tus(grant.post(&self.uploads(card)))
            .header("upload-length", &length.to_string())
            .header("upload-metadata", "filename UnVuLW91dC5jc3Y=")
    }
}

fn tus(request: Request) -> Request {
    request.header("tus-resumable", "1.0.0")
}

#[tokio::test]
async fn pieces_become_one_attachment_with_its_history() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let minted = project.caller.post(&project.at("attachment-grants")).await.expect(200);
    let grant = project.deployment.anonymous_at_data().with(&minted.text("/dataPlane/token"));
    let url = minted.text("/resumableUrl").replace("{cardId}", &card.id);
    assert!(url.ends_with(&project.uploads(&card)), "{url}");
    let upload = CardUpload::begin(&project, &grant, &card, 9).await;
    upload.append(0, "0.02;").await.expect(204);
    assert_snapshot!(upload.append(0, "0.02;").await, @r#"409 UPLOAD_OFFSET_MISMATCH {"offset":5}"#);
    assert_eq!((upload.offset().await, upload.status().await.as_str()), (5, "receiving"));
    assert!(project.attachments(&card).await.is_empty());
    upload.append(5, "0.03").await.expect(204);

    let read = upload.grant.get(&upload.path).await.expect(200);
    let file = read.json()["attachment"].clone();
    assert_eq!(
        (&file["name"], &file["size"], &file["mimeType"], &file["sha256"], &file["authorId"]),
        (
            &json!("Run-out.csv"),
            &json!(9),
            &json!("text/csv"),
            &json!(sha256(b"0.02;0.03")),
            &json!(project.alice.id)
        )
    );
    assert_eq!((read.text("/upload/status"), read.text("/upload/cardId")), ("done".into(), card.id.clone()));
    let shown = project.get(&card.path()).await.expect(200);
    assert_eq!(
        (shown.json()["attachments"].clone(), shown.text("/historyHeadId")),
        (json!([file]), read.text("/historyHeadId"))
    );
    let id = read.text("/attachment/id");
    assert_eq!(project.download(&grant, &card, &id).await.expect(200).body, "0.02;0.03");
    // A piece behind the end changes nothing, and neither does the end of the upload's record.
    upload.append(9, "").await.expect(204);
    tus(grant.delete(&upload.path)).await.expect(204);
    assert_snapshot!(grant.get(&upload.path).await, @"404 NOT_FOUND");
    assert_eq!(project.attachments(&card).await, ["Run-out.csv 9"]);
    assert_eq!(project.history(&card.id).await, ["created is_open,name", "updated attachment"]);
}

#[tokio::test]
async fn the_draft_of_the_ietf_attaches_a_file_of_unknown_length() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let draft = |request: Request, is_last: &str| {
        request.header("upload-draft-interop-version", "6").header("upload-complete", is_last)
    };
    let begun =
        draft(grant.post(&project.uploads(&card)), "?0").header("upload-metadata", "filename YS50eHQ=");
    let upload = CardUpload::of(&grant, &begun.await.expect(201));
    let piece = |offset: &str, is_last: &str, bytes: &'static str| {
        draft(grant.patch(&upload.path), is_last)
            .header("upload-offset", offset)
            .body("application/partial-upload", bytes)
    };
    piece("0", "?0", "sol").await.expect(204);
    assert_eq!(piece("3", "?1", "id").await.expect(204).header("upload-complete"), "?1");
    assert_eq!(project.attachments(&card).await, ["a.txt 5"]);
    // With all bytes in its first request.
    let whole = draft(grant.post(&project.uploads(&card)), "?1").body("application/partial-upload", "whole");
    let whole = whole.await.expect(201);
    assert_eq!((whole.header("upload-complete"), &whole.json()["attachment"]["size"]), ("?1", &json!(5)));
}

#[tokio::test]
async fn partial_uploads_to_a_card_become_one_attachment() {
    let project = Project::own().await;
    let (card, other) = (project.card("x").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    let part = async |card: &Card, bytes: &'static str| {
        let begun = project.begin(&grant, card, bytes.len()).header("upload-concat", "partial");
        let upload = CardUpload::of(&grant, &begun.await.expect(201));
        upload.append(0, bytes).await.expect(204);
        upload
    };
    let (first, second) = (part(&card, "abc").await, part(&card, "defg").await);
    let foreign = part(&other, "x").await;
    let join = |parts: &[&CardUpload]| {
        let urls: Vec<&str> = parts.iter().map(|part| part.path.as_str()).collect();
        tus(grant.post(&project.uploads(&card))).header("upload-concat", &format!("final;{}", urls.join(" ")))
    };
    let refused = join(&[&first, &foreign]).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"));
    let joined = join(&[&second, &first]).await.expect(201);
    assert_eq!(joined.json()["attachment"]["sha256"], sha256(b"defgabc"));
    // A client that lost the answer finds the same upload.
    let again = join(&[&second, &first]).await.expect(201);
    assert_eq!((again.header("location"), &again.body), (joined.header("location"), &joined.body));
    assert_eq!(project.attachments(&card).await, ["file 7"]);
    tus(grant.delete(&foreign.path)).await.expect(204);
    let folder = project.deployment.blob_folder();
    assert_eq!((stored_blobs(&folder).len(), partial_files(&folder).len()), (1, 0));
}

#[tokio::test]
async fn an_upload_to_a_card_is_its_users_alone() {
    let project = Project::open().await;
    let (card, other) = (project.card("x").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    let upload = CardUpload::begin(&project, &grant, &card, 4).await;
    let id = upload.path.rsplit('/').next().unwrap();

    let (_, editor) = project.member("bob", "editor").await;
    let (_, viewer) = project.member("vera", "viewer").await;
    let (bob, vera) = (project.granted(&editor).await, project.granted(&viewer).await);
    assert_snapshot!(bob.get(&upload.path).await, @"404 NOT_FOUND");
    assert_snapshot!(tus(bob.delete(&upload.path)).await, @"404 NOT_FOUND");
    assert_snapshot!(project.begin(&vera, &card, 4).await, @"403 FORBIDDEN");
    let reader = project.granted(&project.alice.key(&["cards:read"]).await).await;
    assert_snapshot!(
        project.begin(&reader, &card, 4).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#
    );
    // Neither at another card, nor among the uploads to trees.
    assert_snapshot!(grant.get(&format!("{}/{id}", project.uploads(&other))).await, @"404 NOT_FOUND");
    let session = Session::open(&project.caller, &project.id).await;
    let of_tree = format!("/api/v1/file/resumable/{}/{id}", project.id);
    assert_snapshot!(session.grant.get(&of_tree).await, @"404 NOT_FOUND");
    assert_snapshot!(
        grant.get(&of_tree).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:write"}"#
    );
    let listed = project.get(&format!("sessions/{}/uploads", session.id)).await.expect(200).json();
    assert_eq!(listed["uploads"], json!([]));
    let absent = Card { id: ABSENT_ID.to_owned(), head: String::new() };
    assert_snapshot!(project.begin(&grant, &absent, 4).await, @"404 NOT_FOUND");

    // A grant of another project of the same person reaches neither.
    let elsewhere = Project { id: create_project(&project.caller, "Other").await, ..project };
    let foreign = elsewhere.granted(&elsewhere.caller).await;
    assert_snapshot!(foreign.get(&upload.path).await, @"404 NOT_FOUND");
    assert_snapshot!(elsewhere.begin(&foreign, &card, 4).await, @"404 NOT_FOUND");

    // The person's own goes on with the grant of a session, and the history says so.
    let with_session = CardUpload { grant: session.grant.clone(), path: upload.path.clone() };
    with_session.append(0, "next").await.expect(204);
    let history =
        elsewhere.caller.get(&format!("/api/v2/projects/{}/cards/{}/history", session.project, card.id));
    let rows = history.await.expect(200).json();
    assert_eq!(rows["history"][1]["actor"]["sessionId"], json!(session.id));
}

#[tokio::test]
async fn a_full_card_takes_an_upload_once_it_has_room_again() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let upload = CardUpload::begin(&project, &grant, &card, 4).await;
    let mut last = String::new();
    for number in 0..100 {
        last = project
            .attach(&grant, &card, "a.txt", number.to_string())
            .await
            .expect(200)
            .text("/attachment/id");
    }
    assert_snapshot!(
        project.begin(&grant, &card, 4).await,
        @r#"403 LIMIT_REACHED {"current":100,"limit":100,"resource":"attachments of a card"}"#
    );
    assert_snapshot!(
        upload.append(0, "late").await,
        @r#"403 LIMIT_REACHED {"current":100,"limit":100,"resource":"attachments of a card"}"#
    );
    project.detach(&card, &last).await.expect(200);
    // Its bytes are all there, so that reading it attaches it.
    eventually_async("the upload is attached", async || {
        let read = upload.grant.get(&upload.path).await;
        read.status == 200 && read.text("/upload/status") == "done"
    })
    .await;
    assert_eq!(project.attachments(&card).await.last().unwrap(), "Run-out.csv 4");
}

#[tokio::test]
async fn a_user_has_at_most_a_hundred_unfinished_uploads_to_cards() {
    let project = Project::open().await;
    let (card, other) = (project.card("x").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    let mut uploads = Vec::new();
    for _ in 0..99 {
        uploads.push(CardUpload::begin(&project, &grant, &card, 4).await);
    }
    // Of several at once, one is begun.
    let answers = join_all((0..4).map(|_| project.begin(&grant, &other, 4).into_future())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_snapshot!(
        project.begin(&grant, &card, 4).await,
        @r#"403 LIMIT_REACHED {"current":100,"limit":100,"resource":"attachmentUploads"}"#
    );
    // A finished one gives its place back, and so does one that is cancelled.
    uploads[0].append(0, "done").await.expect(204);
    project.begin(&grant, &card, 4).await.expect(201);
    tus(grant.delete(&uploads[1].path)).await.expect(204);
    project.begin(&grant, &card, 4).await.expect(201);
}

#[tokio::test]
async fn a_file_for_which_the_owner_has_no_room_is_refused_before_its_bytes_and_at_its_end() {
    let environment = vec![("ATELIER_STORED_BYTES_LIMIT", "100".to_owned())];
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let mut project = Project::on(deployment).await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    assert_snapshot!(
        project.begin(&grant, &card, 101).await,
        @r#"403 LIMIT_REACHED {"current":0,"limit":100,"resource":"storedBytes"}"#
    );
    let (one, two) = (
        CardUpload::begin(&project, &grant, &card, 60).await,
        CardUpload::begin(&project, &grant, &card, 60).await,
    );
    one.append(0, vec![1; 60]).await.expect(204);
    assert_snapshot!(
        two.append(0, vec![2; 60]).await,
        @r#"403 LIMIT_REACHED {"current":60,"limit":100,"resource":"storedBytes"}"#
    );
    assert_eq!(project.attachments(&card).await, ["Run-out.csv 60"]);
}

#[tokio::test]
async fn a_key_begins_an_upload_once_and_again_after_it_is_gone() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let begin = async || project.begin(&grant, &card, 4).idempotency_key("k").await.expect(201);
    let upload = CardUpload::of(&grant, &begin().await);
    upload.append(0, "ab").await.expect(204);
    let again = begin().await;
    assert!(again.is_replay());
    assert_eq!(
        (CardUpload::of(&grant, &again).path, again.header("upload-offset")),
        (upload.path.clone(), "2")
    );
    upload.append(2, "cd").await.expect(204);
    assert_eq!(begin().await.text("/attachment/name"), "Run-out.csv");
    tus(grant.delete(&upload.path)).await.expect(204);
    let other = CardUpload::of(&grant, &begin().await);
    assert_ne!(other.path, upload.path);
    tus(grant.delete(&other.path)).await.expect(204);
    assert_eq!(project.attachments(&card).await, ["Run-out.csv 4"]);
}

#[tokio::test]
async fn uploads_go_with_their_card_and_expire() {
    let environment =
        vec![("resumable_expiry_secs", "5".to_owned()), ("sweep_interval_secs", "1".to_owned())];
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let project = Project::on(deployment).await;
    let (card, other) = (project.card("x").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    let upload = CardUpload::begin(&project, &grant, &card, 4).await;
    upload.append(0, "ab").await.expect(204);
    project.delete(&card.path()).await.expect(200);
    assert_snapshot!(upload.append(2, "cd").await, @"404 NOT_FOUND");
    assert_eq!(project.rows("resumable_uploads").await, 0);

    let upload = CardUpload::begin(&project, &grant, &other, 4).await;
    upload.append(0, "ab").await.expect(204);
    eventually_async("the upload expires", async || grant.get(&upload.path).await.status == 404).await;
    eventually_async("its record is swept", async || project.rows("resumable_uploads").await == 0).await;
    let folder = project.deployment.blob_folder();
    // Those of the upload to the deleted card are swept after a grace, as all bytes that nobody knows.
    let id = upload.path.rsplit('/').next().unwrap().to_owned();
    eventually("the bytes are gone", || !partial_files(&folder).contains_key(&id)).await;
    assert!(project.attachments(&other).await.is_empty());
}

// X4
#[tokio::test]
async fn an_upload_to_a_card_survives_the_death_of_its_process_within_a_piece() {
    let mut project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let file: Vec<u8> =
        (0..80_u32 * 1024 * 256).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let upload = CardUpload::begin(&project, &grant, &card, file.len()).await;
    let mut piece = upload.begin_piece(file.len(), &file[..70 * 1024 * 1024]).await;
    let durable = "resumable_uploads where offset_bytes > 0";
    eventually_async("bytes are durable", async || project.rows(durable).await == 1).await;
    project.deployment.data[0].restart();
    assert!(piece.try_answer().await.is_none());

    let offset = upload.offset().await;
    assert!(offset > 0 && offset <= 70 * 1024 * 1024, "{offset}");
    eventually_async("the lease of the dead process has ended", async || {
        upload.append(offset, &file[offset..]).await.status == 204
    })
    .await;
    assert_eq!(upload.grant.get(&upload.path).await.json()["attachment"]["sha256"], sha256(&file));
    assert_eq!(project.attachments(&card).await, [format!("Run-out.csv {}", file.len())]);
}

// X5
#[tokio::test]
async fn a_process_killed_before_its_commit_attaches_nothing_and_a_question_does() {
    let mut project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let upload = CardUpload::begin(&project, &grant, &card, 4).await;
    let mut blocker = project.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table card_attachments in share mode").await.unwrap();
    let lost = tokio::spawn(upload.append(0, "once").try_send());
    project.deployment.database.wait_for_blocked(1).await;
    project.deployment.data[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
    project.deployment.database.wait_for_quiet().await;
    assert_eq!((project.rows("files").await, project.rows("card_attachments").await), (0, 0));

    project.deployment.data[0].restart();
    // Its bytes are all there, so that asking for its state attaches it.
    eventually_async("the upload is attached", async || upload.status().await == "done").await;
    upload.append(4, "").await.expect(204);
    assert_eq!(project.attachments(&card).await, ["Run-out.csv 4"]);
    assert_eq!(project.history(&card.id).await, ["created is_open,name", "updated attachment"]);
}

#[tokio::test]
async fn losing_the_role_ends_an_upload_to_a_card() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let (user, caller) = project.member("bob", "editor").await;
    let grant = project.granted(&caller).await;
    let upload = CardUpload::begin(&project, &grant, &card, 4).await;
    upload.append(0, "ab").await.expect(204);
    project.deployment.operator().add_member(&user, "--project", &project.id, "viewer").await;
    assert_snapshot!(upload.append(2, "cd").await, @"403 FORBIDDEN");
    assert!(project.attachments(&card).await.is_empty());
}
