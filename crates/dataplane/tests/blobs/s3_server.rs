//! A real S3-compatible server (s3s-fs) inside the test's process, with one bucket.

use std::fs;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// The server's bucket.
pub const BUCKET: &str = "files";
/// The only access key of the server.
pub const KEY_ID: &str = "id";
/// The key's secret.
pub const SECRET: &str = "secret";

/// A running server.
pub struct Server {
    /// URL of the server.
    pub endpoint: String,
    /// Folder of the server's objects.
    pub folder: TempDir,
}

impl Server {
    /// Starts a server with an empty bucket, for the duration of the test.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
        let service = builder.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    // A connection closed by the client is not a failure.
                    let _closed = Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        Self { endpoint, folder }
    }
}
