//! Entries of a tar, which is read once from its beginning to its end.

use std::cell::Cell;
use std::io::{self, Read};

use tar::{Archive, EntryType};

use super::leftovers::is_leftover;
use super::{
    ArchiveFault, ArchiveItem, ENTRIES_MAX, Items, SkipReason, TAR_BLOCK, UnpackError, judge, refused,
};
use crate::encoding::names::NameDecoder;

/// Bytes of headers and padding that are no content: three blocks for each entry that an archive may have.
const FRAMES_BYTES: u64 = 10_000 * 3 * 512;

/// Passes the entries of a tar. `open` opens it once more, where a name is not in UTF-8: all names are judged then.
pub(super) fn unpack<T: FnMut(ArchiveItem<'_>) -> io::Result<()>, R: Read>(
    archive: impl Read,
    open: impl Fn() -> R,
    items: &mut Items<'_, T>,
) -> Result<(), UnpackError> {
    let seen = Seen::default();
    let mut decoder = None;
    let mut archive =
        Archive::new(Watched { from: archive, archive_bytes: items.archive_bytes, seen: &seen });
    for entry in archive.entries().map_err(|_| seen.refusal())? {
        let mut entry = entry.map_err(|_| seen.refusal())?;
        seen.zeros.set(0);
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            items.count_entry("", false)?;
            continue;
        }
        let path = match String::from_utf8(entry.path_bytes().into_owned()) {
            Ok(path) => path,
            Err(foreign) => {
                let decoder = decoder.get_or_insert_with(|| decoder_of(open(), items.archive_bytes));
                decoder.decode(foreign.as_bytes())
            }
        };
        // `tar -C folder .` writes every path below `./`, and the folder itself as `./`.
        let mut path = path.as_str();
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        let path = path.trim_end_matches('/');
        let is_root = kind.is_dir() && matches!(path, "" | ".");
        items.count_entry(if is_root { "" } else { path }, kind.is_dir())?;
        if is_root {
            continue;
        }
        if is_leftover(path) {
            items.pass(ArchiveItem::Leftover)?;
            continue;
        }
        if kind.is_dir() {
            items.pass(ArchiveItem::Folder(path))?;
            continue;
        }
        match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let size = entry.size();
                if !items.pass_file(path, size, &mut entry)? {
                    return Err(seen.refusal());
                }
                // Zeros at the end of a file are no end of the archive.
                seen.zeros.set(0);
            }
            EntryType::Link | EntryType::Symlink => {
                items.pass(ArchiveItem::Skipped(path, SkipReason::Link))?;
            }
            _ => items.pass(ArchiveItem::Skipped(path, SkipReason::Device))?,
        }
    }
    // The end is marked by blocks of zeros. Without them the archive was cut between two entries.
    if seen.zeros.get() < TAR_BLOCK { Err(seen.refusal()) } else { Ok(()) }
}

/// The decoder for the names of a tar, as far as it can be read.
fn decoder_of(archive: impl Read, archive_bytes: u64) -> NameDecoder {
    let seen = Seen::default();
    let mut archive = Archive::new(Watched { from: archive, archive_bytes, seen: &seen });
    let entries = archive.entries().into_iter().flatten().take(ENTRIES_MAX).map_while(Result::ok);
    let names: Vec<Vec<u8>> = entries.map(|entry| entry.path_bytes().into_owned()).collect();
    NameDecoder::of(names.iter().map(Vec::as_slice))
}

/// The state of a reader of an archive.
#[derive(Default)]
struct Seen {
    bytes: Cell<u64>,
    /// Zeros at the end of what was read.
    zeros: Cell<usize>,
    /// The limit that the archive exceeds.
    fault: Cell<Option<ArchiveFault>>,
}

impl Seen {
    /// The refusal of an archive that can't be read on.
    fn refusal(&self) -> UnpackError {
        refused(self.fault.get().unwrap_or(ArchiveFault::Damaged))
    }
}

/// A reader that limits what is read, the bodies of skipped entries included.
struct Watched<'a, R> {
    from: R,
    archive_bytes: u64,
    seen: &'a Seen,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        let read = into.get(..count).unwrap_or_default();
        let Seen { bytes, zeros, fault } = self.seen;
        zeros.set(match read.iter().rposition(|byte| *byte != 0) {
            Some(last) => count - last - 1,
            None => zeros.get().saturating_add(count),
        });
        bytes.set(bytes.get().saturating_add(u64::try_from(count).unwrap_or(u64::MAX)));
        match judge(bytes.get().saturating_sub(FRAMES_BYTES), self.archive_bytes) {
            Err(UnpackError::Refused(limit)) => {
                fault.set(Some(limit));
                Err(io::Error::other("the archive exceeds a limit"))
            }
            _ => Ok(count),
        }
    }
}
