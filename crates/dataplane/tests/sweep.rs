//! The sweep of a running service's blobs and database.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use dataplane::blobs::Blobs;
use dataplane::blobs::local::BlobFolder;
use dataplane::sweep::{Suspects, sweep};
use domain::time::Clock;
use store::{DatabaseConfig, Store};
use testkit::deployment::Deployment;
use testkit::invariants::stored_blobs;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, objects, uploaded};
use uuid::Uuid;

fn open_store(deployment: &Deployment) -> Store {
    let database = DatabaseConfig {
        url: deployment.database.url(),
        max_connections: 2,
        statement_secs: DatabaseConfig::STATEMENT_SECS,
    };
    Store::open(&database).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_removes_only_unreferenced_files() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    let model = session.model().await;
    let kept = uploaded(&session.upload(&model, "a.txt", "kept").await.expect(200));
    let folder = deployment.blob_folder();
    // The files of a process that died between the last byte and the commit, or before the last byte.
    fs::write(folder.join(format!("blobs/{}/{}", session.project, Uuid::now_v7())), "orphan").unwrap();
    fs::write(folder.join("tmp/half-written"), "half").unwrap();
    // A foreign file.
    fs::write(folder.join("blobs/README"), "not a blob").unwrap();

    let blobs = Blobs::Local(BlobFolder::open(&folder).unwrap());
    let store = open_store(&deployment);
    let removed = async |grace_secs| {
        sweep(&blobs, &store, &mut Suspects::default(), Clock::system().now(), grace_secs).await.unwrap()
    };
    assert_eq!(removed(3_600).await, 1, "the half-written file alone");
    assert_eq!(removed(-3_600).await, 1, "the orphan");
    assert_eq!(removed(-3_600).await, 0);
    fs::remove_file(folder.join("blobs/README")).unwrap();
    let path = session.download_path(&file_name(&kept));
    assert_eq!(session.grant.get(&path).await.expect(200).body, "kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_blob_of_an_upload_in_pieces_stays_until_the_upload_is_attached_or_terminated() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    let path = session.resumable_path(&session.model().await);
    let begin = session.grant.post(&path).header("tus-resumable", "1.0.0").header("upload-length", "4");
    let upload = begin.await.expect(201);
    // The state after a process died between the last byte and the attachment.
    let blob =
        deployment.blob_folder().join(format!("blobs/{}/{}", session.project, upload.text("/upload/id")));
    fs::create_dir_all(blob.parent().unwrap()).unwrap();
    fs::write(&blob, "kept").unwrap();

    let blobs = Blobs::Local(BlobFolder::open(&deployment.blob_folder()).unwrap());
    let store = open_store(&deployment);
    let removed = async || {
        sweep(&blobs, &store, &mut Suspects::default(), Clock::system().now(), -3_600).await.unwrap()
    };
    assert_eq!(removed().await, 0);
    let delete = session.grant.delete(upload.header("location")).header("tus-resumable", "1.0.0");
    delete.await.expect(204);
    assert_eq!(removed().await, 1);
    assert!(!blob.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_are_dropped_by_age_and_size_and_made_again() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    let model = session.model().await;
    let mut pictures = Vec::new();
    for name in ["old", "used", "less"] {
        let corners = ["0 0 0", "1 0 0", "0 1 0"].map(|corner| format!("vertex {corner}\n")).concat();
        let solid =
            format!("solid {name}\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid\n");
        let file = uploaded(&session.upload(&model, "a.stl", solid).await.expect(200));
        let object = file["id"].as_str().unwrap().to_owned();
        pictures.push(format!("/api/v1/projects/{}/objects/{object}/thumbnail", session.project));
        session.grant.get(pictures.last().unwrap()).await.expect(200);
        // Another one was looked at before, and the first of all a year ago.
        let age = if name == "old" { "1 year" } else { "1 hour" };
        let older = format!("update previews set used_at = used_at - interval '{age}', lease_until = now()");
        deployment.database.connect().await.batch_execute(&older).await.unwrap();
    }
    let store = open_store(&deployment);
    let now = Clock::system().now();
    let a_month_ago = now.plus_seconds(-30 * 24 * 3_600);
    assert_eq!(store.drop_previews(a_month_ago, u64::MAX).await.unwrap(), 1, "the one that nobody uses");
    let most = deployment.database.count("select sum(size_bytes)::bigint / 2 from derived_files").await;
    assert_eq!(store.drop_previews(a_month_ago, most.try_into().unwrap()).await.unwrap(), 1);
    assert_eq!(store.drop_previews(a_month_ago, most.try_into().unwrap()).await.unwrap(), 0);
    let blobs = Blobs::Local(BlobFolder::open(&deployment.blob_folder()).unwrap());
    let removed = sweep(&blobs, &store, &mut Suspects::default(), now, -3_600).await.unwrap();
    assert_eq!(removed, 2 * 3, "a shape and two pictures of each");
    for picture in &pictures {
        session.grant.get(picture).await.expect(200);
    }
}

/// A document with two pages of different sizes.
const PDF: &str = "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 18 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
";

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_images_of_a_conversion_repeated_after_a_crash_are_swept() {
    let mut deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    // A connection without a host, so the data process attaches the upload itself.
    let session = Session { connection: "headless-nobody".to_owned(), ..session };
    let begin = session
        .grant
        .post(&session.resumable_path(&session.model().await))
        .header("tus-resumable", "1.0.0")
        .header("upload-length", &PDF.len().to_string())
        .header("upload-metadata", "filename YS5wZGY=");
    let upload = begin.await.expect(201).header("location").to_owned();
    let mut blocker = deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table files in share mode").await.unwrap();
    let piece = session
        .grant
        .patch(&upload)
        .header("tus-resumable", "1.0.0")
        .header("upload-offset", "0")
        .body("application/offset+octet-stream", PDF);
    let lost = tokio::spawn(piece.try_send());
    deployment.database.wait_for_blocked(1).await;
    let folder = deployment.blob_folder();
    assert_eq!(stored_blobs(&folder).len(), 3, "the document and its images");
    deployment.data[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
    deployment.database.wait_for_quiet().await;
    deployment.data[0].restart();
    let asked = async || objects(&session.grant.get(&upload).await.expect(200));
    eventually_async("a request for the state finishes the upload", async || !asked().await.is_empty()).await;
    assert_eq!(stored_blobs(&folder).len(), 5, "the images are made again");

    let blobs = Blobs::Local(BlobFolder::open(&folder).unwrap());
    let store = open_store(&deployment);
    let swept = sweep(&blobs, &store, &mut Suspects::default(), Clock::system().now(), -3_600).await.unwrap();
    assert_eq!(swept, 2, "the unreferenced images");
    for object in asked().await {
        session.grant.get(&session.download_path(&file_name(&object))).await.expect(200);
    }
}
