//! The plan of an upload: local files beside the project's tree. A file that is there with the same content is left out.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use client::ReplacedObject;
use domain::content::object::Sha256Hash;
use domain::id::ObjectId;
use domain::text::Name;
use ignore::DirEntry;

use crate::arguments::transfer::Upload;
use crate::failure::{CommandResult, Exit, local_reason};
use crate::upload::local::{LocalFile, hash_of, name_at};
use crate::upload::outcomes::{FileFailure, LISTED_MAX, nothing_done};
use crate::upload::patterns::expand;
use crate::upload::state::State;
use crate::upload::state::files::PlannedFile;
use crate::upload::state::plan_folders::PlannedFolder;
use crate::upload::state::remote::RemoteFile;
use crate::upload::walk::{FolderWalk, is_file};

/// Most folders in a path of a request with several files.
const DEPTH_MAX: u64 = 32;

/// The numbers of a plan, and the files that it leaves out.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files that were looked at.
    pub(crate) files: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Files that the project has with the same content.
    pub(crate) unchanged: u64,
    /// Files that replace those of the project.
    pub(crate) updates: u64,
    /// Files that differ from those of the project. They are left alone.
    pub(crate) different: Vec<String>,
    /// Number of all that differ.
    pub(crate) different_count: u64,
    /// Links that are not followed.
    pub(crate) links: u64,
    /// Files that `.gitignore` and patterns leave out.
    pub(crate) left_out: u64,
    /// Files that can't be read or named.
    pub(crate) failed: Vec<FileFailure>,
    /// Number of all failures.
    pub(crate) failed_count: u64,
}

impl Plan {
    /// The exit code of a run that sent this number of files, and whose failures these are. Where no file arrived or was
    /// there already, the command says so as its failure; folders alone don't count.
    pub(crate) fn exit(&self, sent: u64, failed: &[&FileFailure], failed_count: u64) -> CommandResult<Exit> {
        match failed_count {
            0 if self.different_count == 0 => Ok(Exit::Done),
            // The project doesn't have what these files hold.
            0 => Ok(Exit::Part),
            _ if sent == 0 && self.unchanged == 0 => Err(nothing_done("sent", failed, failed_count)),
            _ => Ok(Exit::Part),
        }
    }
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

