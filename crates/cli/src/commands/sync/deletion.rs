//! Files that earlier runs have written, and that the project has no more. No other file is ever deleted.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::journal::Journal;
use crate::failure::{CommandResult, local_reason};
use crate::upload::local::hash_of;
use crate::upload::outcomes::FileFailure;

/// Files that the project has no more.
#[derive(Debug, Default)]
pub(super) struct VanishedFiles {
    /// As an earlier run has written them.
    pub(super) untouched: Vec<PathBuf>,
    /// Edited since. They would be lost.
    pub(super) edited: Vec<PathBuf>,
}

/// Finds the files of earlier runs below `folder` that are not among `wanted`. With `is_forced` edited ones count as
/// untouched.
pub(super) fn vanished(
    journal: &Journal,
    wanted: &HashSet<PathBuf>,
    folder: &Path,
    is_forced: bool,
) -> CommandResult<VanishedFiles> {
    let mut vanished = VanishedFiles::default();
    let Ok(folder) = std::path::absolute(folder) else { return Ok(vanished) };
    for path in journal.paths()? {
        let is_ours = path.starts_with(&folder) && !wanted.contains(&path);
        if !is_ours || is_behind_link(&path, &folder) {
            continue;
        }
        let Ok(looked) = fs::symlink_metadata(&path) else { continue };
        let Some(written) = journal.get(&path)? else { continue };
        let is_same = written.is_of(&looked) || hash_of(&path).is_ok_and(|hash| hash == written.sha256);
        if looked.is_file() && (is_same || is_forced) {
            vanished.untouched.push(path);
        } else {
            vanished.edited.push(path);
        }
    }
    Ok(vanished)
}

/// Deletes a file, with the folders above that are empty then, up to `folder`.
pub(super) fn delete(path: &Path, folder: &Path) -> Option<FileFailure> {
    if let Err(error) = fs::remove_file(path) {
        let path = path.display().to_string();
        return Some(FileFailure { path, code: None, message: local_reason(&error) });
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in path.ancestors().skip(1).take_while(|above| above.starts_with(&folder) && **above != folder)
    {
        // One that has something else stays.
        if fs::remove_dir(above).is_err() {
            break;
        }
    }
    None
}

/// True if a folder on the way from `folder` to the file is a link now.
fn is_behind_link(path: &Path, folder: &Path) -> bool {
    let within = |above: &&Path| above.starts_with(folder) && *above != folder;
    path.ancestors().skip(1).take_while(within).any(Path::is_symlink)
}
