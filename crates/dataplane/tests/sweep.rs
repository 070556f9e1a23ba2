//! The sweep, on the blobs and the database of running services.

use std::fs;

use dataplane::blobs::Blobs;
use dataplane::blobs::local::Folder;
use dataplane::sweep::sweep;
use domain::time::Timestamp;
use store::{DatabaseConfig, Store};
use testkit::api::Api;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};
use tokio::runtime::Handle;
use uuid::Uuid;

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
    let database = DatabaseConfig {
        url: api.database.url(),
        max_connections: 2,
        statement_secs: DatabaseConfig::STATEMENT_SECS,
    };
    let store = Store::open(&database, &Handle::current()).unwrap();
    let (past, future) = (Timestamp::now().plus_seconds(-3_600), Timestamp::now().plus_seconds(3_600));
    assert_eq!(sweep(&blobs, &store, past).await.unwrap(), 1, "the half-written file alone");
    assert_eq!(sweep(&blobs, &store, future).await.unwrap(), 1, "the orphan");
    assert_eq!(sweep(&blobs, &store, future).await.unwrap(), 0);
    fs::remove_file(folder.join("blobs/README")).unwrap();
    let path = session.download_path(&file_name(&kept));
    assert_eq!(session.grant.get(&path).await.expect(200).body, "kept");
}
