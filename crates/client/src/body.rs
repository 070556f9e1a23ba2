//! The bytes of a file on their way: read from disk in constant memory, counted, hashed, and held back at the end until
//! the file proves to be the same as at the beginning.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use domain::content::object::Sha256Hash;
use futures_util::stream::{self, Stream};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use crate::error::{RequestError, RequestResult};

/// Bytes that are read at once.
const CHUNK_BYTES: u64 = 128 * 1024;

/// The source of a file's bytes.
#[derive(Clone, Debug)]
pub enum FileBody {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file on disk, as it was when it was looked at.
    Path(FileState),
}

/// A file on disk at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was last changed, as far as the system tells.
    pub modified: Option<SystemTime>,
}

/// Receives the number of bytes that were sent or received since the last call.
pub trait Sink: Clone + Send + Sync + 'static {
    /// Bytes have moved. A repeated request moves its bytes again: it first reports a negative number.
    fn moved(&self, bytes: i64);
}

/// Reports nothing.
impl Sink for () {
    fn moved(&self, _: i64) {}
}

impl<F: Fn(i64) + Clone + Send + Sync + 'static> Sink for F {
    fn moved(&self, bytes: i64) {
        self(bytes);
    }
}

impl FileBody {
    /// The file at `path`, to be read when it is sent.
    ///
    /// # Errors
    /// `File` if it can't be looked at.
    pub async fn path(path: impl AsRef<Path>) -> RequestResult<Self> {
        Ok(Self::Path(FileState::of(path.as_ref()).await?))
    }

    /// Number of bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Path(state) => state.size_bytes,
        }
    }
}

impl FileState {
    /// The state of a file now.
    ///
    /// # Errors
    /// `File` if it can't be looked at.
    pub async fn of(path: &Path) -> RequestResult<Self> {
        let looked = tokio::fs::metadata(path).await.map_err(|error| RequestError::file(path, error))?;
        Ok(Self::of_metadata(path, &looked))
    }

    fn of_metadata(path: &Path, looked: &Metadata) -> Self {
        Self { path: path.to_owned(), size_bytes: looked.len(), modified: looked.modified().ok() }
    }

    /// Checks that the file is still as it was.
    ///
    /// # Errors
    /// `FileChanged`; `File` if it can't be looked at.
    pub async fn confirm(&self) -> RequestResult<()> {
        if Self::of(&self.path).await? == *self { Ok(()) } else { Err(self.changed()) }
    }

    /// As [`FileState::confirm`], on a thread that may block.
    pub(crate) fn confirm_blocking(&self) -> RequestResult<()> {
        let looked = std::fs::metadata(&self.path).map_err(|error| RequestError::file(&self.path, error))?;
        if Self::of_metadata(&self.path, &looked) == *self { Ok(()) } else { Err(self.changed()) }
    }

    /// Reads `length` bytes from `offset`.
    ///
    /// # Errors
    /// `FileChanged` if the file is shorter; `File`.
    pub async fn read(&self, offset: u64, length: u64) -> RequestResult<Bytes> {
        let failed = |error| RequestError::file(&self.path, error);
        let mut file = tokio::fs::File::open(&self.path).await.map_err(failed)?;
        file.seek(std::io::SeekFrom::Start(offset)).await.map_err(failed)?;
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        file.take(length).read_to_end(&mut bytes).await.map_err(failed)?;
        if u64::try_from(bytes.len()).ok() == Some(length) { Ok(bytes.into()) } else { Err(self.changed()) }
    }

    pub(crate) fn changed(&self) -> RequestError {
        RequestError::FileChanged { path: self.path.display().to_string() }
    }
}

/// The bytes that attempts at one request have sent, shared by all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentBytes(Arc<Mutex<Sent>>);

#[derive(Debug, Default)]
struct Sent {
    /// Hash of the whole body; `None` before its last byte.
    hash: Option<Sha256Hash>,
    reported: i64,
}

impl SentBytes {
    /// The hash of the whole body; `None` before its last byte.
    pub(crate) fn hash(&self) -> Option<Sha256Hash> {
        self.0.lock().hash
    }

    /// Takes back the reports of an attempt that failed.
    pub(crate) fn take_back<S: Sink>(&self, sink: &S) {
        let reported = std::mem::take(&mut *self.0.lock()).reported;
        if reported != 0 {
            sink.moved(-reported);
        }
    }
}

/// The hash of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> Sha256Hash {
    Sha256Hash(Sha256::digest(bytes).into())
}

/// A body that is being read.
struct Reading<S: Sink> {
    file: Option<tokio::fs::File>,
    rest: Bytes,
    state: Option<FileState>,
    left: u64,
    hash: Sha256,
    sent: SentBytes,
    sink: S,
}

