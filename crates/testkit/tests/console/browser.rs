//! Chromium, driven by the scripts of `journeys`. It needs npm; without either a test prints that it is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use testkit::environment::chromium;
use testkit::registry::npm;

const PACKAGES: &[&str] = &["puppeteer-core@24.43.1", "axe-core@4.14.1"];

/// Chromium, and a folder with the scripts and the packages that drive it. The pool of tests runs one at a time: one
/// with its services fills a small machine, and of two each would wait for the other's work, longer than a person
/// would.
pub(crate) struct Browser {
    program: String,
    folder: PathBuf,
}

impl Browser {
    /// `None`, with a line that says so, without Chromium or npm.
    pub(crate) fn find() -> Option<Self> {
        let program = chromium()?;
        let folder = npm(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("console"), PACKAGES)?;
        let journeys = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/console/journeys");
        for script in fs::read_dir(journeys).unwrap() {
            let script = script.unwrap();
            fs::copy(script.path(), folder.join(script.file_name())).unwrap();
        }
        Some(Self { program, folder })
    }

    /// Runs a script of `journeys`, which prints what is wrong.
    pub(crate) async fn run(&self, script: &str, arguments: Vec<String>) {
        let mut command = self.node(script);
        command.arg(&self.program).args(arguments);
        let done = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Starts a server among the scripts.
    pub(crate) fn serve(&self, script: &str) -> Served {
        Served(self.node(script).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn node(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(script).current_dir(&self.folder);
        command
    }
}

/// A child process that ends with its test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}
