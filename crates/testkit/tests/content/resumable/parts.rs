//! Uploads that join partial ones: parallel uploads of one file.

use insta::assert_snapshot;
use testkit::answer::Answer;
use testkit::caller::Request;
use testkit::invariants::{partial_files, stored_blobs};
use testkit::open_session::{OpenSession, eventually};
use testkit::session::{Session, uploaded};
use testkit::upload::sha256;

use crate::resumable::support::{PieceUpload, create, metadata, path_of, sweeping, tus, wait_for_uploads};

/// A partial upload with these bytes of `length`.
async fn part(opened: &OpenSession, length: usize, bytes: &'static str) -> PieceUpload {
    part_of(&opened.session, &opened.model, length, bytes).await
}

async fn part_of(session: &Session, parent: &str, length: usize, bytes: &'static str) -> PieceUpload {
    let request = tus(session.grant.post(&session.resumable_path(parent))).header("upload-concat", "partial");
    let created = request.header("upload-length", &length.to_string()).await.expect(201);
    let path = path_of(created.header("location"), &session.grant.url);
    let upload = PieceUpload { caller: session.grant.clone(), path };
    upload.append(0, bytes).await.expect(204);
    upload
}

fn join(opened: &OpenSession, parts: &[&PieceUpload]) -> Request {
    // Clients send absolute and relative URLs.
    let servers = ["", parts[0].caller.url.as_str()];
    let urls = parts.iter().zip(servers.iter().cycle());
    let urls: Vec<String> = urls.map(|(part, server)| format!("{server}{}", part.path)).collect();
    create(opened, &opened.model)
        .header("upload-concat", &format!("final;{}", urls.join(" ")))
        .header("upload-metadata", &metadata("a.txt"))
}

fn concat_headers(answer: &Answer) -> [String; 3] {
    ["upload-concat", "upload-offset", "upload-length"].map(|name| answer.header(name).to_owned())
}

#[tokio::test]
async fn partial_uploads_become_one_object_in_their_order() {
    let opened = OpenSession::own().await;
    let (first, second, none) =
        (part(&opened, 3, "abc").await, part(&opened, 4, "defg").await, part(&opened, 0, "").await);
    let head = tus(first.caller.head(&first.path)).await.expect(200);
    assert_eq!(concat_headers(&head), ["partial", "3", "3"]);
    assert_eq!((first.status().await.as_str(), opened.added().await.len()), ("receiving", 0));

    let created = join(&opened, &[&second, &none, &first]).await.expect(201);
    let joined = PieceUpload::read(&opened, created);
    let object = uploaded(&joined.caller.get(&joined.path).await.expect(200));
    assert_eq!((&object["sha256"], &object["name"]), (&sha256(b"defgabc").into(), &"a.txt".into()));
    assert_eq!(opened.added().await, [object["id"].as_str().unwrap()]);
    let head = tus(joined.caller.head(&joined.path)).await.expect(200);
    let urls = format!("final;{} {} {}", second.path, none.path, first.path);
    assert_eq!(concat_headers(&head), [urls.as_str(), "7", "7"]);
    let folder = opened.deployment.blob_folder();
    assert_eq!((stored_blobs(&folder).len(), partial_files(&folder).len()), (1, 0));

    // A client that lost the answer repeats it, and finds the same upload.
    let again = join(&opened, &[&second, &none, &first]).await.expect(201);
    assert_eq!(path_of(again.header("location"), &joined.caller.url), joined.path);
    assert_eq!(
        (opened.added().await.len(), joined.append(7, "").await.to_string()),
        (1, "403 FORBIDDEN".to_owned())
    );
}

#[tokio::test]
async fn parts_that_can_not_be_joined_are_refused() {
    let opened = OpenSession::open().await;
    let (whole, open, alone) = (
        part(&opened, 3, "abc").await,
        part(&opened, 3, "ab").await,
        PieceUpload::of(&opened, "b.txt", 3).await,
    );
    let other = Session::open(&opened.caller, &opened.project).await;
    let foreign = part_of(&other, &opened.model, 3, "abc").await;
    let concat = |text: &str| create(&opened, &opened.model).header("upload-concat", text);
    let many = format!("final;{}", vec![whole.path.as_str(); 257].join(" "));
    let refusals = [
        join(&opened, &[&whole, &open]).await,
        join(&opened, &[&whole, &alone]).await,
        join(&opened, &[&whole, &foreign]).await,
        join(&opened, &[&whole]).header("upload-length", "3").await,
        join(&opened, &[&whole]).body("application/offset+octet-stream", "abc").await,
        concat("final;").await,
        concat("all").await,
        concat(&many).await,
        concat("partial").await,
    ];
    let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_snapshot!(shown.join("\n"), @"
    400 INVALID_REQUEST header.Upload-Concat state
    400 INVALID_REQUEST header.Upload-Concat exists
    400 INVALID_REQUEST header.Upload-Concat exists
    400 INVALID_REQUEST header.Upload-Concat conflict
    400 INVALID_REQUEST header.Upload-Concat conflict
    400 INVALID_REQUEST header.Upload-Concat format
    400 INVALID_REQUEST header.Upload-Concat format
    400 INVALID_REQUEST header.Upload-Concat maxItems
    400 INVALID_REQUEST header.Upload-Length type
    ");
    open.append(2, "c").await.expect(204);
    join(&opened, &[&whole]).await.expect(201);
    assert_snapshot!(join(&opened, &[&whole, &open]).await, @"400 INVALID_REQUEST header.Upload-Concat unique");
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn parts_end_with_their_session_and_leave_nothing() {
    let opened = sweeping("60").await;
    let (first, second) = (part(&opened, 3, "abc").await, part(&opened, 3, "de").await);
    assert_eq!(partial_files(&opened.deployment.blob_folder()).len(), 2);
    opened.session.close().await.expect(200);
    wait_for_uploads(&opened, "true", 0).await;
    let folder = opened.deployment.blob_folder();
    eventually("the bytes are gone", || partial_files(&folder).is_empty()).await;
    assert!(opened.added().await.is_empty());
    for upload in [first, second] {
        assert_eq!(tus(upload.caller.head(&upload.path)).await.status, 401);
    }
}
