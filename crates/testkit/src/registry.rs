//! Packages that others wrote, fetched from npm and PyPI into a folder that is kept between runs.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs packages of npm (`name@version`) into `folder`, so that scripts there can import them. Without npm or its
/// registry it prints that the test is skipped, and returns `None`.
pub fn npm(folder: &Path, packages: &[&str]) -> Option<PathBuf> {
    let install = || {
        let mut npm = Command::new("npm");
        npm.arg("install").arg("--prefix").arg(folder).args(["--no-audit", "--no-fund"]).args(packages);
        succeeds(npm)
    };
    is_installed(folder, packages, install).then(|| folder.to_owned())
}

/// Installs packages of PyPI (`name==version`) into an environment in `folder`; returns its Python. Without Python or
/// the registry it prints that the test is skipped, and returns `None`.
pub fn pypi(folder: &Path, packages: &[&str]) -> Option<PathBuf> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let install = || {
        let mut create = Command::new("python3");
        create.args(["-m", "venv"]).arg(&venv);
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        succeeds(create) && succeeds(pip)
    };
    is_installed(folder, packages, install).then_some(python)
}

/// Runs `install` unless a file in the folder says that these packages are installed.
fn is_installed(folder: &Path, packages: &[&str], install: impl FnOnce() -> bool) -> bool {
    fs::create_dir_all(folder).unwrap();
    // Tests of several processes may want the same packages.
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let (mark, packages) = (folder.join("installed"), packages.join("\n"));
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == packages) {
        return true;
    }
    if install() {
        fs::write(&mark, packages).unwrap();
        return true;
    }
    eprintln!(
        "NOT TESTED: {packages} could not be installed; are node, npm and python3 there, and the registries?"
    );
    false
}

fn succeeds(mut command: Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
