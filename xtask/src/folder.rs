//! Data folders of runs: a persistent one, which one run at a time may hold, and ephemeral ones, one for each run.
//! Each has a file lock. The kernel releases it when its run dies, so that leftovers are recognised.

use std::fs::{self, DirBuilder, File, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};

use crate::log;
use crate::process_table::is_running;
use crate::server_user::ServerUser;
use crate::workspace::Workspace;

/// Names of the programs that runs start. Debian's redis-server is a link to redis-check-rdb.
const PROGRAMS: [&str; 5] = ["postgres", "redis-server", "redis-check-rdb", "control", "dataplane"];

/// A link in a folder to data of it that are kept in memory.
pub(crate) const MEMORY: &str = "memory";

/// A data folder, locked by this run.
pub(crate) struct Folder {
    path: PathBuf,
    lock: File,
    ephemeral: bool,
}

/// The parent of all data folders of one checkout.
pub(crate) struct DataRoot(PathBuf);

impl DataRoot {
    /// `target/dev`, or a private folder below the system's temporary one if PostgreSQL's user can't enter `target`
    /// (in root's home, for example).
    pub(crate) fn open(workspace: &Workspace, user: Option<&ServerUser>) -> Result<Self> {
        let preferred = workspace.target.join("dev");
        make_dir(&preferred, 0o711)?;
        let Some(user) = user.filter(|user| !user.can_enter(&preferred)) else {
            return Ok(Self(preferred));
        };
        let mut hasher = DefaultHasher::new();
        workspace.target.hash(&mut hasher);
        let uid = Uid::effective();
        let path = std::env::temp_dir().join(format!("atelier-{uid}-{:016x}", hasher.finish()));
        make_dir(&path, 0o711)?;
        let found = fs::symlink_metadata(&path)?;
        ensure!(found.is_dir() && found.uid() == uid.as_raw(), "{} belongs to someone else", path.display());
        ensure!(
            user.can_enter(&path),
            "the user {} can enter neither {} nor {}",
            user.name,
            preferred.display(),
            path.display()
        );
        log(format_args!(
            "data goes to {}: the user {} can't enter {}",
            path.display(),
            user.name,
            preferred.display()
        ));
        Ok(Self(path))
    }

    /// The folder whose data outlive runs.
    ///
    /// # Errors
    /// Another run holds the lock; the message names that run.
    pub(crate) fn persistent(&self) -> Result<Folder> {
        let path = self.0.join("data");
        let lock = open_lock(&lock_path(&path))?;
        if lock.try_lock().is_err() {
            let mut holder = String::new();
            let _unreadable = (&lock).read_to_string(&mut holder);
            let process = holder.split_whitespace().next().and_then(|id| id.parse().ok());
            if process.is_none_or(|id| is_running(Pid::from_raw(id))) {
                bail!(
                    "another run uses this data (process {}): end it first, or use --ephemeral",
                    holder.trim()
                );
            }
            log("waiting for the clean-up of the previous run");
            lock.lock()?;
        }
        end_leftovers(&path);
        make_dir(&path, 0o711)?;
        let folder = Folder { path, lock, ephemeral: false };
        folder.sign("starting")?;
        Ok(folder)
    }

    /// A new folder, removed at the end of this run. Leftovers of dead runs are removed first.
    pub(crate) fn ephemeral(&self) -> Result<Folder> {
        // Held while locks are created and tested, so that a new lock is never mistaken for a dead run's.
        let gate = open_lock(&self.0.join("gate.lock"))?;
        gate.lock()?;
        self.sweep()?;
        let path = self.0.join(format!("run-{}", std::process::id()));
        let lock = open_lock(&lock_path(&path))?;
        lock.try_lock().with_context(|| format!("lock {}", path.display()))?;
        make_dir(&path, 0o711)?;
        Ok(Folder { path, lock, ephemeral: true })
    }

    fn sweep(&self) -> Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let lock = entry?.path();
            let name = lock.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !(name.starts_with("run-") && name.ends_with(".lock")) {
                continue;
            }
            let dead = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
            if dead {
                let path = lock.with_extension("");
                end_leftovers(&path);
                log(format_args!("removing {}, left by a killed run", path.display()));
                Folder::remove(&path)?;
            }
        }
        Ok(())
    }
}

impl Folder {
    /// Path of the existing folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True if it is removed when the run ends.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.ephemeral
    }

    /// Creates a folder inside that only this user can read.
    pub(crate) fn private_dir(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        make_dir(&path, 0o700)?;
        Ok(path)
    }

    /// Creates a folder inside for temporary files. Other users can enter it, and can't list it.
    pub(crate) fn shared_dir(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        make_dir(&path, 0o711)?;
        Ok(path)
    }

    /// Writes this process and its address to the lock file, for the error message of a second run.
    pub(crate) fn sign(&self, address: &str) -> Result<()> {
        self.lock.set_len(0)?;
        // Opened for appending: after truncation this writes at the start.
        writeln!(&self.lock, "{} at {address}", std::process::id())?;
        Ok(())
    }

    /// The lock as a handle for a child, which then holds it as well.
    pub(crate) fn lock_handle(&self) -> Result<Stdio> {
        Ok(self.lock.try_clone()?.into())
    }

    /// Removes an ephemeral folder and its lock.
    pub(crate) fn remove(path: &Path) -> Result<()> {
        if let Ok(memory) = fs::read_link(path.join(MEMORY)) {
            absent_is_fine(fs::remove_dir_all(memory))?;
        }
        absent_is_fine(fs::remove_dir_all(path))?;
        absent_is_fine(fs::remove_file(lock_path(path)))
    }
}

/// Writes a file atomically, readable by this user alone.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    absent_is_fine(fs::remove_file(&part))?;
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&part)?;
    file.write_all(content)?;
    fs::rename(&part, path).with_context(|| format!("write {}", path.display()))
}

/// Kills servers that outlived both their run and its reaper. They are recognised by their program and their working
/// directory: a person's shell may be in the folder, too. Does nothing on systems without /proc.
fn end_leftovers(path: &Path) {
    let memory = fs::read_link(path.join(MEMORY)).ok();
    let is_within = |folder: &Path| {
        folder.starts_with(path) || memory.as_ref().is_some_and(|memory| folder.starts_with(memory))
    };
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let links = |name| fs::read_link(entry.path().join(name)).unwrap_or_default();
        // After a rebuild the path ends with " (deleted)".
        let program = links("exe").file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ours = PROGRAMS.contains(&program.trim_end_matches(" (deleted)"));
        if ours && is_within(&links("cwd")) {
            let process = Pid::from_raw(process);
            let _gone = kill(process, Signal::SIGKILL);
            while is_running(process) {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
}

fn open_lock(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true).mode(0o600);
    options.open(path).with_context(|| format!("open {}", path.display()))
}

fn lock_path(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Creates the folder if it is absent. Sets the mode afterwards, since the umask applies to creation.
fn make_dir(path: &Path, mode: u32) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .with_context(|| format!("create {}", path.display()))?;
    if fs::symlink_metadata(path)?.uid() == Uid::effective().as_raw() {
        fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    Ok(())
}

fn absent_is_fine(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
