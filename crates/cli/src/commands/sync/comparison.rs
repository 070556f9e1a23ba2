//! Local files beside those of the project: unchanged, outdated, edited by somebody, or behind a link.

use std::fs;

use super::journal::Journal;
use super::places::Wanted;
use crate::failure::CommandResult;
use crate::upload::local::hash_of;

/// The files of a project by the state of their places.
#[derive(Debug, Default)]
pub(super) struct ComparedFiles {
    /// Number of files whose content is that of the project.
    pub(super) unchanged: u64,
    /// Files to download: absent, or as an earlier run has written them.
    pub(super) outdated: Vec<Wanted>,
    /// Files that are neither the project's nor those of an earlier run. They would be lost.
    pub(super) edited: Vec<Wanted>,
    /// Files behind a link, which may lead out of the target folder. They are neither read nor written.
    pub(super) linked: Vec<Wanted>,
}

/// Compares all files. With `is_forced` edited files count as outdated.
pub(super) fn compare(
    wanted: Vec<Wanted>,
    journal: &Journal,
    is_forced: bool,
) -> CommandResult<ComparedFiles> {
    let mut comparison = ComparedFiles::default();
    for wanted in wanted {
        if wanted.link.is_some() {
            comparison.linked.push(wanted);
            continue;
        }
        let Ok(looked) = fs::metadata(&wanted.path) else {
            comparison.outdated.push(wanted);
            continue;
        };
        let written = journal.get(&wanted.path)?;
        let hash = match written.as_ref().filter(|written| written.is_of(&looked)) {
            Some(written) => Some(written.sha256),
            None => hash_of(&wanted.path).ok(),
        };
        if hash.as_ref() == Some(&wanted.file.sha256) {
            // An earlier run may have ended before it could note it.
            if written.is_none_or(|written| !written.is_of(&looked)) {
                journal.set(&wanted.path, &wanted.file.sha256)?;
            }
            comparison.unchanged += 1;
        } else if is_forced || written.is_some_and(|written| Some(written.sha256) == hash) {
            comparison.outdated.push(wanted);
        } else {
            comparison.edited.push(wanted);
        }
    }
    Ok(comparison)
}
