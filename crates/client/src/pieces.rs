//! Uploads in pieces, by tus 1.0. They survive lost connections, and restarts of this process and of the service.

use std::time::Duration;

use api::uploads::ResumableUploadResponse;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::Code;
use domain::id::ObjectId;
use domain::object::Sha256Hash;
use domain::upload::{ObjectMap, UploadStatus};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, RequestBuilder, Response};
use sha2::{Digest, Sha256};
use url::Url;

use crate::body::{FileState, Sink, sha256};
use crate::connection::failure;
use crate::error::{ErrorAnswer, RequestError, RequestResult};
use crate::grant::Grant;
use crate::retry::Repeat;
use crate::session::{Session, owns, timeout};

/// Size of a piece, in bytes: one is in memory at a time.
pub const PIECE_BYTES: u64 = 4 * 1024 * 1024;
/// Most refused pieces without progress.
const REFUSALS_MAX: u32 = 20;
/// The pause before the offset is asked for again.
const PAUSE: Duration = Duration::from_millis(500);

/// An upload in pieces.
#[derive(Clone, Debug)]
pub struct Pieces {
    session: Session,
    url: Url,
    name: String,
}

impl Session {
    /// Begins an upload in pieces. A repeat with the same key answers the same upload.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn begin_pieces(
        &self,
        parent: ObjectId,
        name: &str,
        size_bytes: u64,
        key: &str,
    ) -> RequestResult<Pieces> {
        let url = self.resumable_url(parent)?;
        let metadata = format!("filename {}", STANDARD.encode(name));
        let build = |grant: &Grant| {
            let request = self.client().with_grant(Method::POST, url.clone(), &grant.token);
            let request = tus(request).header("upload-length", size_bytes);
            Ok(request.header("upload-metadata", &metadata).header("idempotency-key", key))
        };
        let response = self.send(Repeat::Safe, build).await?;
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| self.client().unexpected(&"an upload without an address"))?;
        self.pieces(location, name).await
    }

    /// Goes on with an upload in pieces. Its existence shows with the first request.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn pieces(&self, location: &str, name: &str) -> RequestResult<Pieces> {
        let url = self.data_url(location).await?;
        Ok(Pieces { session: self.clone(), url, name: name.to_owned() })
    }
}

impl Pieces {
    /// The path by which [`Session::pieces`] finds the upload again.
    pub fn location(&self) -> &str {
        self.url.path()
    }

    /// Sends the rest of a file, and answers the objects that were made of it. The last piece is sent only if the file is
    /// as it was at the beginning.
    ///
    /// # Errors
    /// Those of every request; 404 if the upload has expired; `File`, `FileChanged`, `Damaged`.
    pub async fn send<S: Sink>(&self, file: &FileState, sink: &S) -> RequestResult<ObjectMap> {
        let mut hash = FileHash::default();
        let mut offset = self.offset(file.size_bytes).await?;
        sink.moved(signed(offset));
        let mut refusals = 0;
        while offset < file.size_bytes {
            let length = PIECE_BYTES.min(file.size_bytes - offset);
            let piece = file.read(offset, length).await?;
            if offset + length == file.size_bytes {
                file.confirm().await?;
            }
            hash.follow(offset, &piece);
            let reached = match self.append(offset, piece).await {
                Ok(reached) => reached,
                Err(error) if may_go_on(&error) && refusals < REFUSALS_MAX => {
                    refusals += 1;
                    tokio::time::sleep(PAUSE).await;
                    self.offset(file.size_bytes).await?
                }
                Err(error) => return Err(error),
            };
            if reached > offset {
                refusals = 0;
            }
            sink.moved(signed(reached) - signed(offset));
            offset = reached;
        }
        let stored = self.finish().await?;
        let hash = hash.of(file).await?;
        if owns(&stored, &hash) { Ok(stored) } else { Err(RequestError::Damaged { name: self.name.clone() }) }
    }

