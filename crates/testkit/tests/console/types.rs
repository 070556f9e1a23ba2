//! The console's types, and the unit tests of its models. Without npm each test prints that it is skipped.

use std::path::Path;
use std::process::Command;

/// Runs a script of the console's package, whose packages `cargo xtask test` has installed.
fn run(script: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../console");
    if !folder.join("node_modules/.bin").exists() {
        eprintln!("NOT TESTED: the console's packages are not installed; is npm there, and its registry?");
        return;
    }
    let done = Command::new("npm").args(["run", "--silent", script]).current_dir(folder).output().unwrap();
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(done.status.success(), "{}", said.concat());
}

#[test]
fn the_types_of_the_console_agree() {
    run("check");
}

#[test]
fn the_models_of_the_console_pass_their_unit_tests() {
    run("test");
}
