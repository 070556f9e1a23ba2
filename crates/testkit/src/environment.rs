//! Servers, programs and inputs of tests, from the environment set by `cargo xtask test`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::path::PathBuf;
use std::{env, fs};

use serde_json::Value;

/// URL of the test PostgreSQL as its superuser; each test creates its own databases there.
pub fn database_url() -> String {
    required("ATELIER_TEST_DATABASE_URL")
}

/// Name of the migrated template database.
pub fn template() -> String {
    required("ATELIER_TEST_TEMPLATE")
}

/// URL of the shared Redis; each test has its own prefix.
pub fn redis_url() -> String {
    required("ATELIER_TEST_REDIS_URL")
}

/// The description of the shared deployment, which itself runs before there is one.
pub(crate) fn deployment() -> Option<Value> {
    let file = env::var_os("ATELIER_TEST_DEPLOYMENT")?;
    Some(serde_json::from_slice(&fs::read(file).unwrap()).unwrap())
}

/// Folder of `initdb` and `postgres`.
pub fn postgres_bin() -> PathBuf {
    PathBuf::from(required("ATELIER_TEST_POSTGRES_BIN"))
}

/// Path of `git-lfs`.
pub fn git_lfs() -> PathBuf {
    let missing =
        "there is no git-lfs, and it could not be installed; run once: sudo apt-get install -y git-lfs";
    PathBuf::from(env::var_os("ATELIER_TEST_GIT_LFS").unwrap_or_else(|| panic!("{missing}")))
}

/// Path of `go`, if this machine has it.
pub fn go() -> Option<PathBuf> {
    env::var_os("ATELIER_TEST_GO").map(PathBuf::from)
}

/// Path of Chromium. Without it, a line says that the test is skipped.
pub fn chromium() -> Option<String> {
    let found = env::var("ATELIER_TEST_CHROMIUM").ok();
    if found.is_none() {
        eprintln!("NOT TESTED: no Chromium, and it can't be installed here");
    }
    found
}

/// Path of a built program of the workspace, for example `control`.
pub fn program(name: &str) -> PathBuf {
    let folder = env::var_os("ATELIER_TEST_BIN").map_or_else(
        // Test executables are in `deps/`, one folder below the programs.
        || env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned(),
        PathBuf::from,
    );
    let program = folder.join(name);
    assert!(
        program.exists(),
        "there is no {}: run the tests with `cargo xtask test`, which builds it",
        program.display()
    );
    program
}

/// The folder of real input files, if this machine has it: `ATELIER_TEST_INPUTS`, or
/// `shared/inputs` beside the workspace.
pub fn shared_inputs() -> Option<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    // A worktree lies one folder deeper.
    let beside = ["../../../shared/inputs", "../../../../shared/inputs"].map(|folder| own.join(folder));
    let said = env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    said.into_iter().chain(beside).find(|folder| folder.join("expected").is_dir())
}

fn required(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run the tests with `cargo xtask test`"))
}