    /// Cancels the upload.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn cancel(&self) -> RequestResult<()> {
        match self.request(Method::DELETE, tus).await {
            Err(error) if error.is_not_found() => Ok(()),
            answered => answered.map(drop),
        }
    }

    /// Number of bytes that have arrived.
    async fn offset(&self, size_bytes: u64) -> RequestResult<u64> {
        let response = self.request(Method::HEAD, tus).await?;
        let offset = number(response.headers(), "upload-offset");
        offset
            .filter(|offset| *offset <= size_bytes)
            .ok_or_else(|| self.session.client().unexpected(&"no offset of the upload"))
    }

    /// Sends a piece; answers the new offset.
    async fn append(&self, offset: u64, piece: Bytes) -> RequestResult<u64> {
        let checksum = format!("sha256 {}", STANDARD.encode(sha256(&piece).0));
        let length = u64::try_from(piece.len()).unwrap_or_default();
        let response = self
            .request(Method::PATCH, |request| {
                tus(request)
                    .header("content-type", "application/offset+octet-stream")
                    .header("upload-offset", offset)
                    .header("upload-checksum", &checksum)
                    .timeout(timeout(length))
                    .body(piece.clone())
            })
            .await?;
        Ok(number(response.headers(), "upload-offset").unwrap_or(offset + length))
    }

    /// The objects of an upload whose bytes have all arrived, once its conversion is done.
    async fn finish(&self) -> RequestResult<ObjectMap> {
        loop {
            let response = self.request(Method::GET, tus).await?;
            let body = response.bytes().await.map_err(|error| failure(&self.url, &error))?;
            let ResumableUploadResponse { upload, map } =
                serde_json::from_slice(&body).map_err(|error| self.session.client().unexpected(&error))?;
            match (upload.status, map, upload.failure) {
                (UploadStatus::Done, Some(map), _) => return Ok(map),
                (UploadStatus::Failed, _, Some(failure)) => {
                    let mut answer = ErrorAnswer::of_body(422, b"");
                    answer.code = Some(failure.code);
                    answer.message = failure.message;
                    answer.details = failure.details;
                    return Err(RequestError::Refused(Box::new(answer)));
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn request(
        &self,
        method: Method,
        with: impl Fn(RequestBuilder) -> RequestBuilder + Send + Sync,
    ) -> RequestResult<Response> {
        let client = self.session.client();
        let build = |grant: &Grant| {
            let request = client.with_grant(method.clone(), self.url.clone(), &grant.token);
            Ok(with(request.timeout(timeout(0))))
        };
        // An offset that was passed is refused, so that no piece is appended twice.
        self.session.send(Repeat::Safe, build).await
    }
}

/// The hash of a file, computed along with its pieces as far as they come in order.
#[derive(Default)]
struct FileHash {
    hash: Sha256,
    to: u64,
}

impl FileHash {
    fn follow(&mut self, offset: u64, piece: &[u8]) {
        if offset == self.to {
            self.hash.update(piece);
            self.to += u64::try_from(piece.len()).unwrap_or_default();
        }
    }

    /// The hash of the whole file. Pieces that an earlier run has sent are read from disk.
    async fn of(mut self, file: &FileState) -> RequestResult<Sha256Hash> {
        while self.to < file.size_bytes {
            let piece = file.read(self.to, PIECE_BYTES.min(file.size_bytes - self.to)).await?;
            self.follow(self.to, &piece);
        }
        Ok(Sha256Hash(self.hash.finalize().into()))
    }
}

fn tus(request: RequestBuilder) -> RequestBuilder {
    request.header("tus-resumable", "1.0.0")
}

/// True if the offset should be asked for again: it was wrong, another request writes, or bytes were damaged.
fn may_go_on(error: &RequestError) -> bool {
    let conflict = matches!(
        error.code(),
        Some(Code::UploadOffsetMismatch | Code::UploadInProgress | Code::ChecksumMismatch)
    );
    conflict || matches!(error, RequestError::Interrupted { .. })
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
