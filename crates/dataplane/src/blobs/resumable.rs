//! A blob that arrives in pieces: its state between two pieces, and how the next piece resumes.
//!
//! The hash resumes from its own state, stored with the offset: reading 2 GiB again at the end would take as long as
//! writing them. RustCrypto's `sha2` defines a stable form of that state for this purpose.

use bytes::Bytes;
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::batch::Batch;
use super::hashing::{Checksum, UploadHashes};
use super::lane::Lane;
use super::s3::partial::PartialLocation;
use super::sink::Sink;
use super::{BlobKey, BlobWriter, Blobs, StoredBlob};

/// The state from which a resumable blob continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Durable bytes.
    pub size_bytes: u64,
    /// The state of their hash, hexadecimal.
    sha256_state: String,
    /// Their CRC-64/NVME; `None` of an upload that began before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crc64: Option<u64>,
    /// Their position in a bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bucket: Option<PartialLocation>,
}

impl Checkpoint {
    /// The checkpoint of an empty blob.
    pub fn start() -> Self {
        let sha256_state = hex::encode(UploadHashes::new().state());
        Self { size_bytes: 0, sha256_state, crc64: Some(0), bucket: None }
    }
}

/// Streams a blob into the store and may stop at any time; bytes up to the last checkpoint stay.
#[derive(Debug)]
pub struct ResumableWriter {
    writer: BlobWriter,
    checksum: Option<Checksum>,
}

impl Blobs {
    /// Resumes a blob at `checkpoint`; stored bytes beyond it are discarded. `checksum` is the expected checksum of the
    /// piece that follows.
    ///
    /// # Errors
    /// `UPLOAD_IN_PROGRESS` if another writer has the blob; `UNAVAILABLE`; `INTERNAL_ERROR` if the bytes are missing.
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
        let hashing = Lane::new(UploadHashes::resume(&state, checkpoint.crc64, checksum.as_ref())?);
        let writer = BlobWriter { batch: Batch::at(size_bytes), size_bytes, hashing, sink };
        Ok(ResumableWriter { writer, checksum })
    }

    /// Removes the stored bytes of an incomplete blob.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn discard(&self, key: BlobKey, checkpoint: &Checkpoint) -> Result<()> {
        match self {
            Self::Local(folder) => folder.discard(key.upload).await,
            Self::S3(bucket) => bucket.discard(key, checkpoint.bucket.clone().unwrap_or_default()).await,
        }
    }

    /// The uploads whose incomplete bytes have been unchanged since before `time`. A bucket only lists those with a
    /// tail object.
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

    /// Removes the stored bytes of an upload that the database does not know.
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
    /// Number of bytes accepted so far, earlier pieces included.
    pub fn size_bytes(&self) -> u64 {
        self.writer.size_bytes()
    }

    /// Accepts the next bytes. May return before they are stored.
    ///
    /// # Errors
    /// As [`BlobWriter::write`].
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.writer.write(bytes).await
    }

    /// Makes all accepted bytes durable and returns the checkpoint behind them.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed.
    pub async fn checkpoint(&mut self) -> Result<Checkpoint> {
        let batch = self.writer.hash_batch();
        let bucket = self.writer.sink.checkpoint(batch).await?;
        let hashing = self.writer.hashing.finish().await?;
        let (sha256_state, crc64) = (hex::encode(hashing.state()), hashing.crc64());
        self.writer.hashing = Lane::new(hashing);
        Ok(Checkpoint { size_bytes: self.writer.size_bytes(), sha256_state, crc64, bucket })
    }

    /// True if a partial piece must be discarded, because the piece has a checksum.
    pub fn is_all_or_nothing(&self) -> bool {
        self.checksum.is_some()
    }

    /// Compares the durable piece with its checksum.
    ///
    /// # Errors
    /// `CHECKSUM_MISMATCH`.
    pub async fn verify(&mut self) -> Result<()> {
        let Some(checksum) = &self.checksum else { return Ok(()) };
        let hashing = self.writer.hashing.finish().await?;
        let matches = hashing.piece_matches(checksum);
        self.writer.hashing = Lane::new(hashing);
        if matches {
            return Ok(());
        }
        Err(Error::new(Code::ChecksumMismatch, "The bytes are not those that the checksum was made of."))
    }

    /// Makes the blob visible and durable. A writer resumed at the same checkpoint may repeat this, even if the blob is
    /// already visible.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed; the bytes stay.
    pub async fn finish(self) -> Result<StoredBlob> {
        self.writer.finish().await
    }
}
