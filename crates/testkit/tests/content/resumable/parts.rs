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
async fn part(shop: &OpenSession, length: usize, bytes: &'static str) -> PieceUpload {
    part_of(&shop.session, &shop.model, length, bytes).await
}

async fn part_of(session: &Session, parent: &str, length: usize, bytes: &'static str) -> PieceUpload {
    let request = tus(session.grant.post(&session.resumable_path(parent))).header("upload-concat", "partial");
    let created = request.header("upload-length", &length.to_string()).await.expect(201);
    let path = path_of(created.header("location"), &session.grant.url);
    let upload = PieceUpload { caller: session.grant.clone(), path };
    upload.append(0, bytes).await.expect(204);
    upload
}

fn join(shop: &OpenSession, parts: &[&PieceUpload]) -> Request {
    // Clients send absolute and relative URLs.
    let servers = ["", parts[0].caller.url.as_str()];
    let urls = parts.iter().zip(servers.iter().cycle());
    let urls: Vec<String> = urls.map(|(part, server)| format!("{server}{}", part.path)).collect();
    create(shop, &shop.model)
        .header("upload-concat", &format!("final;{}", urls.join(" ")))
        .header("upload-metadata", &metadata("a.txt"))
}

fn concat_headers(answer: &Answer) -> [String; 3] {
    ["upload-concat", "upload-offset", "upload-length"].map(|name| answer.header(name).to_owned())
}

#[tokio::test]
async fn partial_uploads_become_one_object_in_their_order() {
    let shop = OpenSession::own().await;
    let (first, second, none) =
        (part(&shop, 3, "abc").await, part(&shop, 4, "defg").await, part(&shop, 0, "").await);
    let head = tus(first.caller.head(&first.path)).await.expect(200);
    assert_eq!(concat_headers(&head), ["partial", "3", "3"]);
    assert_eq!((first.status().await.as_str(), shop.added().await.len()), ("receiving", 0));

    let created = join(&shop, &[&second, &none, &first]).await.expect(201);
    let joined = PieceUpload::read(&shop, created);
    let object = uploaded(&joined.caller.get(&joined.path).await.expect(200));
    assert_eq!((&object["sha256"], &object["name"]), (&sha256(b"defgabc").into(), &"a.txt".into()));
    assert_eq!(shop.added().await, [object["id"].as_str().unwrap()]);
    let head = tus(joined.caller.head(&joined.path)).await.expect(200);
    let urls = format!("final;{} {} {}", second.path, none.path, first.path);
    assert_eq!(concat_headers(&head), [urls.as_str(), "7", "7"]);
    let folder = shop.deployment.blob_folder();
    assert_eq!((stored_blobs(&folder).len(), partial_files(&folder).len()), (1, 0));

    // A client that lost the answer repeats it, and finds the same upload.
    let again = join(&shop, &[&second, &none, &first]).await.expect(201);
    assert_eq!(path_of(again.header("location"), &joined.caller.url), joined.path);
    assert_eq!(
        (shop.added().await.len(), joined.append(7, "").await.to_string()),
        (1, "403 FORBIDDEN".to_owned())
    );
}

#[tokio::test]
async fn parts_that_can_not_be_joined_are_refused() {
    let shop = OpenSession::open().await;
    let (whole, open, alone) =
        (part(&shop, 3, "abc").await, part(&shop, 3, "ab").await, PieceUpload::of(&shop, "b.txt", 3).await);
    let other = Session::open(&shop.caller, &shop.project).await;
    let foreign = part_of(&other, &shop.model, 3, "abc").await;
    let concat = |text: &str| create(&shop, &shop.model).header("upload-concat", text);
    let many = format!("final;{}", vec![whole.path.as_str(); 257].join(" "));
    let refusals = [
        join(&shop, &[&whole, &open]).await,
        join(&shop, &[&whole, &alone]).await,
        join(&shop, &[&whole, &foreign]).await,
        join(&shop, &[&whole]).header("upload-length", "3").await,
        join(&shop, &[&whole]).body("application/offset+octet-stream", "abc").await,
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
    join(&shop, &[&whole]).await.expect(201);
    assert_snapshot!(join(&shop, &[&whole, &open]).await, @"400 INVALID_REQUEST header.Upload-Concat unique");
    assert_eq!(shop.added().await.len(), 1);
}

#[tokio::test]
async fn parts_end_with_their_session_and_leave_nothing() {
    let shop = sweeping("60").await;
    let (first, second) = (part(&shop, 3, "abc").await, part(&shop, 3, "de").await);
    assert_eq!(partial_files(&shop.deployment.blob_folder()).len(), 2);
    shop.session.close().await.expect(200);
    wait_for_uploads(&shop, "true", 0).await;
    let folder = shop.deployment.blob_folder();
    eventually("the bytes are gone", || partial_files(&folder).is_empty()).await;
    assert!(shop.added().await.is_empty());
    for upload in [first, second] {
        assert_eq!(tus(upload.caller.head(&upload.path)).await.status, 401);
    }
}
