//! Entries of a ZIP, in the order of its directory, which is judged before anything is unpacked.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader};

use domain::content::file_path::FolderPath;
use zip::{CompressionMethod, ZipArchive};

use super::leftovers::is_leftover;
use super::{
    ArchiveFault, ArchiveItem, ENTRIES_MAX, Items, SkipReason, UnpackError, damaged, judge, refused,
};
use crate::encoding::names::NameDecoder;

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
    let paths = paths(&archive)?;
    let entries: Vec<Entry> = paths
        .into_iter()
        .enumerate()
        .map(|(place, path)| entry(&archive, place, path))
        .collect::<Result<_, _>>()?;
    let claimed = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    judge(claimed, items.archive_bytes)?;
    for Entry { path, is_folder, .. } in &entries {
        items.count_entry(path, *is_folder)?;
    }
    pass_folders(&entries, items)?;
    for (place, Entry { path, is_folder, size, skipped }) in entries.into_iter().enumerate() {
        match skipped {
            _ if is_leftover(&path) => items.pass(ArchiveItem::Leftover)?,
            Some(reason) => items.pass(ArchiveItem::Skipped(&path, reason))?,
            None if is_folder && is_accepted(&path) => {}
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

/// Passes folders first, so that the receiver makes them together: those of files, and empty ones. Folders whose path the
/// receiver refuses stay in their place.
fn pass_folders<T: FnMut(ArchiveItem<'_>) -> io::Result<()>>(
    entries: &[Entry],
    items: &mut Items<'_, T>,
) -> Result<(), UnpackError> {
    let kept = entries.iter().filter(|entry| entry.skipped.is_none() && !is_leftover(&entry.path));
    let folders: BTreeSet<&str> = kept
        .filter_map(|entry| if entry.is_folder { Some(entry.path.as_str()) } else { folder_of(&entry.path) })
        .filter(|folder| is_accepted(folder))
        .collect();
    folders.into_iter().try_for_each(|folder| items.pass(ArchiveItem::Folder(folder)))
}

fn folder_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

fn is_accepted(folder: &str) -> bool {
    FolderPath::parse(folder).is_ok_and(|path| !path.names().is_empty())
}

/// The paths of all entries, with `/` between names. A folder ends in it.
fn paths(archive: &ZipArchive<BufReader<File>>) -> Result<Vec<String>, UnpackError> {
    let raw = |place| archive.by_index_data(place).map(|entry| entry.name_raw().to_vec()).map_err(damaged);
    let names: Vec<Vec<u8>> = (0..archive.len()).map(raw).collect::<Result<_, _>>()?;
    // Many programs write UTF-8 without the flag for it, and others their own code page.
    let decoder = NameDecoder::of(names.iter().map(Vec::as_slice));
    let mut paths: Vec<String> = names.iter().map(|name| decoder.decode(name)).collect();
    // As PowerShell once separated names.
    if !paths.iter().any(|path| path.contains('/')) {
        for path in &mut paths {
            *path = path.replace('\\', "/");
        }
    }
    Ok(paths)
}

fn entry(archive: &ZipArchive<BufReader<File>>, place: usize, path: String) -> Result<Entry, UnpackError> {
    let entry = archive.by_index_data(place).map_err(damaged)?;
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
