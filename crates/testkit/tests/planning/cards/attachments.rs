//! Attachments of cards: files that belong to a card, and go with it.

mod pieces;
mod transfers;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::open_session::eventually_async;
use testkit::seed::ABSENT_ID;
use testkit::session::{Session, create_project, file_name, uploaded};
use testkit::upload::{Form, sha256};

use crate::cards::support::{Card, Project};

impl Project {
    /// A caller of the data plane with a grant for attachments, which `caller` asked for.
    async fn granted(&self, caller: &Caller) -> Caller {
        let minted = caller.post(&self.at("attachment-grants")).await.expect(200);
        self.deployment.anonymous_at_data().with(&minted.text("/dataPlane/token"))
    }

    /// The path of a card's attachments on the data plane.
    fn attached(&self, card: &Card) -> String {
        format!("/api/v1/projects/{}/cards/{}/attachments", self.id, card.id)
    }

    fn attach(&self, grant: &Caller, card: &Card, name: &str, bytes: impl AsRef<[u8]>) -> Request {
        let form = Form::new(name);
        grant.post(&self.attached(card)).body(&form.content_type(), form.body(bytes.as_ref()))
    }

    fn download(&self, grant: &Caller, card: &Card, id: &str) -> Request {
        grant.get(&format!("{}/{id}", self.attached(card)))
    }

    fn detach(&self, card: &Card, id: &str) -> Request {
        self.delete(&card.at(&format!("attachments/{id}")))
    }

    /// Names and sizes of a card's attachments.
    async fn attachments(&self, card: &Card) -> Vec<String> {
        let listed = self.get(&card.at("attachments")).await.expect(200).json();
        let shown = |file: &Value| format!("{} {}", file["name"].as_str().unwrap(), file["size"]);
        listed["attachments"].as_array().unwrap().iter().map(shown).collect()
    }

    async fn rows(&self, table: &str) -> i64 {
        self.deployment.database.count(&format!("select count(*) from {table}")).await
    }
}

#[tokio::test]
async fn a_file_is_attached_listed_downloaded_and_removed() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let attached = project.attach(&grant, &card, "Run-out.csv", "0.02;0.03").await.expect(200);
    let file = attached.json()["attachment"].clone();
    let id = attached.text("/attachment/id");
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
    let read = project.get(&card.path()).await.expect(200);
    assert_eq!(
        (read.json()["attachments"].clone(), read.text("/historyHeadId")),
        (json!([file]), attached.text("/historyHeadId"))
    );
    assert_eq!(project.attachments(&card).await, ["Run-out.csv 9"]);

    let whole = project.download(&grant, &card, &id).await.expect(200);
    assert_eq!((whole.body.as_ref(), whole.header("content-type")), (b"0.02;0.03".as_slice(), "text/csv"));
    let part = project.download(&grant, &card, &id).header("range", "bytes=5-").await.expect(206);
    assert_eq!((part.body.as_ref(), part.header("content-range")), (b"0.03".as_slice(), "bytes 5-8/9"));
    project.download(&grant, &card, &id).header("if-none-match", whole.header("etag")).await.expect(304);

    assert_snapshot!(project.detach(&card, ABSENT_ID).await, @"404 NOT_FOUND");
    let removed = project.detach(&card, &id).await.expect(200);
    assert_eq!(removed.text("/id"), id);
    assert_snapshot!(project.detach(&card, &id).await, @"404 NOT_FOUND");
    assert_snapshot!(project.download(&grant, &card, &id).await, @"404 NOT_FOUND");
    assert!(project.attachments(&card).await.is_empty());
    assert_eq!((project.rows("files").await, project.rows("card_attachments").await), (0, 0));
}

