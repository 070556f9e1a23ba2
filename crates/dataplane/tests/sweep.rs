//! The sweep, on the blobs and the database of running services.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use dataplane::blobs::Blobs;
use dataplane::blobs::local::Folder;
use dataplane::sweep::{Suspects, sweep};
use domain::time::Timestamp;
use store::{DatabaseConfig, Store};
use testkit::api::Api;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};
use tokio::runtime::Handle;
use uuid::Uuid;

fn open_store(api: &Api) -> Store {
    let database = DatabaseConfig {
        url: api.database.url(),
        max_connections: 2,
        statement_secs: DatabaseConfig::STATEMENT_SECS,
    };
    Store::open(&database, &Handle::current()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_removes_what_nothing_refers_to_and_nothing_else() {
    let api = Api::start().await;
    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    let model = session.model().await;
    let kept = uploaded(&session.upload(&model, "a.txt", "kept").await.expect(200));
    let folder = api.blob_folder();
    // What a process leaves that dies between the last byte and the commit, or before the last byte.
    fs::write(folder.join(format!("blobs/{}/{}", session.project, Uuid::now_v7())), "orphan").unwrap();
    fs::write(folder.join("tmp/half-written"), "half").unwrap();
    // What is none of ours.
    fs::write(folder.join("blobs/README"), "not a blob").unwrap();

    let blobs = Blobs::Local(Folder::open(&folder).unwrap());
    let store = open_store(&api);
    let removed = async |grace_secs| {
        sweep(&blobs, &store, &mut Suspects::default(), Timestamp::now(), grace_secs).await.unwrap()
    };
    assert_eq!(removed(3_600).await, 1, "the half-written file alone");
    assert_eq!(removed(-3_600).await, 1, "the orphan");
    assert_eq!(removed(-3_600).await, 0);
    fs::remove_file(folder.join("blobs/README")).unwrap();
    let path = session.download_path(&file_name(&kept));
    assert_eq!(session.grant.get(&path).await.expect(200).body, "kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_blob_of_an_upload_in_pieces_stays_until_the_upload_is_attached_or_given_up() {
    let api = Api::start().await;
    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
    let path = session.resumable_path(&session.model().await);
    let begin = session.grant.post(&path).header("tus-resumable", "1.0.0").header("upload-length", "4");
    let upload = begin.await.expect(201);
    // As a process leaves it that dies when all bytes are there, before it attaches them.
    let blob = api.blob_folder().join(format!("blobs/{}/{}", session.project, upload.text("/upload/id")));
    fs::create_dir_all(blob.parent().unwrap()).unwrap();
    fs::write(&blob, "kept").unwrap();

    let blobs = Blobs::Local(Folder::open(&api.blob_folder()).unwrap());
    let store = open_store(&api);
    let removed =
        async || sweep(&blobs, &store, &mut Suspects::default(), Timestamp::now(), -3_600).await.unwrap();
    assert_eq!(removed().await, 0);
    let delete = session.grant.delete(upload.header("location")).header("tus-resumable", "1.0.0");
    delete.await.expect(204);
    assert_eq!(removed().await, 1);
    assert!(!blob.exists());
}
