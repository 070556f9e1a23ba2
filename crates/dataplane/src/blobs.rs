//! The object store: a local folder, or a bucket of an S3-compatible service.
//!
//! A blob is immutable and named by ids alone; its bytes are hashed while they are stored. The database, not this
//! module, knows which blobs a project refers to.

mod batch;
pub mod hashing;
mod lane;
pub mod local;
pub mod resumable;
pub mod s3;
mod sink;

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::str::FromStr;

use bytes::Bytes;
use domain::content::object::Sha256Hash;
use domain::id::{ProjectId, UploadId};
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio::task::spawn_blocking;

use self::batch::Batch;
use self::hashing::UploadHashes;
use self::lane::Lane;
use self::local::BlobFolder;
use self::s3::Bucket;
use self::sink::Sink;

/// Approximate size of a batch. Large enough that passing it between threads costs little and a disk writes several
/// parts of it in parallel; small enough that several uploads fit in memory.
const BATCH_BYTES: usize = 1024 * 1024;

/// Files up to this size are hashed on the receiving thread: waking another one takes longer than hashing.
const HASHED_HERE_BYTES: u64 = 32 * 1024;

/// The name of a blob, `<projectId>/<uploadId>`. It contains no text chosen by a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobKey {
    /// The project that the file belongs to.
    pub project: ProjectId,
    /// The upload that created it; a fresh id for a file that a conversion produced.
    pub upload: UploadId,
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.upload)
    }
}

impl FromStr for BlobKey {
    type Err = InvalidBlobKey;

    fn from_str(text: &str) -> Result<Self, InvalidBlobKey> {
        let (project, upload) = text.split_once('/').ok_or(InvalidBlobKey)?;
        let key = Self {
            project: project.parse().map_err(|_| InvalidBlobKey)?,
            upload: upload.parse().map_err(|_| InvalidBlobKey)?,
        };
        // One spelling only: a listed blob must have the same name in the database.
        if key.to_string() == text { Ok(key) } else { Err(InvalidBlobKey) }
    }
}

/// A text that is not `<projectId>/<uploadId>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidBlobKey;

impl fmt::Display for InvalidBlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a blob is named `<projectId>/<uploadId>`")
    }
}

impl std::error::Error for InvalidBlobKey {}

/// The size and hash of a blob that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBlob {
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256 of the bytes.
    pub sha256: Sha256Hash,
}

/// A store of blobs. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Blobs {
    /// A folder of this machine, or one that several machines mount.
    Local(BlobFolder),
    /// A bucket.
    S3(Bucket),
}

impl Blobs {
    /// Starts storing a blob. It becomes visible under `key` with [`BlobWriter::finish`]; a writer dropped earlier
    /// leaves nothing behind.
    pub fn create(&self, key: BlobKey) -> BlobWriter {
        let sink = match self {
            Self::Local(folder) => Sink::Local(Lane::new(folder.stage(key))),
            Self::S3(bucket) => Sink::S3(Lane::new(bucket.upload(key))),
        };
        BlobWriter { batch: Batch::default(), size_bytes: 0, hashing: Lane::new(UploadHashes::new()), sink }
    }

    /// The bytes of a blob in `range`, which must lie within it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the blob is missing, because callers only ask for blobs that exist;
    /// `UNAVAILABLE` if the store can't be read. Both may also occur within the stream.
    pub async fn read(&self, key: BlobKey, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        match self {
            Self::Local(folder) => folder.read(key, range).await,
            Self::S3(bucket) => bucket.read(key, range).await,
        }
    }

    /// A local file with the blob's bytes, open for reading: the blob's own file, or an unnamed temporary copy that
    /// disappears when it is closed.
    ///
    /// # Errors
    /// As [`Blobs::read`].
    pub async fn open(&self, key: BlobKey, size_bytes: u64) -> Result<File> {
        match self {
            Self::Local(folder) => folder.open_blob(key).await,
            Self::S3(bucket) => copy(bucket.read(key, 0..size_bytes).await?).await,
        }
    }

