//! Replacement of an object's file by an upload in pieces.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use testkit::open_session::OpenSession;
use testkit::session::uploaded;
use testkit::upload::sha256;

use crate::resumable::support::{PieceUpload, create, metadata};

/// A file, and the metadata that replaces it under this condition.
async fn file(opened: &OpenSession, expected: &str) -> (String, String) {
    let answer = opened.session.upload(&opened.model, "a.bin", [0, 1]).await.expect(200);
    let id = uploaded(&answer)["id"].as_str().unwrap().to_owned();
    let (object, expected) = (STANDARD.encode(&id), STANDARD.encode(expected));
    let metadata = format!("{},replaces {object},ifMatch {expected}", metadata("b.dat"));
    (id, metadata)
}

#[tokio::test]
async fn an_upload_in_pieces_replaces_the_file_of_an_object() {
    let mut opened = OpenSession::own().await;
    // The bytes of a refused upload stay until it expires.
    opened.deployment.leaves_blobs = true;
    let (object, metadata) = file(&opened, &sha256(&[0, 1])).await;
    let begin = || create(&opened, &object).header("upload-length", "4").header("upload-metadata", &metadata);
    let upload = PieceUpload::read(&opened, begin().await.expect(201));
    let late = PieceUpload::read(&opened, begin().await.expect(201));
    upload.append(0, [0, 2]).await.expect(204);
    upload.append(2, [3, 4]).await.expect(204);
    let done = upload.caller.get(&upload.path).await.expect(200);
    assert_eq!(done.text("/upload/status"), "done");
    assert!(done.json().to_string().contains(&sha256(&[0, 2, 3, 4])), "{done}");
    let path = opened.session.download_path(&format!("{object}.dat"));
    assert_eq!(opened.session.grant.get(&path).await.expect(200).body, [0_u8, 2, 3, 4].as_slice());
    assert_eq!(opened.added().await, std::slice::from_ref(&object));

    // The file has changed since the other one began.
    assert_eq!(late.append(0, [0, 5, 6, 7]).await.expect(412).code(), "PRECONDITION_FAILED");
    assert_eq!(late.status().await, "failed");
    begin().await.expect(412);
}

#[tokio::test]
async fn an_upload_in_pieces_names_an_object_with_a_file_twice() {
    let opened = OpenSession::open().await;
    let (_, metadata) = file(&opened, "*").await;
    let begin = |metadata: &str| {
        create(&opened, &opened.model).header("upload-length", "4").header("upload-metadata", metadata)
    };
    assert_eq!(begin(&metadata).await.to_string(), "400 INVALID_REQUEST header.Upload-Metadata conflict");
    let model = format!("replaces {}", STANDARD.encode(&opened.model));
    assert_eq!(begin(&model).await.expect(409).code(), "FILE_NOT_REPLACEABLE");
    let malformed = begin("replaces YQ==").await;
    assert_eq!(malformed.to_string(), "400 INVALID_REQUEST header.Upload-Metadata format");
}
