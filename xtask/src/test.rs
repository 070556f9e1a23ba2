//! `cargo xtask test`: the tests of the whole workspace, against a private PostgreSQL and Redis. Every test is a process
//! of one pool, so that all programs share the cores, and each test is killed, timed and shown alone.

mod needs;
mod pool;
mod programs;
mod record;
mod report;
mod shared;
mod timings;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail, ensure};

use crate::console;
use crate::folder::write_private;
use crate::log;
use crate::process::exit_code;
use crate::provision::{Prerequisites, Servers, packages};
use crate::test::needs::Needs;
use crate::test::programs::Test;
use crate::test::record::Record;
use crate::workspace::Workspace;

pub(crate) use pool::Args as PoolArgs;
pub(crate) use pool::run as run_pool;

/// The migrated database that every test copies.
const TEMPLATE: &str = "atelier_template";

/// Arguments of `cargo xtask test`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Tests whose path contains one of these texts; all without any. A path is `package::program::test`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only the tests of these packages
    #[arg(short, long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// Only these test programs; of the others none is built
    #[arg(long, value_name = "PROGRAM")]
    test: Vec<String>,
    /// Only the tests that failed when they last ran
    #[arg(long)]
    only_failed: bool,
    /// Only tests that need no server: those beside the code that they test
    #[arg(long)]
    unit: bool,
    /// Tests at once; twice the number of cores if absent, as tests wait for their services
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=64))]
    jobs: Option<u8>,
    /// Runs everything this number of times, and ends with a line for each run
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Runs busy loops beside the tests, one for each core
    #[arg(long)]
    under_load: bool,
    /// Prints which crates the build took its time for
    #[arg(long)]
    timings: bool,
}

impl Args {
    /// All unit tests.
    pub(crate) fn unit() -> Self {
        Self { unit: true, repeat: 1, ..Self::default() }
    }

    fn selects(&self, test: &Test, record: &Record) -> bool {
        let path = test.path();
        (self.names.is_empty() || self.names.iter().any(|name| path.contains(name)))
            && (self.package.is_empty() || self.package.contains(&test.program.package))
            && (self.test.is_empty() || self.test.contains(&test.program.name))
            && (!self.unit || test.program.is_unit)
            && (!self.only_failed || record.failed.contains(&path))
    }
}

/// Runs the tests; the exit code is theirs.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    console::build(&workspace)?;
    let build = programs::Build { only: &args.test, unit: args.unit, timings: args.timings };
    let programs = programs::build(&workspace, &build)?;
    let record = Record::read(&workspace)?;
    let mut tests = programs::tests(&programs)?;
    let all = tests.len();
    if args.test.is_empty() && !args.unit {
        let paths: Vec<String> = tests.iter().map(Test::path).collect();
        let forgotten = Needs::forgotten(&paths);
        ensure!(
            forgotten.is_empty(),
            "no test begins with {}: mend the table of needs",
            forgotten.join(", ")
        );
    }
    tests.retain(|test| args.selects(test, &record));
    ensure!(!tests.is_empty(), "none of {all} tests is meant");

    fs::create_dir_all(Record::folder(&workspace))?;
    let _one_run = lock(&Record::folder(&workspace))?;
    let plan = Record::folder(&workspace).join("plan.json");
    write_private(&plan, &serde_json::to_vec(&tests)?)?;
    // Not the file that runs: the build may have replaced it.
    let mut pool = Command::new(workspace.binary("xtask"));
    pool.arg("run-tests").arg("--tests").arg(&plan).arg("--record").arg(Record::folder(&workspace));
    pool.args(["--repeat", &args.repeat.to_string()]);
    pool.args(args.jobs.map(|jobs| format!("--jobs={jobs}"))).args(args.under_load.then_some("--under-load"));
    if args.unit {
        return Ok(exit_code(pool.status()?));
    }
    let mut servers = Prerequisites::find_or_install(&workspace)?.start_servers(TEMPLATE)?;
    servers.migrate(&workspace, TEMPLATE)?;
    set_environment(&mut pool, &workspace, &servers)?;
    set_tools(&mut pool, &workspace, &tests)?;
    let status = servers.supervisor.run("the tests", pool)?;
    if status.code().is_none() {
        bail!("the tests: {status}");
    }
    Ok(exit_code(status))
}

/// Waits until no other run uses the folder of records; held until the file is closed.
fn lock(folder: &Path) -> Result<File> {
    let file = File::create(folder.join("lock"))?;
    if file.try_lock().is_err() {
        log("waiting for another run of the tests in this checkout");
        file.lock()?;
    }
    Ok(file)
}

/// Sets the variables by which tests find their servers and programs.
pub(crate) fn set_environment(command: &mut Command, workspace: &Workspace, servers: &Servers) -> Result<()> {
    command
        .env("ATELIER_TEST_DATABASE_URL", servers.postgres.url("postgres"))
        .env("ATELIER_TEST_TEMPLATE", TEMPLATE)
        .env("ATELIER_TEST_REDIS_URL", &servers.redis_url)
        .env("ATELIER_TEST_REDIS_SERVER", &servers.tools.redis_server)
        .env("ATELIER_TEST_POSTGRES_BIN", &servers.tools.postgres_bin)
        .env("ATELIER_TEST_BIN", &workspace.bin)
        // One test needs it, and fails without it.
        .envs(packages::find_or_install_git_lfs(workspace)?.map(|program| ("ATELIER_TEST_GIT_LFS", program)))
        // The tests of executions name it as missing.
        .envs(packages::find_or_install_python(workspace)?.map(|program| ("ATELIER_PYTHON", program)))
        // Files of killed tests are removed with the folder.
        .env("TMPDIR", servers.folder.shared_dir("tmp")?)
        // Without it each test of a snapshot asks cargo.
        .env("INSTA_WORKSPACE_ROOT", &workspace.root);
    Ok(())
}

/// Installs the large packages that only some of the tests need. The tests name what is missing.
fn set_tools(command: &mut Command, workspace: &Workspace, tests: &[Test]) -> Result<()> {
    let needs: Vec<Needs> = tests.iter().map(Test::needs).collect();
    if needs.iter().any(|needs| needs.browser) {
        packages::find_or_install_npm(workspace)?;
        let browser = packages::find_or_install_chromium(workspace)?;
        command.envs(browser.map(|program| ("ATELIER_TEST_CHROMIUM", program)));
    }
    if needs.iter().any(|needs| needs.go) {
        let go = packages::find_or_install_go(workspace)?;
        command.envs(go.map(|program| ("ATELIER_TEST_GO", program)));
    }
    Ok(())
}
