//! Real files, which are too large for the repository.

use std::path::PathBuf;

/// A real file: beside the project, or below `ATELIER_TEST_INPUTS`.
pub(crate) fn find(path: &str) -> Option<PathBuf> {
    let configured = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let beside = ["../shared/inputs", "../../shared/inputs"].map(PathBuf::from);
    configured.into_iter().chain(beside).map(|folder| folder.join(path)).find(|input| input.exists())
}
