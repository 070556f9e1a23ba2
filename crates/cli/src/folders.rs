//! The folders of this program: configuration and state, where the system's conventions have them.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use rusqlite::ErrorCode;

use crate::failure::{CommandFailure, CommandResult, local_reason};

/// Name of this program's folders.
const NAME: &str = "atelier";

/// A folder of this run alone. It is removed with its content when this is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes a folder below that of the state. `kind` is the name of the folder above.
    pub(crate) fn make(kind: &str) -> CommandResult<Self> {
        make_state(&format!("{kind}/{}", uuid::Uuid::new_v4())).map(Self)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The folder of profiles and credentials.
pub(crate) fn configuration() -> CommandResult<PathBuf> {
    Ok(strategy()?.config_dir().join(NAME))
}

/// The folder of runs: hashes, journals. It can be deleted at the price of sending more.
pub(crate) fn state() -> CommandResult<PathBuf> {
    let strategy = strategy()?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join(NAME))
}

/// Makes the folder of a kind of state.
pub(crate) fn make_state(kind: &str) -> CommandResult<PathBuf> {
    let folder = state()?.join(kind);
    make_private(&folder).map_err(|error| unkept_state(&error))?;
    Ok(folder)
}

/// The failure to write a file of the state.
pub(crate) fn unkept_state(error: &std::io::Error) -> CommandFailure {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => forbidden_state(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            full_disk(local_reason(error))
        }
        _ => CommandFailure::io(&format!("keep the state of this run{}", place()), error)
            .next("Set XDG_STATE_HOME to another folder"),
    }
}

impl From<rusqlite::Error> for CommandFailure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                forbidden_state()
            }
            _ => full_disk(error),
        }
    }
}

fn forbidden_state() -> CommandFailure {
    CommandFailure::local(&format!("keep the state of this run{}", place()), "permission denied")
        .next("Make the folder and its files writable, or set XDG_STATE_HOME to another folder")
}

fn full_disk(cause: impl Display) -> CommandFailure {
    CommandFailure::local("keep the state of this run", cause)
        .next("Free some space, or set XDG_STATE_HOME to another disk")
}

fn place() -> String {
    state().map_or_else(|_| String::new(), |folder| format!(" in {}", folder.display()))
}

/// Makes a folder that only this user can read.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn strategy() -> CommandResult<impl BaseStrategy> {
    etcetera::choose_base_strategy().map_err(|error| CommandFailure::local("find the home folder", error))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use rusqlite::ffi;

    use super::unkept_state;
    use crate::failure::CommandFailure;

    #[test]
    fn a_state_without_permission_names_its_folder_and_a_full_disk_needs_space() {
        let of_sqlite =
            |code| CommandFailure::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        for failure in [
            unkept_state(&ErrorKind::PermissionDenied.into()),
            of_sqlite(ffi::SQLITE_READONLY),
            of_sqlite(ffi::SQLITE_CANTOPEN),
        ] {
            assert!(failure.message.ends_with("/atelier: permission denied"), "{}", failure.message);
            assert!(failure.next.unwrap().contains("writable"));
        }
        for failure in [unkept_state(&ErrorKind::StorageFull.into()), of_sqlite(ffi::SQLITE_FULL)] {
            assert!(failure.next.unwrap().starts_with("Free some space"), "{}", failure.message);
        }
    }
}
