//! A bare actix-web handler: receives a small body and writes it to a file, without users, projects, a database or a
//! hash.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use actix_web::web::{Bytes, Data, PayloadConfig, post};
use actix_web::{App, HttpResponse, HttpServer};
use anyhow::Result;

/// Size limit of a body, above all that are sent.
const LIMIT_BYTES: usize = 1024 * 1024;

/// The folder, and the number of the next file.
struct Files {
    folder: PathBuf,
    next: AtomicU64,
}

/// Serves until the process is killed.
///
/// # Errors
/// The address can't be bound.
#[tokio::main]
pub(crate) async fn serve(listen: SocketAddr, folder: PathBuf) -> Result<()> {
    let files = Data::new(Files { folder, next: AtomicU64::new(0) });
    let app = move || {
        App::new()
            .app_data(files.clone())
            .app_data(PayloadConfig::new(LIMIT_BYTES))
            .default_service(post().to(store))
    };
    Ok(HttpServer::new(app).bind(listen)?.run().await?)
}

async fn store(files: Data<Files>, body: Bytes) -> actix_web::Result<HttpResponse> {
    let name = files.next.fetch_add(1, Ordering::Relaxed).to_string();
    tokio::fs::write(Path::new(&files.folder).join(name), body).await?;
    Ok(HttpResponse::Ok().finish())
}
