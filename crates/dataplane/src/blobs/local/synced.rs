//! A file that is synced while it is written, so that little remains to be synced at the end.
//!
//! Bytes after the first [`DIRECT_FROM`] are written in blocks with `O_DIRECT`: copying them into the page cache would
//! cost as much as hashing them. Earlier bytes stay in the cache, where the conversion reads them.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use domain::{Error, Result};
use nix::libc::O_DIRECT;

use crate::blobs::batch::BLOCK_BYTES;

/// Cached bytes after which a background sync starts.
const SYNC_BYTES: usize = 16 * 1024 * 1024;

/// Offset from which a file is written with `O_DIRECT`.
const DIRECT_FROM: u64 = 64 * 1024 * 1024;

/// A growing file. Its methods block.
#[derive(Debug)]
pub(super) struct SyncedFile {
    file: File,
    path: PathBuf,
    /// Offset of the next write.
    position: u64,
    direct: Direct,
    /// Cached bytes that no sync covers yet.
    unsynced_bytes: usize,
    /// The background sync. The kernel reports a failed write-back to one sync only, so each result is checked.
    syncing: Option<JoinHandle<io::Result<()>>>,
}

/// The same file, opened with `O_DIRECT`.
#[derive(Debug)]
enum Direct {
    NotYet,
    Open(File),
    /// The file system does not support it.
    Unsupported,
}

impl SyncedFile {
    /// Wraps the open file at `path`; writing starts at `position`.
    pub(super) fn new(file: File, path: &Path, position: u64) -> Self {
        let path = path.to_owned();
        Self { file, path, position, direct: Direct::NotYet, unsynced_bytes: 0, syncing: None }
    }

    pub(super) fn write(&mut self, batch: &[Bytes]) -> Result<()> {
        for bytes in batch {
            let (before, blocks, after) = self.parts(bytes);
            self.write_cached(before)
                .and_then(|()| self.write_blocks(blocks))
                .and_then(|()| self.write_cached(after))
                .map_err(Error::unavailable)?;
        }
        let idle = self.syncing.as_ref().is_none_or(JoinHandle::is_finished);
        if idle && self.unsynced_bytes >= SYNC_BYTES {
            let file = self.file.try_clone().map_err(Error::unavailable)?;
            self.unsynced_bytes = 0;
            self.end_sync()?;
            self.syncing = Some(thread::spawn(move || file.sync_data()));
        }
        Ok(())
    }

    /// Syncs everything written so far.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.end_sync()?;
        self.unsynced_bytes = 0;
        self.file.sync_all().map_err(Error::unavailable)
    }

    fn end_sync(&mut self) -> Result<()> {
        let Some(sync) = self.syncing.take() else { return Ok(()) };
        let synced = sync.join().map_err(|_| Error::internal("the thread that syncs a blob panicked"))?;
        synced.map_err(Error::unavailable)
    }

    /// Splits bytes into an unaligned head, whole blocks for `O_DIRECT`, and an unaligned tail. Everything is in the head
    /// unless memory and file offset have the same alignment.
    fn parts<'a>(&self, bytes: &'a [u8]) -> (&'a [u8], &'a [u8], &'a [u8]) {
        let none = (bytes, &[][..], &[][..]);
        let Ok(within) = usize::try_from(self.position) else { return none };
        let before = within.next_multiple_of(BLOCK_BYTES) - within;
        let is_aligned = bytes.as_ptr().addr() % BLOCK_BYTES == within % BLOCK_BYTES;
        let whole = bytes.len().saturating_sub(before) / BLOCK_BYTES * BLOCK_BYTES;
        if self.position < DIRECT_FROM || !is_aligned || whole == 0 {
            return none;
        }
        let Some((before, rest)) = bytes.split_at_checked(before) else { return none };
        let Some((blocks, after)) = rest.split_at_checked(whole) else { return none };
        (before, blocks, after)
    }

    fn write_cached(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.position)?;
        self.unsynced_bytes = self.unsynced_bytes.saturating_add(bytes.len());
        self.advance(bytes)
    }

    fn write_blocks(&mut self, blocks: &[u8]) -> io::Result<()> {
        if blocks.is_empty() {
            return Ok(());
        }
        if matches!(self.direct, Direct::NotYet) {
            let opened = OpenOptions::new().write(true).custom_flags(O_DIRECT).open(&self.path);
            self.direct = opened.map_or(Direct::Unsupported, Direct::Open);
        }
        let Direct::Open(direct) = &self.direct else { return self.write_cached(blocks) };
        match direct.write_all_at(blocks, self.position) {
            Ok(()) => self.advance(blocks),
            // Some file systems require larger blocks; others accept the flag but refuse the write.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                self.direct = Direct::Unsupported;
                self.write_cached(blocks)
            }
            Err(error) => Err(error),
        }
    }

    fn advance(&mut self, written: &[u8]) -> io::Result<()> {
        let length = u64::try_from(written.len()).map_err(io::Error::other)?;
        self.position = self.position.saturating_add(length);
        Ok(())
    }
}