#[tokio::test]
async fn history_and_events_tell_of_attachments() {
    let project = Project::open().await;
    let mut stream = EventStream::open(project.get("events")).await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    // The tree has the same bytes, so that the blob stays.
    let session = Session::open(&project.caller, &project.id).await;
    session.upload(&project.id, "a.txt", "solid").await.expect(200);
    let attached = project.attach(&grant, &card, "a.txt", "solid").await.expect(200);
    let id = attached.text("/attachment/id");
    // A head from before the attachment refuses its removal, and a current one doesn't.
    let stale = project.detach(&card, &id).header("if-match", &card.head).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "CARD_HISTORY_CONFLICT"));
    let current = json!({ "expectedHistoryHeadId": attached.text("/historyHeadId") });
    project.detach(&card, &id).json(current).await.expect(200);
    let kinds = ["created is_open,name", "updated attachment", "updated attachment"];
    assert_eq!(project.history(&card.id).await, kinds);
    let rows = project.get(&card.at("history")).await.expect(200).json();
    let media = attached.text("/attachment/mimeType");
    let told = json!({ "id": id, "name": "a.txt", "size": 5, "mimeType": media, "sha256": sha256(b"solid") });
    assert_eq!(rows["history"][1]["changes"]["attachment"], json!({ "before": null, "after": told }));
    assert_eq!(rows["history"][2]["changes"]["attachment"], json!({ "before": told, "after": null }));
    let mut of_card = Vec::new();
    while of_card.len() < 3 {
        let event = stream.next().await.unwrap();
        if event.kind.starts_with("card.") {
            of_card.push(event.kind);
        }
    }
    assert_eq!(of_card, ["card.created", "card.updated", "card.updated"]);
}

#[tokio::test]
async fn bytes_stay_as_long_as_a_card_or_the_tree_has_them() {
    // Its end proves that each file has its blob, and no blob is left over.
    let project = Project::own().await;
    let (one, other) = (project.card("one").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    let session = Session::open(&project.caller, &project.id).await;
    let object = uploaded(&session.upload(&project.id, "a.txt", "shared").await.expect(200));
    let attach = async |card: &Card| {
        project.attach(&grant, card, "b.txt", "shared").await.expect(200).text("/attachment/id")
    };
    let (first, second, third) = (attach(&one).await, attach(&one).await, attach(&other).await);
    assert_eq!(project.rows("files").await, 1);
    project.detach(&one, &first).await.expect(200);
    project.delete(&one.path()).await.expect(200);
    assert_snapshot!(project.download(&grant, &one, &second).await, @"404 NOT_FOUND");
    let replaced = session.replace(object["id"].as_str().unwrap(), "a.txt", "new").await.expect(200);
    assert_eq!(project.download(&grant, &other, &third).await.expect(200).body, "shared");
    let now = replaced.json()["object"][object["id"].as_str().unwrap()].clone();
    let read = session.grant.get(&session.download_path(&file_name(&now))).await.expect(200);
    assert_eq!(read.body, "new");
    // The other way round: the tree keeps what a card loses.
    let attached = project.attach(&grant, &other, "c.txt", "new").await.expect(200).text("/attachment/id");
    project.detach(&other, &attached).await.expect(200);
    assert_eq!(session.grant.get(&session.download_path(&file_name(&now))).await.expect(200).body, "new");
    assert_eq!(project.rows("files").await, 2);
}

#[tokio::test]
async fn attachments_go_with_their_card_and_with_their_project() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let (one, other) = (project.card("one").await, project.card("other").await);
    let grant = project.granted(&project.caller).await;
    for (card, bytes) in [(&one, "1"), (&one, "2"), (&other, "2"), (&other, "3")] {
        project.attach(&grant, card, "a.txt", bytes).await.expect(200);
    }
    assert_eq!(project.rows("files").await, 3);
    project.delete(&one.path()).await.expect(200);
    assert_eq!((project.rows("files").await, project.rows("card_attachments").await), (2, 2));
    project.caller.delete(&format!("/api/v2/projects/{}", project.id)).await.expect(200);
    assert_eq!((project.rows("files").await, project.rows("card_attachments").await), (0, 0));
}

#[tokio::test]
async fn attachments_count_to_their_owner_and_give_their_room_back() {
    let environment = vec![("ATELIER_STORED_BYTES_LIMIT", "300000".to_owned())];
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let mut project = Project::on(deployment).await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let attached = project.attach(&grant, &card, "a.bin", vec![1_u8; 290_000]).await.expect(200);
    let other = create_project(&project.caller, "Other").await;
    let session = Session::open(&project.caller, &other).await;
    let refused = session.upload(&other, "b.bin", vec![2_u8; 20_000]).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":290000,"limit":300000,"resource":"storedBytes"}"#);
    let refused = project.attach(&grant, &card, "b.bin", vec![2_u8; 20_000]).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":290000,"limit":300000,"resource":"storedBytes"}"#);
    assert_eq!(project.attachments(&card).await, ["a.bin 290000"]);
    project.detach(&card, &attached.text("/attachment/id")).await.expect(200);
    // A process reads the sum again after a moment.
    eventually_async("there is room", async || {
        project.attach(&grant, &card, "b.bin", vec![2_u8; 280_000]).await.status == 200
    })
    .await;
}

