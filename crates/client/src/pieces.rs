//! Uploads in pieces, by tus 1.0. They survive lost connections, and restarts of this process and of the service.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::content::uploads::resumable::ResumableUploadResponse;
use api::planning::cards::attached_files::AttachmentResponse;
use api::planning::cards::attachment_uploads::AttachmentUploadResponse;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::Code;
use domain::content::upload::{ObjectMap, UploadStatus};
use domain::error::Refusal;
use domain::id::ObjectId;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Body, Method, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use url::Url;

use crate::body::{FileState, Sink};
use crate::connection::{Client, failure};
use crate::error::{ErrorAnswer, RequestError, RequestResult};
use crate::grant::{CurrentGrant, Grant};
use crate::piece_body::PieceSource;
use crate::replacement::ReplacedObject;
use crate::retry::Repeat;
use crate::session::Session;

/// Size of the first piece, in bytes. It tells the pace, by which the next ones grow.
pub const PIECE_BYTES: u64 = 32 * 1024 * 1024;
/// The time that a piece takes at the pace of the one before: each costs the service a sync of the disk, and proxies cut
/// requests after a minute. The service keeps what has arrived of a piece that is cut short.
const PIECE_TIME: Duration = Duration::from_secs(30);
/// Smallest piece after refusals and broken connections, in bytes.
const PIECE_MIN_BYTES: u64 = 64 * 1024;
/// Most refused pieces without progress.
const REFUSALS_MAX: u32 = 20;
/// The pause before the offset is asked for again.
const PAUSE: Duration = Duration::from_millis(500);

/// An upload in pieces: to a tree, or to a card with the answer `AttachmentUploadResponse`.
#[derive(Clone, Debug)]
pub struct Pieces<A = ResumableUploadResponse> {
    client: Client,
    grant: Arc<CurrentGrant>,
    url: Url,
    name: String,
    answer: PhantomData<fn() -> A>,
}

/// The answer about an upload in pieces.
pub trait PiecesAnswer: DeserializeOwned {
    /// The result of a finished upload.
    type Sent;

    /// The state, the result of a finished upload, and the reason of a failed one.
    fn outcome(self) -> (UploadStatus, Option<Self::Sent>, Option<Refusal>);
}

impl PiecesAnswer for ResumableUploadResponse {
    type Sent = ObjectMap;

    fn outcome(self) -> (UploadStatus, Option<ObjectMap>, Option<Refusal>) {
        (self.upload.status, self.map, self.upload.failure)
    }
}

impl PiecesAnswer for AttachmentUploadResponse {
    type Sent = AttachmentResponse;

    fn outcome(self) -> (UploadStatus, Option<AttachmentResponse>, Option<Refusal>) {
        let head = self.history_head_id.zip(self.history_head_sequence);
        let sent = self.attachment.zip(head).map(|(attachment, (id, sequence))| AttachmentResponse {
            attachment,
            history_head_id: id,
            history_head_sequence: sequence,
        });
        (self.upload.status, sent, self.upload.failure)
    }
}

/// The request that begins an upload in pieces.
pub(crate) struct FirstRequest<'a> {
    /// Name of the file, with extension.
    pub(crate) name: &'a str,
    /// `Upload-Metadata`.
    pub(crate) metadata: &'a str,
    /// Size of the file in bytes.
    pub(crate) size_bytes: u64,
    /// Idempotency key.
    pub(crate) key: &'a str,
}

/// An upload in pieces that is to be begun.
#[derive(Clone, Copy, Debug)]
pub struct NewPieces<'a> {
    /// The parent of a new file's objects.
    pub parent: ObjectId,
    /// Name of the file, with extension.
    pub name: &'a str,
    /// Size of the file in bytes.
    pub size_bytes: u64,
    /// Idempotency key.
    pub key: &'a str,
    /// The object whose file is replaced; `None` for a new file.
    pub replaces: Option<ReplacedObject>,
}

impl Session {
    /// Begins an upload in pieces. A repeat with the same key answers the same upload.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn begin_pieces(&self, new: &NewPieces<'_>) -> RequestResult<Pieces> {
        let NewPieces { parent, name, size_bytes, key, replaces } = *new;
        let url = self.object_url(&self.urls().resumable_url, replaces.map_or(parent, |object| object.id))?;
        let mut metadata = format!("filename {}", STANDARD.encode(name));
        if let Some(ReplacedObject { id, sha256 }) = replaces {
            let (object, expected) =
                (STANDARD.encode(id.to_string()), STANDARD.encode(format!("\"{sha256}\"")));
            metadata.push_str(&format!(",replaces {object},ifMatch {expected}"));
        }
        Pieces::begin(
            self.client(),
            self.grant(),
            &url,
            FirstRequest { name, metadata: &metadata, size_bytes, key },
        )
        .await
    }

    /// Goes on with an upload in pieces. Its existence shows with the first request.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn pieces(&self, location: &str, name: &str) -> RequestResult<Pieces> {
        Pieces::at(self.client(), self.grant(), location, name).await
    }
}

