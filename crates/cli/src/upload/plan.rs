//! The plan of an upload: local files beside the project's tree. A file that is there with the same content is left out.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use domain::id::ObjectId;
use domain::object::Sha256Hash;
use domain::text::Name;
use domain::upload::FILE_MAX_BYTES;
use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::arguments::Upload;
use crate::failure::{CommandFailure, CommandResult};
use crate::upload::state::{PlannedFile, State};

/// Bytes that are read at once for a hash.
const CHUNK_BYTES: usize = 128 * 1024;
/// Failures and differences that are listed; the others are counted.
const LISTED_MAX: usize = 10_000;

/// A file that can't be sent, or was not.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileFailure {
    /// Its path, as messages show it.
    pub(crate) path: String,
    /// The service's code; absent for local reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// The reason.
    pub(crate) message: String,
}

/// The numbers of a plan, and the files that it leaves out.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files that were looked at.
    pub(crate) files: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Files that the project has with the same content.
    pub(crate) unchanged: u64,
    /// Files that differ from those of the project. They are left alone.
    pub(crate) different: Vec<String>,
    /// Links that are not followed.
    pub(crate) links: u64,
    /// Files that can't be read or named.
    pub(crate) failed: Vec<FileFailure>,
    /// Number of all failures.
    pub(crate) failed_count: u64,
}

/// The state of a file that a plan depends on.
struct LocalFile {
    path: PathBuf,
    shown: String,
    name: String,
    size: u64,
    modified: i64,
}

/// A folder of the plan while it is walked.
#[derive(Clone, Copy, Debug)]
struct Folder {
    number: i64,
    object: Option<ObjectId>,
}

/// The planner of a run.
pub(crate) struct Planner<'a> {
    state: &'a State,
    options: &'a Upload,
    plan: Plan,
}

impl<'a> Planner<'a> {
    /// A planner that writes to `state`, which has the project's tree already.
    pub(crate) fn new(state: &'a State, options: &'a Upload) -> Self {
        Self { state, options, plan: Plan::default() }
    }

    /// Plans all paths below a folder of the project. `root` has the names from there that are to be made.
    pub(crate) fn run(
        mut self,
        target: Option<ObjectId>,
        missing: (ObjectId, &[Name]),
    ) -> CommandResult<Plan> {
        let state = self.state;
        state.together(|| {
            let (existing, names) = missing;
            let mut above =
                Folder { number: state.add_folder(None, "", Some(existing))?, object: Some(existing) };
            for name in names {
                above = Folder {
                    number: state.add_folder(Some(above.number), name.as_str(), None)?,
                    object: None,
                };
            }
            let root = Folder { number: above.number, object: target };
            for path in &self.options.paths {
                self.add_path(root, path)?;
            }
            Ok(())
        })?;
        Ok(self.plan)
    }

    fn add_path(&mut self, root: Folder, path: &Path) -> CommandResult<()> {
        let looked = match fs::metadata(path) {
            Ok(looked) => looked,
            Err(error) => {
                self.fail(path.display().to_string(), local_reason(&error));
                return Ok(());
            }
        };
        if !looked.is_dir() {
            return self.add_file(root, path, path.display().to_string());
        }
        let text = path.to_string_lossy();
        let sends_content = text.ends_with(['/', '\\']) || path.file_name().is_none();
        let top = match path.file_name().filter(|_| !sends_content) {
            None => root,
            Some(name) => match name.to_str().and_then(Name::sanitize) {
                Some(name) => self.folder(root, &name)?,
                None => {
                    self.fail(
                        text.into_owned(),
                        "its name is not a name that a project takes; rename it".to_owned(),
                    );
                    return Ok(());
                }
            },
        };
        self.walk(top, path)
    }

