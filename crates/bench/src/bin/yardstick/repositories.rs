//! Git's HTTP server, `git http-backend`, run as a web server does: a process for each request.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;

use actix_web::error::ErrorInternalServerError;
use actix_web::web::{self, Bytes, Data, PayloadConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpResponseBuilder, HttpServer};
use anyhow::{Context, Result};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

/// Size limit of a request, above all that are sent.
const LIMIT_BYTES: usize = 16 * 1024 * 1024;
/// Size of a chunk of an answer.
const BUFFER_BYTES: usize = 256 * 1024;

/// Serves the repositories of a folder until the process is killed.
///
/// # Errors
/// The address can't be bound.
#[tokio::main]
pub(crate) async fn serve(listen: SocketAddr, folder: PathBuf) -> Result<()> {
    let folder = Data::new(folder);
    let app = move || {
        App::new()
            .app_data(folder.clone())
            .app_data(PayloadConfig::new(LIMIT_BYTES))
            .default_service(web::to(answer))
    };
    Ok(HttpServer::new(app).bind(listen)?.run().await?)
}

async fn answer(folder: Data<PathBuf>, request: HttpRequest, body: Bytes) -> actix_web::Result<HttpResponse> {
    run(&folder, &request, body).await.map_err(ErrorInternalServerError)
}

/// Answers a request by Git, as CGI defines it.
async fn run(folder: &PathBuf, request: &HttpRequest, body: Bytes) -> Result<HttpResponse> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut git = Command::new("git");
    git.arg("http-backend").stdin(Stdio::piped()).stdout(Stdio::piped());
    git.env("GIT_PROJECT_ROOT", folder).env("GIT_HTTP_EXPORT_ALL", "1");
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env("REQUEST_METHOD", request.method().as_str()).env("PATH_INFO", request.path());
    git.env("QUERY_STRING", request.query_string()).env("CONTENT_TYPE", header("content-type"));
    git.env("CONTENT_LENGTH", body.len().to_string()).env("GIT_PROTOCOL", header("git-protocol"));
    git.env("HTTP_CONTENT_ENCODING", header("content-encoding"));
    let mut git = git.spawn()?;
    git.stdin.take().context("no input")?.write_all(&body).await?;
    let mut said = BufReader::with_capacity(BUFFER_BYTES, git.stdout.take().context("no output")?);

    let mut response = HttpResponse::Ok();
    loop {
        let mut line = String::new();
        said.read_line(&mut line).await?;
        match line.trim_end().split_once(": ") {
            Some(("Status", _)) => anyhow::bail!("git http-backend: {line}"),
            Some(header) => add(&mut response, header),
            None => break,
        }
    }
    let chunks = futures_util::stream::unfold((said, git), async |(mut said, git)| {
        let mut chunk = Vec::with_capacity(BUFFER_BYTES);
        match said.read_buf(&mut chunk).await {
            Ok(0) => None,
            read => Some((read.map(|_| Bytes::from(chunk)), (said, git))),
        }
    });
    Ok(response.streaming(chunks))
}

fn add(response: &mut HttpResponseBuilder, header: (&str, &str)) {
    response.insert_header(header);
}
