//! A data process whose files lie in a bucket.

use std::fs;
use std::time::Duration;

use serde_json::Value;
use testkit::api::Api;
use testkit::environment;
use testkit::process::{Process, Recipe};
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};

use crate::s3_server::{self, Server};

#[tokio::test(flavor = "multi_thread")]
async fn files_go_to_a_bucket_and_come_back_from_it() {
    let (api, server) = (Api::start().await, Server::start().await);
    let folder = tempfile::tempdir().unwrap();
    let ready_file = folder.path().join("ready.json");
    let (keys, prefix) =
        (api.key_file("grant-public.pem"), format!("s3://{}/some/prefix", s3_server::BUCKET));
    let (database, redis) = (api.database.url(), environment::redis_url());
    let settings = [
        ("ATELIER_LISTEN", "127.0.0.1:0"),
        ("ATELIER_OPS_LISTEN", "127.0.0.1:0"),
        ("ATELIER_READY_FILE", ready_file.to_str().unwrap()),
        ("ATELIER_DATABASE_URL", &database),
        ("ATELIER_REDIS_URL", &redis),
        ("ATELIER_GRANT_PUBLIC_KEYS_FILE", keys.to_str().unwrap()),
        ("ATELIER_BLOB_STORE", &prefix),
        ("ATELIER_S3_ENDPOINT", &server.endpoint),
        ("ATELIER_S3_ACCESS_KEY_ID", s3_server::KEY_ID),
        ("ATELIER_S3_SECRET_ACCESS_KEY", s3_server::SECRET),
    ];
    let recipe = Recipe {
        name: "dataplane with a bucket".to_owned(),
        program: environment::program("dataplane"),
        arguments: vec!["serve".to_owned()],
        environment: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        run_as: None,
        log: folder.path().join("log"),
    };
    let process = Process::spawn(&recipe);
    let ready: Value = process.wait_for(Duration::from_secs(30), "listen", || {
        serde_json::from_slice(&fs::read(&ready_file).ok()?).ok()
    });
    let url = ready.get("url").and_then(Value::as_str).unwrap();

    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gearbox").await;
    let mut session = Session::open(&caller, &project).await;
    session.grant = session.grant.at(url);
    let model = session.model().await;
    for size in [0_usize, 10, 20_000_000] {
        let file: Vec<u8> = (0..size).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let object = uploaded(&session.upload(&model, "a.bin", file.clone()).await.expect(200));
        let path = session.download_path(&file_name(&object));
        assert!(session.grant.get(&path).await.expect(200).body == file, "{size} bytes");
        if size > 5 {
            let part = session.grant.get(&path).header("range", "bytes=2-4").await.expect(206);
            assert_eq!(part.body.as_ref(), [2, 3, 4]);
        }
    }
    assert!(!process.output().contains(s3_server::SECRET));
    caller.delete(&format!("/api/v2/projects/{project}")).await.expect(200);
}