/// The bytes of one attempt. The last chunk of a file on disk is held back until the file is confirmed: a body that is
/// cut short attaches nothing, so that a changed file is never stored.
pub(crate) fn stream<S: Sink>(
    body: &FileBody,
    sent: SentBytes,
    sink: S,
) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    let (rest, state) = match body {
        FileBody::Bytes(bytes) => (bytes.clone(), None),
        FileBody::Path(state) => (Bytes::new(), Some(state.clone())),
    };
    let left = body.size_bytes();
    let hash = Sha256::new();
    if left == 0 {
        sent.0.lock().hash = Some(Sha256Hash(hash.clone().finalize().into()));
    }
    let reading = Reading { file: None, rest, state, left, hash, sent, sink };
    stream::try_unfold(reading, |mut reading| async move {
        let chunk = reading.next().await.map_err(within_io)?;
        Ok(chunk.map(|chunk| (chunk, reading)))
    })
}

impl<S: Sink> Reading<S> {
    async fn next(&mut self) -> RequestResult<Option<Bytes>> {
        if self.left == 0 {
            return Ok(None);
        }
        let length = self.left.min(CHUNK_BYTES);
        let wanted = usize::try_from(length).unwrap_or(usize::MAX);
        let chunk = match &self.state {
            None => self.rest.split_to(wanted.min(self.rest.len())),
            Some(state) => {
                let failed = |error| RequestError::file(&state.path, error);
                let file = match &mut self.file {
                    Some(file) => file,
                    None => self.file.insert(tokio::fs::File::open(&state.path).await.map_err(failed)?),
                };
                let mut bytes = Vec::with_capacity(wanted);
                file.take(length).read_to_end(&mut bytes).await.map_err(failed)?;
                if bytes.len() != wanted {
                    return Err(state.changed());
                }
                if length == self.left {
                    state.confirm().await?;
                }
                Bytes::from(bytes)
            }
        };
        self.hash.update(&chunk);
        self.left -= length;
        let bytes = i64::try_from(chunk.len()).unwrap_or_default();
        let mut sent = self.sent.0.lock();
        sent.reported += bytes;
        // A client that knows the length never asks for the end.
        if self.left == 0 {
            sent.hash = Some(Sha256Hash(self.hash.clone().finalize().into()));
        }
        drop(sent);
        self.sink.moved(bytes);
        Ok(Some(chunk))
    }
}

/// Carries a failure through a library that knows the system's failures alone.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
struct Carried(Mutex<Option<RequestError>>, String);

/// Wraps a failure for a stream of bytes; [`failure_within`] finds it again.
pub(crate) fn within_io(error: RequestError) -> std::io::Error {
    let text = error.to_string();
    std::io::Error::other(Carried(Mutex::new(Some(error)), text))
}

/// The failure that [`within_io`] has wrapped.
pub(crate) fn failure_within(error: &std::io::Error) -> Option<RequestError> {
    let inner = error.get_ref()?;
    inner.downcast_ref::<Carried>()?.0.lock().take()
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;

    use super::{FileBody, SentBytes, sha256, stream};
    use crate::error::RequestError;

    async fn read(body: &FileBody) -> (Result<Vec<u8>, std::io::Error>, SentBytes) {
        let sent = SentBytes::default();
        let chunks: Result<Vec<_>, _> = stream(body, sent.clone(), ()).try_collect().await;
        (chunks.map(|chunks| chunks.concat()), sent)
    }

    #[tokio::test]
    async fn a_file_is_read_whole_and_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
        std::fs::write(&path, &bytes).unwrap();
        let (chunks, sent) = read(&FileBody::path(&path).await.unwrap()).await;
        assert_eq!(chunks.unwrap(), bytes);
        assert_eq!(sent.hash(), Some(sha256(&bytes)));
    }

    #[tokio::test]
    async fn a_file_that_changes_is_not_sent_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        for change in [b"longer than before".as_slice(), b"x", b""] {
            let path = folder.path().join("a");
            std::fs::write(&path, b"as before").unwrap();
            let body = FileBody::path(&path).await.unwrap();
            std::fs::write(&path, change).unwrap();
            let (chunks, sent) = read(&body).await;
            let failure = super::failure_within(&chunks.unwrap_err());
            assert!(matches!(failure, Some(RequestError::FileChanged { .. })), "{failure:?}");
            assert_eq!(sent.hash(), None);
        }
    }

    #[tokio::test]
    async fn an_empty_file_has_a_hash() {
        let (chunks, sent) = read(&FileBody::Bytes(bytes::Bytes::new())).await;
        assert_eq!((chunks.unwrap(), sent.hash()), (Vec::new(), Some(sha256(b""))));
    }
}
