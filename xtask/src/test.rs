//! `cargo xtask test`: the tests of the whole workspace, against a private PostgreSQL and Redis.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::log;
use crate::process::exit_code;
use crate::provision::{Prerequisites, Servers, packages};
use crate::workspace::{Workspace, cargo_in};

/// The migrated database that every test copies.
const TEMPLATE: &str = "atelier_template";

/// The test programs that need a browser, which is a large package.
const BROWSER_TESTS: [&str; 2] = ["console", "site"];
/// The test program that compiles a generated client in Go, which is a large package, too.
const CLIENT_TESTS: &str = "generators";

/// Arguments of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Arguments of `cargo test`, for example a filter or `-- --nocapture`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    cargo_args: Vec<String>,
}

impl Args {
    /// True unless other test programs are selected by name.
    fn may_run(&self, test: &str) -> bool {
        let of_cargo: Vec<&str> =
            self.cargo_args.iter().map(String::as_str).take_while(|arg| *arg != "--").collect();
        of_cargo.contains(&test) || !of_cargo.contains(&"--test")
    }
}

/// Runs the tests; the exit code is theirs.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let mut servers = Prerequisites::find_or_install(&workspace)?.start_servers(TEMPLATE)?;
    // Some tests start the services as processes.
    if !servers.supervisor.run("cargo build", workspace.build_command())?.success() {
        bail!("the programs don't build");
    }
    servers.migrate(&workspace, TEMPLATE)?;
    let mut tests = cargo_in(&workspace.root);
    tests.args(["test", "--workspace", "--no-fail-fast"]).args(&args.cargo_args);
    set_environment(&mut tests, &workspace, &servers)?;
    if BROWSER_TESTS.iter().any(|test| args.may_run(test)) {
        // Their clients and pages; the tests name what is missing.
        packages::find_or_install_npm(&workspace)?;
        let browser = packages::find_or_install_chromium(&workspace)?;
        tests.envs(browser.map(|program| ("ATELIER_TEST_CHROMIUM", program)));
    }
    if args.may_run(CLIENT_TESTS) {
        let go = packages::find_or_install_go(&workspace)?;
        tests.envs(go.map(|program| ("ATELIER_TEST_GO", program)));
    }
    let status = servers.supervisor.run("cargo test", tests)?;
    if !status.success() {
        log(format_args!("cargo test: {status}"));
    }
    Ok(exit_code(status))
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
        .env("TMPDIR", servers.folder.shared_dir("tmp")?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Args;

    #[test]
    fn a_browser_is_needed_unless_only_other_tests_are_selected() {
        let may_run = |args: &[&str]| {
            Args { cargo_args: args.iter().map(|arg| (*arg).to_owned()).collect() }.may_run("site")
        };
        assert!(may_run(&[]));
        assert!(may_run(&["--", "--nocapture"]));
        assert!(may_run(&["--test", "bulk", "--test", "site"]));
        assert!(!may_run(&["--test", "bulk", "--", "site"]));
    }
}
