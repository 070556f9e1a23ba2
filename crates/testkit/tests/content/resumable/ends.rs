//! Uploads that can't be attached.

use insta::assert_snapshot;
use serde_json::json;
use testkit::open_session::OpenSession;

use crate::resumable::support::PieceUpload;

#[tokio::test]
async fn an_upload_below_a_deleted_object_fails_with_the_reason() {
    let mut opened = OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    let objects = format!("/api/v2/projects/{}/objects", opened.project);
    let parent =
        opened.caller.post(&objects).json(json!({ "name": "Rim" })).await.expect(201).text("/object/id");
    let begun =
        crate::resumable::support::create(&opened, &parent).header("upload-length", "6").await.expect(201);
    let upload = PieceUpload::read(&opened, begun);
    upload.append(0, "abc").await.expect(204);
    opened.caller.delete(&format!("{objects}/{parent}")).await.expect(200);
    assert_eq!(upload.append(3, "def").await.to_string(), "404 NOT_FOUND");
    let told = upload.caller.get(&upload.path).await.expect(200);
    assert_eq!(
        (told.text("/upload/status"), told.text("/upload/failure/code")),
        ("failed".into(), "NOT_FOUND".into())
    );
    assert_snapshot!(upload.append(6, "").await, @"404 NOT_FOUND");
    assert!(opened.added().await.is_empty());
}
