//! The folders of this program: configuration and state, where the system's conventions have them.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::failure::{CommandFailure, CommandResult};

/// Name of this program's folders.
const NAME: &str = "atelier";

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
