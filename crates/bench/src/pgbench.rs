//! PostgreSQL's own client programs, on the service's database.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::load::Load;
use crate::process::output;

/// Most threads of pgbench.
const MAX_JOBS: usize = 2;

/// A database, and the programs to use it with.
pub(crate) struct Database {
    bin: PathBuf,
    /// The URL without its password, which is not for everyone to see among the arguments of a process.
    url: String,
    password: String,
}

/// How PostgreSQL plans what pgbench sends.
#[derive(Clone, Copy)]
pub(crate) enum Plans {
    /// Once for each connection, and without compiling, as it plans what the service sends.
    AsTheServices,
    /// As it sees fit, for the values where it finds that better.
    AsItSeesFit,
}

impl Database {
    /// The database of a URL with a password; nothing where PostgreSQL came without its client programs.
    pub(crate) fn open(bin: &Path, url: &str) -> Result<Option<Self>> {
        let split = || {
            let (scheme, rest) = url.split_once("://")?;
            let (user, host) = rest.split_once('@')?;
            let (user, password) = user.split_once(':')?;
            Some((format!("{scheme}://{user}@{host}"), password.to_owned()))
        };
        let (url, password) = split().context("the database's URL has no password")?;
        let complete = ["psql", "pgbench"].iter().all(|program| bin.join(program).exists());
        Ok(complete.then(|| Self { bin: bin.to_owned(), url, password }))
    }

    /// Runs statements, each in a transaction of its own.
    pub(crate) fn run<S: AsRef<str>>(&self, statements: &[S]) -> Result<()> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"]);
        for statement in statements {
            command.args(["--command", statement.as_ref()]);
        }
        output("psql", command.arg(&self.url)).map(drop)
    }

    /// The one value that a statement answers.
    pub(crate) fn ask(&self, statement: &str) -> Result<String> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", statement]);
        Ok(output("psql", command.arg(&self.url))?.trim().to_owned())
    }

    /// Transactions per second of a script that makes its values of `step` and `round`.
    pub(crate) fn rate(&self, script: &Path, round: usize, load: Load) -> Result<f64> {
        let variables = [("step".to_owned(), "0".to_owned()), ("round".to_owned(), round.to_string())];
        self.rate_with(script, &variables, Plans::AsTheServices, load)
    }

    /// Transactions per second of a script with these variables, each statement prepared once and sent by itself.
    pub(crate) fn rate_with(
        &self,
        script: &Path,
        variables: &[(String, String)],
        plans: Plans,
        load: Load,
    ) -> Result<f64> {
        let mut command = self.program("pgbench");
        if let Plans::AsTheServices = plans {
            command.env("PGOPTIONS", "-c plan_cache_mode=force_generic_plan -c jit=off");
        }
        command.args(["--no-vacuum", "--protocol", "prepared", "--jobs"]);
        command.arg(load.clients.min(MAX_JOBS).to_string());
        command.args(["--client", &load.clients.to_string(), "--time", &load.time.as_secs().to_string()]);
        for (name, value) in variables {
            command.args(["--define", &format!("{name}={value}")]);
        }
        let printed = output("pgbench", command.arg("--file").arg(script).arg(&self.url))?;
        // Versions that print two rates print the one without the time to connect last.
        let mut rates =
            printed.lines().filter_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next());
        rates.next_back().context("pgbench printed no rate")?.parse().context("pgbench's rate")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.env("PGPASSWORD", &self.password).env_remove("LD_LIBRARY_PATH");
        command
    }
}
