//! Builds the test programs and the programs that they start, and lists their tests.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::log;
use crate::test::needs::Needs;
use crate::test::timings;
use crate::workspace::{Workspace, cargo_in};

/// The targets of a build.
pub(crate) struct Build<'a> {
    /// Names of test programs; all if empty.
    pub(crate) only: &'a [String],
    /// True if only unit tests are wanted, and no program that other tests start.
    pub(crate) unit: bool,
    /// True if cargo shall tell the time of each crate.
    pub(crate) timings: bool,
}

/// A built test program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    /// Its package.
    pub(crate) package: String,
    /// Its name: of a file or folder of `tests/`, or of the library or binary whose code it contains.
    pub(crate) name: String,
    /// True if its tests stand beside the code.
    pub(crate) is_unit: bool,
    /// The executable.
    pub(crate) path: PathBuf,
    /// The package's folder, where tests run.
    pub(crate) folder: PathBuf,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Test {
    /// Its program.
    pub(crate) program: Arc<Program>,
    /// Its path in the program.
    pub(crate) name: String,
}

impl Test {
    /// Its path among all tests: `package::program::test`.
    pub(crate) fn path(&self) -> String {
        format!("{}::{}::{}", self.program.package, self.program.name, self.name)
    }

    /// Its needs beyond a slot.
    pub(crate) fn needs(&self) -> Needs {
        Needs::of(&self.path())
    }
}

/// Cargo's message on a target that it built.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Builds everything by one call of cargo, which so fills the cores to the end; returns the test programs.
pub(crate) fn build(workspace: &Workspace, build: &Build<'_>) -> Result<Vec<Arc<Program>>> {
    let mut command = cargo_in(&workspace.root);
    // A build of tests alone would leave out programs of packages without any.
    let targets: &[&str] =
        if build.unit { &["test", "--no-run", "--lib", "--bins"] } else { &["build", "--bins"] };
    command.args(targets).arg("--workspace");
    command.args(["--message-format", "json-render-diagnostics"]);
    if build.only.is_empty() && !build.unit {
        command.arg("--tests");
    }
    command.args(build.only.iter().flat_map(|test| ["--test", test]));
    command.args(build.timings.then_some("--timings"));
    let mut cargo = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("start cargo")?;
    let mut programs = Vec::new();
    for line in cargo.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        // Lines of other kinds lack these fields.
        if let Ok(message) = serde_json::from_str::<Message>(&line?) {
            programs.extend(message.program());
        }
    }
    ensure!(cargo.wait()?.success(), "the programs don't build");
    if build.timings {
        // The page is cargo's, of no fixed form: the tests run without it.
        let shown = timings::show(&workspace.target.join("cargo-timings/cargo-timing.html"));
        shown.unwrap_or_else(|error| log(format_args!("the build's times can't be read: {error:#}")));
    }
    programs.sort_by(|one, other| (&one.package, &one.name).cmp(&(&other.package, &other.name)));
    Ok(programs.into_iter().map(Arc::new).collect())
}

impl Message {
    fn program(self) -> Option<Program> {
        let (target, folder) = (self.target?, self.manifest_path?.parent()?.to_owned());
        let is_test = self.profile?.test;
        let package = folder.file_name()?.to_str()?.to_owned();
        let is_unit = !target.kind.iter().any(|kind| kind == "test");
        let program = |path| Program { package, name: target.name, is_unit, path, folder };
        self.executable.filter(|_| is_test).map(program)
    }
}

/// All tests of the programs.
pub(crate) fn tests(programs: &[Arc<Program>]) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for program in programs {
        let names = names(&program.path)?;
        tests.extend(names.into_iter().map(|name| Test { program: Arc::clone(program), name }));
    }
    Ok(tests)
}

fn names(program: &Path) -> Result<Vec<String>> {
    let mut list = Command::new(program);
    let listed = list.args(["--list", "--format", "terse"]).stdin(Stdio::null()).output()?;
    ensure!(listed.status.success(), "{} lists no tests", program.display());
    let text = String::from_utf8(listed.stdout)?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned)).collect())
}