    /// Plans all paths below the object at which `missing` names begin.
    pub(crate) fn run(mut self, existing: ObjectId, missing: &[Name]) -> CommandResult<Plan> {
        let state = self.state;
        state.together(|| {
            let mut root = state.add_anchor(None, "", Some(existing))?;
            for name in missing {
                root = state.add_anchor(Some(root.number), name.as_str(), None)?;
            }
            let mut planned = HashSet::new();
            for typed in &self.options.paths {
                for path in expand(typed)? {
                    // `parts` and `parts/` go to different folders; a link gives a file another name.
                    let name = path.file_name().filter(|_| !sends_content(&path)).map(OsStr::to_owned);
                    let is_new = fs::canonicalize(&path).map_or(true, |whole| planned.insert((whole, name)));
                    if is_new {
                        self.add_path(&root, &path)?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(self.plan)
    }

    fn add_path(&mut self, root: &PlannedFolder, path: &Path) -> CommandResult<()> {
        // The file that keeps standard input is of no interest to its user.
        let shown = self.options.name.clone().unwrap_or_else(|| path.display().to_string());
        let looked = match fs::metadata(path) {
            Ok(looked) => looked,
            Err(error) => {
                self.fail(shown, local_reason(&error));
                return Ok(());
            }
        };
        if !looked.is_dir() {
            return self.add_file(root, path, shown);
        }
        let mut open = vec![OpenFolder::Planned(root.clone())];
        if path.file_name().is_some() && !sends_content(path) {
            match name_at(path) {
                Ok(name) => open.push(OpenFolder::Named(name)),
                Err(reason) => {
                    self.fail(path.display().to_string(), reason);
                    return Ok(());
                }
            }
        }
        self.walk(open, path)
    }

    /// Plans the content of a folder. Folders that wait on the way are kept, not their files.
    fn walk(&mut self, mut open: Vec<OpenFolder>, path: &Path) -> CommandResult<()> {
        let options = self.options;
        let walk = FolderWalk::of(path, options)?;
        let above = open.len();
        let mut sent = 0;
        self.plan_folders(&mut open)?;
        for entry in walk.entries() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.fail_walk(path, &error);
                    continue;
                }
            };
            if entry.depth() == 0 || (is_file(&entry) && !walk.is_included(entry.path())) {
                continue;
            }
            sent += u64::from(is_file(&entry));
            let depth = above + entry.depth() - 1;
            open.truncate(depth);
            // A folder whose name no tree takes was left out, with all below it.
            if open.len() == depth {
                self.add_entry(&mut open, &entry)?;
            }
        }
        if options.has_rules() {
            self.plan.left_out += walk.file_count().saturating_sub(sent);
        }
        Ok(())
    }

    /// Adds the folders on the way to the plan. With `--include` those without files are left out.
    fn plan_folders(&self, open: &mut [OpenFolder]) -> CommandResult<()> {
        if self.options.include.is_empty() { self.innermost(open).map(drop) } else { Ok(()) }
    }

    /// The innermost folder on the way, added to the plan with those above.
    fn innermost(&self, open: &mut [OpenFolder]) -> CommandResult<Option<PlannedFolder>> {
        let mut innermost: Option<PlannedFolder> = None;
        for folder in open {
            let planned = match (&*folder, &innermost) {
                (OpenFolder::Planned(planned), _) => planned.clone(),
                (OpenFolder::Named(name), Some(parent)) => self.folder(parent, name)?,
                (OpenFolder::Named(_), None) => continue,
            };
            *folder = OpenFolder::Planned(planned.clone());
            innermost = Some(planned);
        }
        Ok(innermost)
    }

    fn add_entry(&mut self, open: &mut Vec<OpenFolder>, entry: &DirEntry) -> CommandResult<()> {
        let shown = entry.path().display().to_string();
        let Some(kind) = entry.file_type() else { return Ok(()) };
        if kind.is_symlink() {
            self.plan.links += 1;
            return Ok(());
        }
        if !kind.is_dir() {
            let Some(folder) = self.innermost(open)? else { return Ok(()) };
            return self.add_file(&folder, entry.path(), shown);
        }
        match name_at(entry.path()) {
            Ok(name) => {
                open.push(OpenFolder::Named(name));
                self.plan_folders(open)
            }
            Err(reason) => {
                self.fail(shown, reason);
                Ok(())
            }
        }
    }

    fn folder(&self, parent: &PlannedFolder, name: &Name) -> CommandResult<PlannedFolder> {
        let (state, name) = (self.state, name.as_str());
        if let Some(planned) = state.planned_folder(parent.number, name)? {
            return Ok(planned);
        }
        let remote = match parent.object {
            Some(parent) => state.remote_folder(parent, name)?,
            None => None,
        };
        let (object, is_unique) = remote.map_or((None, true), |(id, is_unique)| (Some(id), is_unique));
        if is_unique && parent.depth < DEPTH_MAX {
            state.add_folder(parent, name, object)
        } else {
            state.add_anchor(Some(parent.number), name, object)
        }
    }

    fn add_file(&mut self, folder: &PlannedFolder, path: &Path, shown: String) -> CommandResult<()> {
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
        let replaces = match compared {
            Comparison::New => None,
            Comparison::Different(RemoteFile { id, sha256: Some(sha256), .. }) if self.options.update => {
                self.plan.updates += 1;
                Some(ReplacedObject { id, sha256 })
            }
            Comparison::Different(_) => {
                self.plan.different_count += 1;
                if self.plan.different.len() < LISTED_MAX {
                    self.plan.different.push(file.shown);
                }
                return Ok(());
            }
            Comparison::Unchanged => {
                self.plan.unchanged += 1;
                return Ok(());
            }
            Comparison::Unreadable => return Ok(()),
        };
        let LocalFile { path, shown, name, size, modified } = file;
        let attempt = self.state.begin_attempt(&path, (size, modified), replaces.is_some())?;
        self.state.add_file(&PlannedFile {
            id: 0,
            folder: folder.number,
            anchor: folder.anchor,
            place: String::new(),
            path,
            shown,
            name: name.to_string(),
            size,
            modified,
            attempt,
            is_copy: false,
            replaces,
        })
    }

    /// Compares a file with those of the same place. Its hash is computed only where sizes are equal.
    fn compare(&mut self, parent: ObjectId, file: &LocalFile) -> CommandResult<Comparison> {
        let named = self.state.remote_files(parent, file.name.as_str())?;
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
                Ok(Comparison::Different(other))
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

/// True if the content of a folder is sent without the folder.
fn sends_content(path: &Path) -> bool {
    path.to_string_lossy().ends_with(['/', '\\']) || path.file_name().is_none()
}

/// A folder on the way through the local ones.
enum OpenFolder {
    /// It is in the plan.
    Planned(PlannedFolder),
    /// It waits for a file.
    Named(Name),
}

/// A local file beside the objects of its place.
enum Comparison {
    New,
    Unchanged,
    Different(RemoteFile),
    Unreadable,
}

fn walked_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => walked_path(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
