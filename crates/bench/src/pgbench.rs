//! PostgreSQL's client programs on the service's database.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::load::Load;
use crate::process::output;

/// Most threads of pgbench.
const MAX_JOBS: usize = 2;
/// Lets `copy` write rows as they are: no trigger runs, and no foreign key is checked.
const UNCHECKED: &str = "set session_replication_role = replica";
const UNLIMITED: &str = "set statement_timeout = 0";

/// A database and its client programs.
pub(crate) struct Database {
    bin: PathBuf,
    /// The URL without its password: every user can read the arguments of a process.
    url: String,
    password: String,
}

/// Planning of pgbench's statements.
#[derive(Clone, Copy)]
pub(crate) enum Plans {
    /// One generic plan for each connection, without JIT, as for the service's statements.
    Generic,
    /// PostgreSQL's default: plans for values if they are cheaper.
    Automatic,
}

impl Database {
    /// The database of a URL with a password; nothing if PostgreSQL was installed without client programs.
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

    /// Runs statements, each in its own transaction.
    pub(crate) fn run<S: AsRef<str>>(&self, statements: &[S]) -> Result<()> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"]);
        for statement in statements {
            command.args(["--command", statement.as_ref()]);
        }
        output("psql", command.arg(&self.url)).map(drop)
    }

    /// The single value that a statement returns.
    pub(crate) fn ask(&self, statement: &str) -> Result<String> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", statement]);
        Ok(output("psql", command.arg(&self.url))?.trim().to_owned())
    }

    /// Copies rows to a table and its columns: `write` writes them as lines of fields with tabs between, in the text format
    /// of `copy`. Triggers don't run, and foreign keys aren't checked.
    pub(crate) fn copy(&self, into: &str, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let mut command = self.program("psql");
        command.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"]);
        let copy = format!("copy {into} from stdin");
        for statement in [UNLIMITED, UNCHECKED, copy.as_str()] {
            command.args(["--command", statement]);
        }
        command.arg(&self.url).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut psql = command.spawn().context("start psql")?;
        let mut input = BufWriter::new(psql.stdin.take().context("psql has no input")?);
        let written = write(&mut input).and_then(|()| Ok(input.flush()?));
        drop(input);
        let ended = psql.wait_with_output()?;
        if !ended.status.success() {
            bail!("copy {into} failed:\n{}", String::from_utf8_lossy(&ended.stderr).trim_end());
        }
        written.with_context(|| format!("copy {into}"))
    }

    /// Fills a table while it has no GIN index, and creates these again: entry by entry they take many times as long.
    pub(crate) fn without_gin(&self, table: &str, fill: impl FnOnce() -> Result<()>) -> Result<()> {
        let each = |expression: &str| {
            self.ask(&format!(
                "select coalesce(string_agg({expression}, ';'), 'select 1') from pg_indexes \
                 where tablename = '{table}' and indexdef like '%USING gin%'"
            ))
        };
        let (drops, definitions) = (each("'drop index ' || indexname")?, each("indexdef")?);
        self.run(&[drops])?;
        let filled = fill();
        // After a failure, too: other groups need them.
        self.run(&[UNLIMITED, "set maintenance_work_mem = '512MB'", definitions.as_str()])?;
        filled
    }

    /// Transactions per second of a script with the variables `step` and `round`.
    pub(crate) fn rate(&self, script: &Path, round: usize, load: Load) -> Result<f64> {
        let variables = [("step".to_owned(), "0".to_owned()), ("round".to_owned(), round.to_string())];
        self.rate_with(script, &variables, Plans::Generic, load)
    }

    /// Transactions per second of a script with these variables. Each statement is prepared once and sent alone.
    pub(crate) fn rate_with(
        &self,
        script: &Path,
        variables: &[(String, String)],
        plans: Plans,
        load: Load,
    ) -> Result<f64> {
        let mut command = self.program("pgbench");
        if let Plans::Generic = plans {
            command.env("PGOPTIONS", "-c plan_cache_mode=force_generic_plan -c jit=off");
        }
        command.args(["--no-vacuum", "--protocol", "prepared", "--jobs"]);
        command.arg(load.clients.min(MAX_JOBS).to_string());
        command.args(["--client", &load.clients.to_string(), "--time", &load.time.as_secs().to_string()]);
        for (name, value) in variables {
            command.args(["--define", &format!("{name}={value}")]);
        }
        let printed = output("pgbench", command.arg("--file").arg(script).arg(&self.url))?;
        // Versions that print two rates print the one without connection time last.
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
