//! The walk through a folder: `.gitignore` and patterns leave files out, and these are counted.

use std::path::Path;

use client::is_part;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, Walk, WalkBuilder};

use crate::arguments::transfer::Upload;
use crate::failure::{CommandFailure, CommandResult};

/// A folder with the rules by which files in it are left out.
pub(super) struct FolderWalk<'a> {
    path: &'a Path,
    options: &'a Upload,
    excludes: Override,
    includes: Override,
}

impl<'a> FolderWalk<'a> {
    /// The walk through the folder at `path`.
    pub(super) fn of(path: &'a Path, options: &'a Upload) -> CommandResult<Self> {
        let excluded = options.exclude.iter().map(|glob| (format!("!{glob}"), format!("--exclude {glob}")));
        let included = options.include.iter().map(|glob| (glob.clone(), format!("--include {glob}")));
        let excludes = patterns(path, excluded)?;
        Ok(Self { path, options, excludes, includes: patterns(path, included)? })
    }

    /// The entries that are sent, folders before what is in them.
    pub(super) fn entries(&self) -> Walk {
        let mut walk = self.all();
        walk.overrides(self.excludes.clone()).git_ignore(!self.options.no_ignore);
        // The rules hold in a work tree, of which this folder may be a part. Within others each repository has its own.
        walk.require_git(!self.options.ignore_vcs && !is_in_work_tree(self.path));
        walk.build()
    }

    /// True if a file passes `--include`.
    pub(super) fn is_included(&self, file: &Path) -> bool {
        !self.includes.matched(file, false).is_ignore()
    }

    /// Number of files in the folder, those that are left out too.
    pub(super) fn file_count(&self) -> u64 {
        let files = self.all().build().flatten().filter(is_file).count();
        u64::try_from(files).unwrap_or(u64::MAX)
    }

    /// All entries but those that are never sent: repositories of Git, and parts of stopped downloads.
    fn all(&self) -> WalkBuilder {
        let mut walk = WalkBuilder::new(self.path);
        walk.standard_filters(false)
            .follow_links(self.options.follow_links)
            .filter_entry(|entry| entry.file_name() != ".git" && !is_part(entry.file_name()));
        walk
    }
}

/// True for an entry that is no folder.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| !kind.is_dir())
}

fn patterns(path: &Path, globs: impl Iterator<Item = (String, String)>) -> CommandResult<Override> {
    let mut patterns = OverrideBuilder::new(path);
    for (glob, option) in globs {
        patterns.add(&glob).map_err(|error| CommandFailure::usage(format!("{option}: {error}")))?;
    }
    patterns.build().map_err(|error| CommandFailure::usage(error.to_string()))
}

/// True for a folder in a work tree of Git.
fn is_in_work_tree(path: &Path) -> bool {
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    whole.ancestors().any(|folder| folder.join(".git").exists())
}
