//! A data process that stores files in a bucket.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tempfile::TempDir;
use testkit::caller::Request;
use testkit::deployment::Deployment;
use testkit::environment;
use testkit::open_session::eventually;
use testkit::process::{Process, Recipe};
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};

use crate::s3_server::{self, Server};
use crate::stores::content;

const MIB: usize = 1024 * 1024;

/// A control plane, and a session with files in a bucket.
struct Bucketed {
    deployment: Deployment,
    server: Server,
    /// The process and its command.
    process: Option<Process>,
    recipe: Recipe,
    folder: TempDir,
    session: Session,
    model: String,
}

impl Bucketed {
    /// Starts with these additional settings.
    async fn start(more: &[(&str, &str)]) -> Self {
        let (deployment, server) = (Deployment::start().await, Server::start().await);
        let folder = tempfile::tempdir().unwrap();
        let ready_file = folder.path().join("ready.json");
        let (keys, prefix) =
            (deployment.key_file("grant-public.pem"), format!("s3://{}/some/prefix", s3_server::BUCKET));
        let (database, redis) = (deployment.database.url(), environment::redis_url());
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
        let environment = settings.iter().chain(more);
        let recipe = Recipe {
            name: "dataplane with a bucket".to_owned(),
            program: environment::program("dataplane"),
            arguments: vec!["serve".to_owned()],
            environment: environment.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            run_as: None,
            log: folder.path().join("log"),
        };
        let caller = deployment.operator().user("alice").await.key(MANAGE).await;
        let project = create_project(&caller, "Gearbox").await;
        let session = Session::open(&caller, &project).await;
        let model = session.model().await;
        let mut started = Self { deployment, server, process: None, recipe, folder, session, model };
        started.restart();
        started
    }

    /// Kills the process, if there is one, and starts another.
    fn restart(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
        let ready_file = self.folder.path().join("ready.json");
        let _absent = fs::remove_file(&ready_file);
        let process = Process::spawn(&self.recipe);
        let ready: Value = process.wait_for(Duration::from_secs(30), "listen", || {
            serde_json::from_slice(&fs::read(&ready_file).ok()?).ok()
        });
        self.session.grant = self.session.grant.at(ready.get("url").and_then(Value::as_str).unwrap());
        self.process = Some(process);
    }

    /// Begins an upload of `file` in pieces and sends the first bytes; returns its path.
    async fn begin(&self, file: &Bytes, first: usize) -> String {
        let created = tus(self.session.grant.post(&self.session.resumable_path(&self.model)))
            .header("upload-length", &file.len().to_string())
            .header("upload-metadata", "filename YS5iaW4=")
            .await
            .expect(201);
        // The process that continues listens elsewhere.
        let path = created.header("location").split_once("/api").unwrap().1;
        let path = format!("/api{path}");
        self.append(&path, 0, file.slice(..first)).await.expect(204);
        path
    }

    fn append(&self, path: &str, offset: usize, bytes: Bytes) -> Request {
        tus(self.session.grant.patch(path))
            .header("upload-offset", &offset.to_string())
            .body("application/offset+octet-stream", bytes.to_vec())
    }

    /// Number of the server's files with incomplete uploads.
    fn incomplete(&self) -> usize {
        let is_incomplete = |path: &str| path.contains("/.upload") || path.contains("/partial/");
        files_under(self.server.folder.path()).iter().filter(|path| is_incomplete(path)).count()
    }

    async fn end(self) {
        let output = self.process.as_ref().map(Process::output).unwrap_or_default();
        assert!(!output.contains(s3_server::SECRET));
        let Session { caller, project, .. } = &self.session;
        // The checks at the end expect the blobs of files in a folder.
        caller.delete(&format!("/api/v2/projects/{project}")).await.expect(200);
        drop(self.deployment);
    }
}

fn tus(request: Request) -> Request {
    request.header("tus-resumable", "1.0.0")
}

fn files_under(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().filter_map(Result::ok);
    let files = entries.flat_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files_under(&entry.path()),
        _ => vec![entry.path().to_string_lossy().into_owned()],
    });
    files.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_stored_in_a_bucket_and_read_from_it() {
    let bucketed = Bucketed::start(&[]).await;
    let session = &bucketed.session;
    for size in [0_usize, 10, 20_000_000] {
        let file: Vec<u8> = (0..size).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let object = uploaded(&session.upload(&bucketed.model, "a.bin", file.clone()).await.expect(200));
        let path = session.download_path(&file_name(&object));
        assert!(session.grant.get(&path).await.expect(200).body == file, "{size} bytes");
        if size > 5 {
            let part = session.grant.get(&path).header("range", "bytes=2-4").await.expect(206);
            assert_eq!(part.body.as_ref(), [2, 3, 4]);
        }
    }
    bucketed.end().await;
}

// X4
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_in_pieces_to_a_bucket_continues_after_the_death_of_its_process() {
    let mut bucketed = Bucketed::start(&[]).await;
    let file = content(21 * MIB);
    // A complete and an incomplete part of the multipart upload; then two more parts.
    let path = bucketed.begin(&file, 10 * MIB).await;
    assert!(bucketed.incomplete() > 0);
    bucketed.restart();
    let standing = tus(bucketed.session.grant.head(&path)).await.expect(200);
    assert_eq!(standing.header("upload-offset"), (10 * MIB).to_string());
    bucketed.append(&path, 10 * MIB, file.slice(10 * MIB..)).await.expect(204);
    let object = uploaded(&bucketed.session.grant.get(&path).await.expect(200));
    let download = bucketed.session.download_path(&file_name(&object));
    assert!(bucketed.session.grant.get(&download).await.expect(200).body == file);
    eventually("nothing incomplete is left", || bucketed.incomplete() == 0).await;
    bucketed.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_or_expired_upload_leaves_nothing_in_its_bucket() {
    let settings = [
        ("ATELIER_ENVIRONMENT", "development"),
        ("ATELIER_TEST_BOUNDS", "resumable_expiry_secs=3,sweep_interval_secs=1"),
    ];
    for more in [&[][..], &settings] {
        let bucketed = Bucketed::start(more).await;
        let path = bucketed.begin(&content(21 * MIB), 10 * MIB).await;
        if more.is_empty() {
            assert!(bucketed.incomplete() > 0);
            tus(bucketed.session.grant.delete(&path)).await.expect(204);
        }
        eventually("nothing is left", || bucketed.incomplete() == 0).await;
        bucketed.end().await;
    }
}