impl<A: PiecesAnswer> Pieces<A> {
    /// Begins an upload. A repeat with the same key answers the same upload.
    pub(crate) async fn begin(
        client: &Client,
        grant: &Arc<CurrentGrant>,
        url: &Url,
        beginning: FirstRequest<'_>,
    ) -> RequestResult<Self> {
        let FirstRequest { name, metadata, size_bytes, key } = beginning;
        let build = |grant: &Grant| {
            let request = client.with_grant(Method::POST, url.clone(), &grant.token);
            let request = tus(request).header("upload-length", size_bytes);
            Ok(request.header("upload-metadata", metadata).header("idempotency-key", key))
        };
        let response = grant.send(Repeat::Safe, build).await?;
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| client.unexpected(&"an upload without an address"))?;
        // The service says an address, and the grant knows where the service is.
        let path = Url::parse(location).map_or_else(|_| location.to_owned(), |url| url.path().to_owned());
        Self::at(client, grant, &path, name).await
    }

    /// The upload at a path of the data plane.
    async fn at(client: &Client, grant: &Arc<CurrentGrant>, path: &str, name: &str) -> RequestResult<Self> {
        let url = grant.data_url(path).await?;
        let (client, grant) = (client.clone(), Arc::clone(grant));
        Ok(Self { client, grant, url, name: name.to_owned(), answer: PhantomData })
    }

    /// The path by which [`Session::pieces`] finds the upload again.
    pub fn location(&self) -> &str {
        self.url.path()
    }

    /// Sends the rest of a file, and answers what it became. The end of the file is sent only if it is as
    /// it was at the beginning.
    ///
    /// # Errors
    /// Those of every request; 404 if the upload has expired; `File`, `FileChanged`, `Damaged`.
    pub async fn send<S: Sink>(&self, file: &FileState, sink: &S) -> RequestResult<A::Sent> {
        let source = PieceSource::new(file, sink);
        let mut offset = self.offset(file.size_bytes).await?;
        let (mut refusals, mut most, mut limit) = (0, PIECE_BYTES, u64::MAX);
        source.confirm(offset);
        while offset < file.size_bytes {
            let length = most.min(file.size_bytes - offset);
            let begun = Instant::now();
            let reached = match self.append(&source, offset, length).await {
                Ok(reached) => reached,
                Err(error) if may_go_on(&error) && refusals < REFUSALS_MAX => {
                    refusals += 1;
                    most = (length / 2).max(PIECE_MIN_BYTES);
                    if is_too_large(&error) {
                        limit = most;
                    }
                    tokio::time::sleep(PAUSE).await;
                    self.offset(file.size_bytes).await?
                }
                Err(error) => return Err(error),
            };
            if reached > offset {
                refusals = 0;
            }
            if reached == offset + most {
                most = most.max(at_pace(length, begun.elapsed())).min(limit);
            }
            source.confirm(reached);
            offset = reached;
        }
        let (stored, crc64) = self.finish().await?;
        // An upload that began at an older service has none.
        let is_damaged = match crc64 {
            Some(crc64) => crc64 != source.crc64().await?,
            None => false,
        };
        if is_damaged { Err(RequestError::Damaged { name: self.name.clone() }) } else { Ok(stored) }
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
            .ok_or_else(|| self.client.unexpected(&"no offset of the upload"))
    }

    /// Sends a piece; answers the new offset. The service keeps the bytes of a piece that is cut short.
    async fn append<S: Sink>(&self, source: &PieceSource<S>, offset: u64, length: u64) -> RequestResult<u64> {
        let piece = |request: RequestBuilder| {
            tus(request)
                .header("content-type", "application/offset+octet-stream")
                .header("content-length", length)
                .header("upload-offset", offset)
                .timeout(self.client.time_for(length))
                .body(Body::wrap_stream(self.client.paced(source.piece(offset, length))))
        };
        let response = self.request(Method::PATCH, piece).await?;
        Ok(number(response.headers(), "upload-offset").unwrap_or(offset + length))
    }

    /// The result of an upload whose bytes have all arrived, once it is attached, and the CRC-64/NVME of what arrived.
    async fn finish(&self) -> RequestResult<(A::Sent, Option<u64>)> {
        loop {
            let response = self.request(Method::GET, tus).await?;
            let crc64 = header(response.headers(), "upload-crc64nvme");
            let crc64 = crc64.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let body = response.bytes().await.map_err(|error| failure(&self.url, &error))?;
            let answer: A = serde_json::from_slice(&body).map_err(|error| self.client.unexpected(&error))?;
            match answer.outcome() {
                (UploadStatus::Done, Some(sent), _) => return Ok((sent, crc64)),
                (UploadStatus::Failed, _, Some(failure)) => {
                    return Err(RequestError::Refused(Box::new(ErrorAnswer::of_refusal(failure))));
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
        // After a broken piece the offset is asked for, and the next piece may be smaller.
        let repeat = if method == Method::PATCH { Repeat::Unsafe } else { Repeat::Safe };
        let client = &self.client;
        let build = |grant: &Grant| {
            let request = client.with_grant(method.clone(), self.url.clone(), &grant.token);
            Ok(with(request.timeout(client.time_for(0))))
        };
        self.grant.send(repeat, build).await
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
    // An offset that was passed is refused, so that no piece is appended twice.
    let is_unknown = error.answer().is_some_and(ErrorAnswer::is_outcome_unknown);
    conflict || is_unknown || is_too_large(error) || matches!(error, RequestError::Interrupted { .. })
}

/// True for the answer of a proxy that takes less at once.
fn is_too_large(error: &RequestError) -> bool {
    error.answer().is_some_and(|answer| answer.status == 413)
}

/// Number of bytes of a piece that takes [`PIECE_TIME`] if `length` took `time`.
fn at_pace(length: u64, time: Duration) -> u64 {
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    let time = u64::try_from(PIECE_TIME.as_millis()).unwrap_or(u64::MAX);
    length.saturating_mul(time) / millis
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    header(headers, name)?.parse().ok()
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    Some(headers.get(name)?.to_str().ok()?.trim())
}
