//! The client library of Rust, which calls operations of the data plane as it calls those of the control plane.

use client::Client;
use client::api::content::uploads::resumable::{DeleteResumableUpload, GetResumableUpload, UploadPath};
use client::domain::content::project::ProjectRef;
use testkit::open_session::OpenSession;

use crate::resumable::support::PieceUpload;

const VERSION: (&str, &str) = ("tus-resumable", "1.0.0");

#[tokio::test]
async fn a_session_of_the_client_library_calls_the_data_plane_with_its_grant() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.bin", 4).await;
    let client = Client::builder(opened.caller.url.parse().unwrap()).key(opened.caller.credential());
    let project: ProjectRef = opened.session.project.parse().unwrap();
    let session = opened.session.id.parse().unwrap();
    let session = client::Session::resume(&client.build().unwrap(), &project, session).await.unwrap();
    let upload_id = upload.path.rsplit('/').next().unwrap().parse().unwrap();
    let at = UploadPath { project_id: project, upload_id };
    let found = session.call(GetResumableUpload, at.clone()).header(VERSION.0, VERSION.1).await.unwrap();
    assert!(found.map.is_none());
    session.call(DeleteResumableUpload, at.clone()).header(VERSION.0, VERSION.1).response().await.unwrap();
    let gone = session.call(GetResumableUpload, at).header(VERSION.0, VERSION.1).response().await;
    assert!(gone.unwrap_err().is_not_found());
}
