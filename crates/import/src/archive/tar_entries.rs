//! Entries of a tar, which is read once from its beginning to its end.

use std::io::{self, Read};

use tar::{Archive, EntryType};

use super::{ArchiveFault, ArchiveItem, Items, SkipReason, TAR_BLOCK, UnpackError, damaged, refused};

/// Passes the entries of a tar.
pub(super) fn unpack<T: FnMut(ArchiveItem<'_>) -> io::Result<()>>(
    archive: impl Read,
    items: &mut Items<'_, T>,
) -> Result<(), UnpackError> {
    let mut archive = Archive::new(ZeroTail { from: archive, zeros: 0 });
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            continue;
        }
        items.count_entry()?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        // `tar -C folder .` writes every path below `./`, and the folder itself as `./`.
        let mut path = path.as_str();
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        if kind.is_dir() {
            if !matches!(path, "" | ".") {
                items.pass(ArchiveItem::Folder(path.trim_end_matches('/')))?;
            }
            continue;
        }
        match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let size = entry.size();
                if !items.pass_file(path, size, &mut entry)? {
                    return Err(refused(ArchiveFault::Damaged));
                }
            }
            EntryType::Link | EntryType::Symlink => {
                items.pass(ArchiveItem::Skipped(path, SkipReason::Link))?;
            }
            _ => items.pass(ArchiveItem::Skipped(path, SkipReason::Device))?,
        }
    }
    // The end is marked by blocks of zeros. Without them the archive was cut between two entries.
    let end = archive.into_inner();
    if end.zeros < TAR_BLOCK { Err(refused(ArchiveFault::Damaged)) } else { Ok(()) }
}

/// A reader that counts the zeros at the end of what was read.
struct ZeroTail<R> {
    from: R,
    zeros: usize,
}

impl<R: Read> Read for ZeroTail<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        let read = into.get(..count).unwrap_or_default();
        self.zeros = match read.iter().rposition(|byte| *byte != 0) {
            Some(last) => count - last - 1,
            None => self.zeros.saturating_add(count),
        };
        Ok(count)
    }
}
