//! Blobs in a folder, at `blobs/<projectId>/<uploadId>`. Blobs of more than one batch are written under `tmp/` first.
//!
//! A writer locks its file under `tmp/`, also against processes and machines that share the folder. An unlocked file
//! therefore has no writer and can be removed at any time. A finished blob is synced before it is renamed into place,
//! and its folder afterwards, because the database then commits a reference to it.
//!
//! A blob of a single batch is written in place. A writer that dies leaves a file that the database does not refer
//! to; the sweep removes it.

pub(in crate::blobs) mod partial;
mod synced;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use time::OffsetDateTime;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_util::io::ReaderStream;
use uuid::Uuid;

use self::synced::SyncedFile;
use super::BlobKey;

/// Read buffer of a download, in bytes.
const READ_BYTES: usize = 256 * 1024;

/// A folder of blobs.
#[derive(Clone, Debug)]
pub struct BlobFolder {
    root: Arc<Path>,
}

impl BlobFolder {
    /// Opens the folder at `root`; creates it if it does not exist.
    ///
    /// # Errors
    /// The folder can't be created.
    pub fn open(root: &Path) -> io::Result<Self> {
        let folder = Self { root: root.into() };
        fs::create_dir_all(folder.blobs())?;
        fs::create_dir_all(folder.staging())?;
        fs::create_dir_all(folder.partials())?;
        Ok(folder)
    }

    pub(super) fn stage(&self, key: BlobKey) -> StagedBlob {
        StagedBlob { folder: self.clone(), key, temp: None }
    }

    pub(super) async fn read(
        &self,
        key: BlobKey,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes>>> {
        let mut file = self.file(key).await?;
        if range.start > 0 {
            file.seek(SeekFrom::Start(range.start)).await.map_err(Error::unavailable)?;
        }
        let bytes = file.take(range.end.saturating_sub(range.start));
        Ok(ReaderStream::with_capacity(bytes, READ_BYTES).map_err(Error::unavailable).boxed())
    }

    pub(super) async fn open_blob(&self, key: BlobKey) -> Result<File> {
        Ok(self.file(key).await?.into_std().await)
    }

    async fn file(&self, key: BlobKey) -> Result<tokio::fs::File> {
        tokio::fs::File::open(self.path(key)).await.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::internal(error),
            _ => Error::unavailable(error),
        })
    }

    pub(super) async fn delete(&self, key: BlobKey) -> Result<()> {
        match tokio::fs::remove_file(self.path(key)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::unavailable(error)),
            _ => Ok(()),
        }
    }

    pub(super) fn list_older(&self, time: Timestamp) -> BoxStream<'static, Result<BlobKey>> {
        let (keys, listed) = mpsc::channel(64);
        let root = self.blobs();
        spawn_blocking(move || {
            // The receiver is gone if the sweep was abandoned.
            if let Err(error) = list_into(&keys, &root, time) {
                let _gone = keys.blocking_send(Err(Error::unavailable(error)));
            }
        });
        stream::unfold(listed, async |mut listed| Some((listed.recv().await?, listed))).boxed()
    }

    pub(super) async fn remove_abandoned(&self) -> Result<u64> {
        let staging = self.staging();
        let removed = spawn_blocking(move || remove_unlocked(&staging)).await.map_err(Error::internal)?;
        removed.map_err(Error::unavailable)
    }

    pub(super) async fn check(&self) -> Result<()> {
        tokio::fs::metadata(self.staging()).await.map(|_| ()).map_err(Error::unavailable)
    }

    fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    fn staging(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn partials(&self) -> PathBuf {
        self.root.join("partial")
    }

    fn path(&self, key: BlobKey) -> PathBuf {
        self.blobs().join(key.to_string())
    }
}

/// A blob in progress under `tmp/`; dropping it removes the file. Its methods block.
#[derive(Debug)]
pub(super) struct StagedBlob {
    folder: BlobFolder,
    key: BlobKey,
    /// The temporary file, created with the first batch.
    temp: Option<(SyncedFile, TempPath)>,
}

