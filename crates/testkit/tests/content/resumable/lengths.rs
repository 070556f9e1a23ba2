//! Uploads whose length the client tells with a later piece.

use insta::assert_snapshot;
use testkit::open_session::OpenSession;
use testkit::session::uploaded;
use testkit::upload::sha256;

use crate::resumable::support::{PieceUpload, create, metadata, tus};

async fn deferred(opened: &OpenSession) -> PieceUpload {
    let request = create(opened, &opened.model).header("upload-defer-length", "1");
    PieceUpload::read(opened, request.header("upload-metadata", &metadata("a.txt")).await.expect(201))
}

#[tokio::test]
async fn the_length_may_come_with_any_piece() {
    let opened = OpenSession::open().await;
    for (last, at) in [("def", 3), ("", 6)] {
        let upload = deferred(&opened).await;
        let head = tus(upload.caller.head(&upload.path)).await.expect(200);
        assert_eq!((head.header("upload-defer-length"), head.header("upload-length")), ("1", ""));
        upload.append(0, &b"abcdef"[..at]).await.expect(204);
        let told = upload.caller.get(&upload.path).await.expect(200);
        assert_eq!(
            (told.text("/upload/status"), told.json()["upload"]["sizeBytes"].is_null()),
            ("receiving".into(), true)
        );
        upload.append(at, last).header("upload-length", "6").await.expect(204);
        let head = tus(upload.caller.head(&upload.path)).await.expect(200);
        assert_eq!((head.header("upload-defer-length"), head.header("upload-length")), ("", "6"));
        assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcdef"));
    }
    assert_eq!(opened.added().await.len(), 2);
}

#[tokio::test]
async fn a_length_is_told_once_and_holds() {
    let opened = OpenSession::open().await;
    let upload = deferred(&opened).await;
    upload.append(0, "abc").await.expect(204);
    let told = |length: &str, bytes: &'static str| upload.append(3, bytes).header("upload-length", length);
    let refusals = [
        told("2", "").await,
        told("2147483649", "").await,
        told("x", "").await,
        told("5", "def").await,
        told("6", "def").await,
        upload.append(3, "def").await,
    ];
    let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    // The fourth tells the length.
    assert_snapshot!(shown.join("\n"), @r#"
    400 INVALID_REQUEST header.Upload-Length minimum
    413 PAYLOAD_TOO_LARGE {"limitBytes":2147483648}
    400 INVALID_REQUEST header.Upload-Length type
    413 PAYLOAD_TOO_LARGE {"limitBytes":5}
    400 INVALID_REQUEST header.Upload-Length state
    413 PAYLOAD_TOO_LARGE {"limitBytes":5}
    "#);
    told("5", "de").await.expect(204);
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcde"));
}