    /// Removes a blob. Succeeds if the blob does not exist.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete(&self, key: BlobKey) -> Result<()> {
        match self {
            Self::Local(folder) => folder.delete(key).await,
            Self::S3(bucket) => bucket.delete(key).await,
        }
    }

    /// Removes blobs to which nothing refers any more, as far as the store answers. Others are left to the sweep.
    pub async fn remove_unneeded(&self, keys: &[String]) {
        for blob in keys.iter().filter_map(|key| key.parse::<BlobKey>().ok()) {
            if let Err(error) = self.delete(blob).await {
                tracing::warn!(%blob, %error, "unneeded blob not removed; left to the sweep");
            }
        }
    }

    /// Every blob stored before `time`, in no order. Skips entries that are not blobs.
    pub fn list_older(&self, time: Timestamp) -> BoxStream<'static, Result<BlobKey>> {
        match self {
            Self::Local(folder) => folder.list_older(time),
            Self::S3(bucket) => bucket.list_older(time),
        }
    }

    /// True if [`Blobs::list_older`] measures age from the blob's completion. A bucket may measure from the start of
    /// the upload.
    pub fn tells_age(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// Removes half-written files of dead processes from a folder. Half-finished uploads to a bucket are not
    /// visible here; a lifecycle rule of the bucket expires them (`docs/operations.md`).
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn remove_abandoned(&self) -> Result<u64> {
        match self {
            Self::Local(folder) => folder.remove_abandoned().await,
            Self::S3(_) => Ok(0),
        }
    }

    /// Checks that the store answers.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn check(&self) -> Result<()> {
        match self {
            Self::Local(folder) => folder.check().await,
            Self::S3(bucket) => bucket.check().await,
        }
    }
}

/// Streams a blob into the store. While one batch is received, earlier batches are hashed and written on two other
/// threads. Memory stays at a few batches, and a slow store slows the sender down.
#[derive(Debug)]
pub struct BlobWriter {
    batch: Batch,
    size_bytes: u64,
    hashing: Lane<UploadHashes>,
    sink: Sink,
}

impl BlobWriter {
    /// Number of bytes taken so far.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Accepts the next bytes. May return before they are stored.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed, possibly on earlier bytes (disk full, bucket unreachable). After an error
    /// the writer can only be dropped.
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.size_bytes =
            self.size_bytes.saturating_add(u64::try_from(bytes.len()).map_err(Error::internal)?);
        self.batch.push(&bytes);
        if self.batch.len() < BATCH_BYTES {
            return Ok(());
        }
        self.hashing.ready().await?;
        self.sink.ready().await?;
        let batch = self.hash_batch();
        self.sink.push(batch);
        Ok(())
    }

    /// Takes the current batch and queues it for hashing.
    fn hash_batch(&mut self) -> Bytes {
        let batch = self.batch.take();
        let hashed = batch.clone();
        self.hashing.push(move |mut hashing| {
            hashing.update(&hashed);
            Ok(hashing)
        });
        batch
    }

    /// Makes the blob visible and durable.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the store failed; the blob is then gone.
    pub async fn finish(mut self) -> Result<StoredBlob> {
        let last = if self.size_bytes > HASHED_HERE_BYTES {
            self.hash_batch()
        } else {
            let last = self.batch.take();
            let mut hashing = self.hashing.finish().await?;
            hashing.update(&last);
            self.hashing = Lane::new(hashing);
            last
        };
        self.sink.commit(last).await?;
        let sha256 = self.hashing.finish().await?.finish();
        Ok(StoredBlob { size_bytes: self.size_bytes, sha256 })
    }
}

/// Copies the bytes to an unnamed temporary file, positioned at its start.
async fn copy(mut bytes: BoxStream<'static, Result<Bytes>>) -> Result<File> {
    let file = spawn_blocking(tempfile::tempfile).await.map_err(Error::internal)?;
    let mut file = tokio::fs::File::from_std(file.map_err(Error::unavailable)?);
    while let Some(bytes) = bytes.try_next().await? {
        file.write_all(&bytes).await.map_err(Error::unavailable)?;
    }
    file.rewind().await.map_err(Error::unavailable)?;
    Ok(file.into_std().await)
}