    /// Plans the content of a folder. Folders that wait on the way are kept, not their files.
    fn walk(&mut self, top: Folder, path: &Path) -> CommandResult<()> {
        let mut excludes = OverrideBuilder::new(path);
        for glob in &self.options.exclude {
            let usage = |error| CommandFailure::usage(format!("--exclude {glob}: {error}"));
            excludes.add(&format!("!{glob}")).map_err(usage)?;
        }
        let excludes =
            excludes.build().map_err(|error| CommandFailure::usage(format!("--exclude: {error}")))?;
        let mut walk = WalkBuilder::new(path);
        walk.hidden(false)
            .require_git(false)
            .git_ignore(!self.options.no_ignore)
            .git_exclude(!self.options.no_ignore)
            .git_global(!self.options.no_ignore)
            .ignore(!self.options.no_ignore)
            .parents(!self.options.no_ignore)
            .follow_links(self.options.follow_links)
            .overrides(excludes)
            .filter_entry(|entry| entry.file_name() != ".git");
        let mut open = vec![top];
        for entry in walk.build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.fail_walk(path, &error);
                    continue;
                }
            };
            let depth = entry.depth();
            if depth == 0 {
                continue;
            }
            open.truncate(depth);
            let Some(parent) = open.last().copied() else { continue };
            // A folder whose name no tree takes was left out, with all below it.
            if open.len() < depth {
                continue;
            }
            if let Some(folder) = self.add_entry(parent, &entry)? {
                open.push(folder);
            }
        }
        Ok(())
    }

    fn add_entry(&mut self, parent: Folder, entry: &DirEntry) -> CommandResult<Option<Folder>> {
        let shown = entry.path().display().to_string();
        let Some(kind) = entry.file_type() else { return Ok(None) };
        if kind.is_symlink() {
            self.plan.links += 1;
            return Ok(None);
        }
        if !kind.is_dir() {
            return self.add_file(parent, entry.path(), shown).map(|()| None);
        }
        match entry.file_name().to_str().and_then(Name::sanitize) {
            Some(name) => self.folder(parent, &name).map(Some),
            None => {
                self.fail(shown, "its name is not a name that a project takes; rename it".to_owned());
                Ok(None)
            }
        }
    }

    fn folder(&self, parent: Folder, name: &Name) -> CommandResult<Folder> {
        let object = match parent.object {
            Some(parent) => self.state.remote_folder(parent, name.as_str())?,
            None => None,
        };
        Ok(Folder { number: self.state.add_folder(Some(parent.number), name.as_str(), object)?, object })
    }

    fn add_file(&mut self, folder: Folder, path: &Path, shown: String) -> CommandResult<()> {
        let file = match LocalFile::of(path, shown.clone()) {
            Ok(file) => file,
            Err(reason) => {
                self.fail(shown, reason);
                return Ok(());
            }
        };
        self.plan.files += 1;
        self.plan.bytes += file.size;
        let compared = match folder.object {
            None => Comparison::New,
            Some(parent) => self.compare(parent, &file)?,
        };
        match compared {
            Comparison::New => {
                let LocalFile { path, shown, name, size, modified } = file;
                let folder = folder.number;
                self.state.add_file(&PlannedFile {
                    id: 0,
                    folder,
                    path,
                    shown,
                    name,
                    size,
                    modified,
                    attempt: 0,
                })
            }
            Comparison::Unchanged => {
                self.plan.unchanged += 1;
                Ok(())
            }
            Comparison::Different => {
                self.plan.different.push(file.shown);
                Ok(())
            }
            Comparison::Unreadable => Ok(()),
        }
    }

    /// Compares a file with those of the same place. Its hash is computed only where sizes are equal.
    fn compare(&mut self, parent: ObjectId, file: &LocalFile) -> CommandResult<Comparison> {
        let name = Name::sanitize(&file.name).map_or_else(String::new, |name| name.to_string());
        let named = self.state.remote_files(parent, &name)?;
        let sent = self.state.remote_sent(&file.path.to_string_lossy())?;
        // Somebody may have moved the object that an earlier run has made.
        let is_of_size = sent.as_ref().is_some_and(|remote| remote.size == file.size);
        if is_of_size || self.state.has_remote_of_size(parent, file.size)? {
            let Some(hash) = self.hash(file)? else { return Ok(Comparison::Unreadable) };
            let same =
                named.iter().chain(&sent).find(|remote| remote.sha256.as_ref() == Some(&hash)).cloned();
            let same = match same {
                Some(same) => Some(same),
                None => self.state.converted_files(parent, &hash)?.into_iter().next(),
            };
            if let Some(same) = same {
                self.state.claim(&same)?;
                return Ok(Comparison::Unchanged);
            }
        }
        match named.into_iter().chain(sent).next() {
            Some(other) => {
                self.state.claim(&other)?;
                Ok(Comparison::Different)
            }
            None => Ok(Comparison::New),
        }
    }

    fn hash(&mut self, file: &LocalFile) -> CommandResult<Option<Sha256Hash>> {
        if let Some(hash) = self.state.hash(&file.path, file.size, file.modified)? {
            return Ok(Some(hash));
        }
        match hash_of(&file.path) {
            Ok(hash) => {
                self.state.set_hash(&file.path, file.size, file.modified, &hash)?;
                Ok(Some(hash))
            }
            Err(error) => {
                self.fail(file.shown.clone(), local_reason(&error));
                Ok(None)
            }
        }
    }

    fn fail_walk(&mut self, path: &Path, error: &ignore::Error) {
        let message = match error.io_error() {
            Some(error) => local_reason(error),
            None => error.to_string(),
        };
        self.fail(walked_path(error).unwrap_or(path).display().to_string(), message);
    }

    fn fail(&mut self, path: String, message: String) {
        self.plan.failed_count += 1;
        if self.plan.failed.len() < LISTED_MAX {
            self.plan.failed.push(FileFailure { path, code: None, message });
        }
    }
}

/// A local file beside the objects of its place.
enum Comparison {
    New,
    Unchanged,
    Different,
    Unreadable,
}

impl LocalFile {
    /// Looks at a file; the error is the reason why it can't be sent.
    fn of(path: &Path, shown: String) -> CommandResult<Self, String> {
        let looked = fs::metadata(path).map_err(|error| local_reason(&error))?;
        if !looked.is_file() {
            return Err("it is neither a file nor a folder".to_owned());
        }
        let is_named = path.to_str().and(path.file_name()).and_then(|name| name.to_str());
        let name = is_named.filter(|name| Name::sanitize(name).is_some());
        let name = name.ok_or("its name is not a name that a project takes; rename it")?.to_owned();
        if looked.len() > FILE_MAX_BYTES {
            return Err("it is larger than the 2 GiB that the service takes".to_owned());
        }
        // Opened now, so that a file without permission is known before anything is sent.
        fs::File::open(path).map_err(|error| local_reason(&error))?;
        Ok(Self { path: path.to_owned(), shown, name, size: looked.len(), modified: modified(&looked) })
    }
}

/// When a file was last changed, in nanoseconds since 1970; 0 where the system doesn't tell.
pub(crate) fn modified(looked: &fs::Metadata) -> i64 {
    let since = looked.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or_default()
}

/// The hash of a file, read in constant memory.
pub(crate) fn hash_of(path: &Path) -> std::io::Result<Sha256Hash> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Sha256Hash(hash.finalize().into())),
            length => hash.update(buffer.get(..length).unwrap_or_default()),
        }
    }
}

/// The reason without the system's number.
pub(crate) fn local_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn walked_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => walked_path(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