#[tokio::test]
async fn readers_only_read_and_strangers_see_nothing() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let own = project.granted(&project.caller).await;
    let id = project.attach(&own, &card, "a.txt", "a").await.expect(200).text("/attachment/id");
    let (_, viewer) = project.member("vera", "viewer").await;
    let grant = project.granted(&viewer).await;
    assert_eq!(project.download(&grant, &card, &id).await.expect(200).body, "a");
    assert_snapshot!(project.attach(&grant, &card, "b.txt", "b").await, @"403 FORBIDDEN");
    assert_snapshot!(viewer.delete(&project.at(&card.at(&format!("attachments/{id}")))).await, @"403 FORBIDDEN");

    let mallory = project.deployment.operator().user("mallory").await.key(&["cards:manage"]).await;
    assert_snapshot!(mallory.post(&project.at("attachment-grants")).await, @"404 NOT_FOUND");
    assert_snapshot!(mallory.get(&project.at(&card.at("attachments"))).await, @"404 NOT_FOUND");
    // A grant of another project of the same person, and a card of another project.
    let elsewhere = Project { id: create_project(&project.caller, "Other").await, ..project };
    let foreign = elsewhere.granted(&elsewhere.caller).await;
    let hidden = format!("/api/v1/projects/{}/cards/{}/attachments/{id}", elsewhere.id, card.id);
    assert_snapshot!(foreign.get(&hidden).await, @"404 NOT_FOUND");
    assert_snapshot!(elsewhere.attach(&own, &card, "b.txt", "b").await, @"404 NOT_FOUND");
    assert_snapshot!(elsewhere.attach(&foreign, &card, "b.txt", "b").await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_grant_for_attachments_has_no_other_rights_and_none_that_its_key_lacks() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let reader = project.alice.key(&["cards:read"]).await;
    let grant = project.granted(&reader).await;
    assert_snapshot!(
        project.attach(&grant, &card, "a.txt", "a").await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#
    );
    let files = project.alice.key(&["projects:manage"]).await;
    assert_snapshot!(
        files.post(&project.at("attachment-grants")).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#
    );
    let grant = project.granted(&project.caller).await;
    let session = Session::open(&project.caller, &project.id).await;
    let with_it = Session { grant: grant.clone(), ..session.clone() };
    assert_snapshot!(
        with_it.upload(&project.id, "a.txt", "a").await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:write"}"#
    );
    // The grant of a session attaches, too, and the history says so.
    project.attach(&session.grant, &card, "a.txt", "a").await.expect(200);
    let rows = project.get(&card.at("history")).await.expect(200).json();
    assert_eq!(rows["history"][1]["actor"]["sessionId"], json!(session.id));
    let minted = project.caller.post(&project.at("download-grants")).await.expect(200);
    let downloads = grant.with(&minted.text("/dataPlane/token"));
    assert_snapshot!(
        downloads.get(&format!("{}/{ABSENT_ID}", project.attached(&card))).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#
    );
}

#[tokio::test]
async fn a_card_has_at_most_a_hundred_attachments() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    for number in 0..99 {
        project.attach(&grant, &card, "a.txt", number.to_string()).await.expect(200);
    }
    // Of several at once, one finds room.
    let at_once = (0..4).map(|_| project.attach(&grant, &card, "b.txt", "b").into_future());
    let answers = join_all(at_once).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_snapshot!(
        project.attach(&grant, &card, "c.txt", "c").await,
        @r#"403 LIMIT_REACHED {"current":100,"limit":100,"resource":"attachments of a card"}"#
    );
    assert_eq!(project.attachments(&card).await.len(), 100);
}