impl StagedBlob {
    pub(super) fn write(&mut self, batch: &[Bytes]) -> Result<()> {
        self.open()?.write(batch)
    }

    pub(super) fn commit(mut self, last: &[Bytes]) -> Result<()> {
        let target = self.folder.path(self.key);
        let Some((mut file, path)) = self.temp.take() else { return write_whole(&target, last) };
        file.write(last)?;
        file.sync()?;
        path.persist(&target).map_err(Error::unavailable)
    }

    fn open(&mut self) -> Result<&mut SyncedFile> {
        let temp = match self.temp.take() {
            Some(temp) => temp,
            None => {
                let (file, path) = TempPath::create(&self.folder.staging()).map_err(Error::unavailable)?;
                (SyncedFile::new(file, &path.0, 0), path)
            }
        };
        Ok(&mut self.temp.insert(temp).0)
    }
}

/// The path of a file that is removed on drop; empty once the file is to stay.
#[derive(Debug)]
struct TempPath(PathBuf);

impl TempPath {
    /// Creates a locked file in a folder.
    fn create(folder: &Path) -> io::Result<(File, Self)> {
        loop {
            let path = folder.join(Uuid::new_v4().to_string());
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            // A cleanup may remove the file between the two steps; then another one is created.
            let ours = match file.try_lock() {
                Ok(()) => file.metadata()?.nlink() == 1,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(error)) => return Err(error),
            };
            if ours {
                return Ok((file, Self(path)));
            }
        }
    }

    /// Renames the file to its final name and syncs its folder.
    fn persist(mut self, target: &Path) -> io::Result<()> {
        persist(&self.0, target)?;
        self.0.clear();
        Ok(())
    }
}

impl Drop for TempPath {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            // The file is already renamed if only its folder's sync failed. The next cleanup removes what stays here.
            let _renamed = fs::remove_file(&self.0);
        }
    }
}

/// Renames a synced file to its final name and syncs its folder.
fn persist(path: &Path, target: &Path) -> io::Result<()> {
    in_folder(target, || fs::rename(path, target))?;
    sync_folder_of(target)
}

/// Creates a durable file with all its bytes under its final name.
fn write_whole(target: &Path, bytes: &[Bytes]) -> Result<()> {
    let create = || OpenOptions::new().write(true).create_new(true).open(target);
    let file = in_folder(target, create).map_err(Error::unavailable)?;
    let mut path = TempPath(target.to_owned());
    let mut file = SyncedFile::new(file, target, 0);
    file.write(bytes)?;
    file.sync()?;
    sync_folder_of(target).map_err(Error::unavailable)?;
    path.0.clear();
    Ok(())
}

/// Runs `act`; if the blob's folder is missing, creates and syncs it and runs `act` again.
fn in_folder<T>(target: &Path, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match act() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        done => return done,
    }
    let folder = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        // A concurrent creator may not have synced it yet.
        _ => sync_folder_of(folder)?,
    }
    act()
}

/// Makes the directory entry of `path` durable.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?.sync_all()
}

fn list_into(keys: &mpsc::Sender<Result<BlobKey>>, root: &Path, older_than: Timestamp) -> io::Result<()> {
    for project in fs::read_dir(root)? {
        let project = project?;
        if !project.file_type()?.is_dir() {
            continue;
        }
        for blob in fs::read_dir(project.path())? {
            let blob = blob?;
            let name = format!("{}/{}", project.file_name().display(), blob.file_name().display());
            let Ok(key) = name.parse::<BlobKey>() else {
                continue;
            };
            let modified = match blob.metadata().and_then(|metadata| metadata.modified()) {
                Ok(modified) => Timestamp::from(OffsetDateTime::from(modified)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if modified < older_than && keys.blocking_send(Ok(key)).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn remove_unlocked(folder: &Path) -> io::Result<u64> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // A missing file was finished or removed by its writer.
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() && fs::remove_file(&path).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}
