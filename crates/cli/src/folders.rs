//! The folders of this program: configuration and state, where the system's conventions have them.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::failure::{CommandFailure, CommandResult};

/// Name of this program's folders.
const NAME: &str = "atelier";

/// A folder of this run alone. It is removed with its content when this is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes a folder below that of the state. `kind` is the name of the folder above.
    pub(crate) fn make(kind: &str) -> CommandResult<Self> {
        let folder = state()?.join(kind).join(uuid::Uuid::new_v4().to_string());
        make_private(&folder)?;
        Ok(Self(folder))
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

/// Makes a folder that only this user can read.
pub(crate) fn make_private(folder: &Path) -> CommandResult<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| CommandFailure::local(&format!("make {}", folder.display()), error))
}

fn strategy() -> CommandResult<impl BaseStrategy> {
    etcetera::choose_base_strategy().map_err(|error| CommandFailure::local("find the home folder", error))
}