#[tokio::test]
async fn names_and_types_are_made_safe() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let html = "<script>alert(1)</script>";
    for (sent, name, bytes, media_type) in [
        ("Zeichnung ä+ö (1).PDF", "Zeichnung ä+ö (1).PDF", "%PDF-1.7\u{1}", "application/pdf"),
        ("a\"b.txt", "a\"b.txt", "plain", "text/plain"),
        ("../../etc/passwd", "passwd", "root", "text/plain"),
        ("x.html", "x.html", html, "text/html"),
        ("\u{202e}gpj.exe", "gpj.exe", "\u{89}PNG no picture", "text/plain"),
        ("", "file", "\0\u{1}\u{2}", "application/octet-stream"),
        ("", "file", "", "application/x-empty"),
    ] {
        let attached = project.attach(&grant, &card, sent, bytes).await.expect(200);
        let file = attached.json()["attachment"].clone();
        assert_eq!((&file["name"], &file["mimeType"]), (&json!(name), &json!(media_type)), "{sent}");
        let read = project.download(&grant, &card, &attached.text("/attachment/id")).await.expect(200);
        assert_eq!(read.body, bytes, "{sent}");
        assert!(read.header("content-disposition").starts_with("attachment; filename=\""), "{sent}");
        assert_eq!(read.header("content-security-policy"), "sandbox; default-src 'none'", "{sent}");
        assert_eq!(read.header("x-content-type-options"), "nosniff", "{sent}");
    }
    let refused = project.attach(&grant, &card, ".git", "x").await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_UPLOAD"));
}

#[tokio::test]
async fn pictures_of_attachments_are_drawn_for_those_who_read_the_card() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let text = project.attach(&grant, &card, "a.txt", "20 teeth").await.expect(200).text("/attachment/id");
    let other = project.attach(&grant, &card, "a.bin", "\0\u{1}").await.expect(200).text("/attachment/id");
    let picture =
        |id: &str, query: &str| grant.get(&format!("{}/{id}/thumbnail{query}", project.attached(&card)));
    let drawn = picture(&text, "").await.expect(200);
    assert_eq!(drawn.header("content-type"), "image/png");
    let large = picture(&text, "?size=1024").await.expect(200);
    assert!(large.body.len() > drawn.body.len());
    assert_snapshot!(picture(&other, "").await, @"404 NOT_FOUND");
    assert_snapshot!(picture(ABSENT_ID, "").await, @"404 NOT_FOUND");
    // The drawn pictures are removed together with the file.
    project.detach(&card, &text).await.expect(200);
    assert_snapshot!(picture(&text, "").await, @"404 NOT_FOUND");
    assert_eq!((project.rows("previews").await, project.rows("derived_files").await), (0, 0));
}

#[tokio::test]
async fn a_key_attaches_a_file_once() {
    // Its end proves that the repeats leave no blob.
    let project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let attach = |bytes: &'static str| project.attach(&grant, &card, "a.txt", bytes).idempotency_key("k");
    let answers = join_all(["one", "two", "three"].map(|bytes| attach(bytes).into_future())).await;
    let again = attach("four").await.expect(200);
    assert!(again.is_replay());
    let done: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert!(done.iter().all(|answer| answer.body == again.body), "{done:?}");
    assert_eq!(done.iter().filter(|answer| !answer.is_replay()).count(), 1);
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)), "{answers:?}");
    assert_eq!((project.attachments(&card).await.len(), project.rows("files").await), (1, 1));
}

#[tokio::test]
async fn a_removed_attachment_is_in_the_past_of_its_card() {
    let mut project = Project::own().await;
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let attached = project.attach(&grant, &card, "a.txt", "solid").await.expect(200);
    let read = project.get(&card.path()).await.expect(200);
    let at = attached.text("/attachment/createdAt");
    // Later than the attachment, however fast this is.
    let later = format!("select '{at}'::timestamptz < clock_timestamp() - interval '10 milliseconds'");
    let client = project.deployment.database.connect().await;
    eventually_async("a later moment", async || client.query_one(&later, &[]).await.unwrap().get(0)).await;
    project.detach(&card, &attached.text("/attachment/id")).await.expect(200);
    assert_eq!(project.attachments(&card).await, Vec::<String>::new());
    assert_eq!(project.get(&format!("{}?at={at}", card.path())).await.expect(200).body, read.body);
}
