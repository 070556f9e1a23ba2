//! A file that is made durable while it is written: little is left to wait for in the end.
//!
//! What comes after the first [`DIRECT_FROM`] bytes is written past the system's cache, block by block: to copy it there
//! first costs as much as to hash it. What comes before stays in the cache, where whoever converts a file finds it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use domain::{Error, Result};
use nix::libc::O_DIRECT;

use crate::blobs::batch::BLOCK_BYTES;

/// Bytes after which a part of what is in the cache is synced while the next is being written.
const SYNC_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of a file that are written by way of the cache.
const DIRECT_FROM: u64 = 64 * 1024 * 1024;

/// A file that grows. Its functions block.
#[derive(Debug)]
pub(super) struct SyncedFile {
    file: File,
    path: PathBuf,
    /// Where the next bytes go.
    position: u64,
    direct: Direct,
    /// Bytes in the cache that no sync has been begun for.
    unsynced_bytes: usize,
    /// The system reports a failed write-back to one sync only: each one's result counts.
    syncing: Option<JoinHandle<io::Result<()>>>,
}

/// The same file, opened to be written past the cache.
#[derive(Debug)]
enum Direct {
    NotYet,
    Open(File),
    /// The file system can't do it.
    Never,
}

impl SyncedFile {
    /// The file at `path`, which is written from `position` on.
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

    /// Makes all that was written durable.
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

    /// The whole blocks among bytes that may be written past the cache, as they lie at the same place in a block of memory
    /// as in one of the file; and what comes before and after them.
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
            self.direct = opened.map_or(Direct::Never, Direct::Open);
        }
        let Direct::Open(direct) = &self.direct else { return self.write_cached(blocks) };
        match direct.write_all_at(blocks, self.position) {
            Ok(()) => self.advance(blocks),
            // Some file systems want larger blocks, and some take the flag and nothing more.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                self.direct = Direct::Never;
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
