//! A blob that arrives in pieces: what lies in the store between two of them, and how the next goes on.
//!
//! The hash goes on from its own state, kept with the offset: to read 2 GiB again at the end would take as long as to
//! write them. The state is that of RustCrypto's `sha2`, which has a stable form for this purpose.

use bytes::Bytes;
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::batch::Batch;
use super::hashing::{Checksum, Hashing};
use super::lane::Lane;
use super::s3::partial::Position;
use super::sink::Sink;
use super::{BlobKey, Blobs, Stored, Writer};

/// What it takes to go on behind the bytes that are durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Bytes that are durable.
    pub size_bytes: u64,
    /// The state of their hash, in hexadecimal.
    sha256_state: String,
    /// Where they are in a bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bucket: Option<Position>,
}

impl Checkpoint {
    /// That of a blob of which nothing has arrived.
    pub fn start() -> Self {
        Self { size_bytes: 0, sha256_state: hex::encode(Hashing::new().state()), bucket: None }
    }
}

/// A blob on its way into the store that may stop at any time: what was made durable stays.
#[derive(Debug)]
pub struct ResumableWriter {
    writer: Writer,
    checksum: Option<Checksum>,
}

impl Blobs {
    /// Goes on with a blob behind `checkpoint`; bytes that lie in the store beyond it are forgotten. `checksum` is what
    /// the bytes from here on must have where they are to be kept.
    ///
    /// # Errors
    /// `UPLOAD_IN_PROGRESS` where another writer has it; `UNAVAILABLE`; `INTERNAL_ERROR` where the bytes are gone.
    pub async fn resume(
        &self,
        key: BlobKey,
        checkpoint: &Checkpoint,
        checksum: Option<Checksum>,
    ) -> Result<ResumableWriter> {
        let size_bytes = checkpoint.size_bytes;
        let sink = match self.clone() {
            Self::Local(folder) => {
                let partial = spawn_blocking(move || folder.resume(key, size_bytes)).await;
                Sink::LocalPartial(Lane::new(partial.map_err(Error::internal)??))
            }
            Self::S3(bucket) => {
                let position = checkpoint.bucket.clone().unwrap_or_default();
                Sink::S3Partial(Lane::new(bucket.resume(key, position).await?))
            }
        };
        let state = hex::decode(&checkpoint.sha256_state).map_err(Error::internal)?;
        let hashing = Lane::new(Hashing::resume(&state, checksum.as_ref())?);
        let writer = Writer { batch: Batch::at(size_bytes), size_bytes, hashing, sink };
        Ok(ResumableWriter { writer, checksum })
    }

    /// Removes what lies in the store of a blob that did not become one.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn discard(&self, key: BlobKey, checkpoint: &Checkpoint) -> Result<()> {
        match self {
            Self::Local(folder) => folder.discard(key.upload).await,
            Self::S3(bucket) => bucket.discard(key, checkpoint.bucket.clone().unwrap_or_default()).await,
        }
    }

    /// The uploads of which something incomplete has lain in the store, unchanged, since before `time`. In a bucket
    /// that shows only as far as an object of their own holds their last bytes.
    pub fn list_partial_older(&self, time: Timestamp) -> BoxStream<'static, Result<UploadId>> {
        match self.clone() {
            Self::Local(folder) => {
                let listed = async move {
                    let found = spawn_blocking(move || folder.partial_older(time)).await;
                    stream::iter(match found.map_err(Error::internal).flatten() {
                        Ok(found) => found.into_iter().map(Ok).collect(),
                        Err(error) => vec![Err(error)],
                    })
                };
                stream::once(listed).flatten().boxed()
            }
            Self::S3(bucket) => bucket.partial_older(time),
        }
    }

    /// Removes what lies in the store under the name of an upload that nobody knows.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn discard_unknown(&self, upload: UploadId) -> Result<()> {
        match self {
            Self::Local(folder) => folder.discard(upload).await,
            Self::S3(bucket) => bucket.discard_tails(upload, None).await,
        }
    }
}

impl ResumableWriter {
    /// Number of bytes taken so far, with those before this piece.
    pub fn size_bytes(&self) -> u64 {
        self.writer.size_bytes()
    }

    /// Takes the next bytes. May return before they are stored.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.writer.write(bytes).await
    }

    /// Makes everything that was taken durable, and returns what it takes to go on behind it.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the store failed.
    pub async fn checkpoint(&mut self) -> Result<Checkpoint> {
        let batch = self.writer.hash_batch();
        let bucket = self.writer.sink.checkpoint(batch).await?;
        let hashing = self.writer.hashing.finish().await?;
        let sha256_state = hex::encode(hashing.state());
        self.writer.hashing = Lane::new(hashing);
        Ok(Checkpoint { size_bytes: self.writer.size_bytes(), sha256_state, bucket })
    }

    /// Whether only the whole piece counts, or nothing of it.
    pub fn is_all_or_nothing(&self) -> bool {
        self.checksum.is_some()
    }

    /// Compares the piece with its checksum, once all of it was taken and made durable.
    ///
    /// # Errors
    /// `CHECKSUM_MISMATCH`.
    pub async fn verify(&mut self) -> Result<()> {
        let Some(checksum) = &self.checksum else { return Ok(()) };
        let hashing = self.writer.hashing.finish().await?;
        let matches = hashing.piece_is(checksum);
        self.writer.hashing = Lane::new(hashing);
        if matches {
            return Ok(());
        }
        Err(Error::new(Code::ChecksumMismatch, "The bytes are not those that the checksum was made of."))
    }

    /// Makes the blob visible and durable. May be repeated by a writer that was resumed at the same place, also where
    /// the blob had become visible before.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the store failed; the bytes are still there.
    pub async fn finish(self) -> Result<Stored> {
        self.writer.finish().await
    }
}
