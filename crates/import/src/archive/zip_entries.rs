//! Entries of a ZIP, in the order of its directory, which is judged before anything is unpacked.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader};

use zip::{CompressionMethod, ZipArchive};

use super::{
    ArchiveFault, ArchiveItem, ENTRIES_MAX, Items, SkipReason, UnpackError, damaged, judge, refused,
};

/// The type of a file in a Unix mode, and some types.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// A header, as far as it is needed.
struct Entry {
    path: String,
    is_folder: bool,
    size: u64,
    /// The reason for which the entry is left out.
    skipped: Option<SkipReason>,
}

/// Passes the entries of a ZIP.
pub(super) fn unpack<T: FnMut(ArchiveItem<'_>) -> io::Result<()>>(
    archive: BufReader<File>,
    items: &mut Items<'_, T>,
) -> Result<(), UnpackError> {
    let mut archive = ZipArchive::new(archive).map_err(damaged)?;
    if archive.len() > ENTRIES_MAX {
        return Err(refused(ArchiveFault::TooManyEntries));
    }
    if archive.has_duplicate_names() || archive.has_overlapping_entries().map_err(damaged)? {
        return Err(refused(ArchiveFault::Overlapping));
    }
    let entries: Vec<Entry> =
        (0..archive.len()).map(|place| entry(&archive, place)).collect::<Result<_, _>>()?;
    let claimed = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    judge(claimed, items.archive_bytes)?;
    for (place, Entry { path, is_folder, size, skipped }) in entries.into_iter().enumerate() {
        items.count_entry()?;
        match skipped {
            Some(reason) => items.pass(ArchiveItem::Skipped(&path, reason))?,
            None if is_folder => items.pass(ArchiveItem::Folder(&path))?,
            None => match archive.by_index(place) {
                // Another entry can still be read after a damaged one.
                Ok(file) => drop(items.pass_file(&path, size, file)?),
                Err(_) => items.pass(ArchiveItem::Skipped(&path, SkipReason::Damaged))?,
            },
        }
    }
    Ok(())
}

fn entry(archive: &ZipArchive<BufReader<File>>, place: usize) -> Result<Entry, UnpackError> {
    let entry = archive.by_index_data(place).map_err(damaged)?;
    let raw = entry.name_raw();
    // Many programs write UTF-8 without the flag for it. Text of another code page is rarely valid UTF-8.
    let path = match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => entry.name().map_or_else(|_| String::from_utf8_lossy(raw), Cow::from).into_owned(),
    };
    let kind = entry.unix_mode().map_or(0, |mode| mode & TYPE);
    let is_folder = path.ends_with('/') || kind == FOLDER;
    let skipped = match (kind, entry.compression()) {
        _ if entry.encrypted() => Some(SkipReason::Encrypted),
        (LINK, _) => Some(SkipReason::Link),
        (0 | REGULAR | FOLDER, _) if is_folder => None,
        (0 | REGULAR, CompressionMethod::Stored | CompressionMethod::Deflated) => None,
        (0 | REGULAR, _) => Some(SkipReason::Method),
        _ => Some(SkipReason::Device),
    };
    Ok(Entry { path: path.trim_end_matches('/').to_owned(), is_folder, size: entry.size(), skipped })
}
