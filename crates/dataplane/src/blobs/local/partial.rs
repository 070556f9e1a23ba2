//! Resumable blobs in a folder: `partial/<uploadId>` grows piece by piece and is renamed when it is complete.
//!
//! A writer locks the file. Bytes are synced before their offset is acknowledged; the next writer truncates
//! unacknowledged bytes of a writer that died.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use time::OffsetDateTime;

use super::synced::SyncedFile;
use super::{BlobFolder, persist, sync_folder_of};
use crate::blobs::BlobKey;

/// A growing blob. Its methods block.
#[derive(Debug)]
pub(in crate::blobs) struct Partial {
    folder: BlobFolder,
    key: BlobKey,
    /// `None` if the blob is already complete.
    file: Option<SyncedFile>,
}

impl BlobFolder {
    /// Opens the blob truncated to `size_bytes`.
    pub(in crate::blobs) fn resume(&self, key: BlobKey, size_bytes: u64) -> Result<Partial> {
        let path = self.partial(key.upload);
        let file = match lock(&path, size_bytes == 0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(Error::new(Code::UploadInProgress, "Another request is writing this upload."));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let whole = fs::metadata(self.path(key)).map_err(Error::internal)?;
                return if whole.len() == size_bytes {
                    Ok(Partial { folder: self.clone(), key, file: None })
                } else {
                    Err(Error::internal("the completed blob is longer or shorter than its upload"))
                };
            }
            Err(error) => return Err(Error::unavailable(error)),
        };
        if file.metadata().map_err(Error::unavailable)?.len() < size_bytes {
            return Err(Error::internal("acknowledged bytes of an upload are missing"));
        }
        file.set_len(size_bytes).map_err(Error::unavailable)?;
        let file = SyncedFile::new(file, &path, size_bytes);
        Ok(Partial { folder: self.clone(), key, file: Some(file) })
    }

    pub(in crate::blobs) async fn discard(&self, upload: UploadId) -> Result<()> {
        match tokio::fs::remove_file(self.partial(upload)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::unavailable(error)),
            _ => Ok(()),
        }
    }

    pub(in crate::blobs) fn partial_older(&self, time: Timestamp) -> Result<Vec<UploadId>> {
        let older = || -> io::Result<Vec<UploadId>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(self.partials())? {
                let entry = entry?;
                let Some(upload) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                    continue;
                };
                // A missing file was completed or discarded meanwhile.
                let Ok(modified) = entry.metadata().and_then(|metadata| metadata.modified()) else {
                    continue;
                };
                if Timestamp::from(OffsetDateTime::from(modified)) < time {
                    found.push(upload);
                }
            }
            Ok(found)
        };
        older().map_err(Error::unavailable)
    }

    fn partial(&self, upload: UploadId) -> PathBuf {
        self.partials().join(upload.to_string())
    }
}

impl Partial {
    pub(in crate::blobs) fn write(&mut self, batch: &[Bytes]) -> Result<()> {
        match &mut self.file {
            Some(file) => file.write(batch),
            None if batch.iter().all(Bytes::is_empty) => Ok(()),
            None => Err(Error::internal("bytes arrived for a complete blob")),
        }
    }

    /// Writes the last batch and syncs the file.
    pub(in crate::blobs) fn checkpoint(&mut self, last: &[Bytes]) -> Result<()> {
        self.write(last)?;
        match &mut self.file {
            Some(file) => file.sync(),
            None => Ok(()),
        }
    }

    pub(in crate::blobs) fn commit(mut self, last: &[Bytes]) -> Result<()> {
        self.checkpoint(last)?;
        if self.file.is_none() {
            return Ok(());
        }
        let partial = self.folder.partial(self.key.upload);
        persist(&partial, &self.folder.path(self.key)).map_err(Error::unavailable)
    }
}

/// Opens and locks the file at `path`. The previous holder may rename or remove it before it releases the lock, so the
/// opened file is compared with the one at `path`.
fn lock(path: &Path, create: bool) -> io::Result<File> {
    loop {
        let exists = path.try_exists()?;
        let file = OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let opened = file.metadata()?;
        match fs::metadata(path) {
            Ok(there) if (there.dev(), there.ino()) == (opened.dev(), opened.ino()) => {
                if !exists {
                    sync_folder_of(path)?;
                }
                return Ok(file);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}
