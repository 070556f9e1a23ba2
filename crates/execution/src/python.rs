//! Python, by the CPython of the deployment: what the worker becomes, confined to the interpreter's own files until the
//! first lines of `bootstrap.py` have loaded what code may import and closed the fence behind them.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::process::Command;
use tokio::time::timeout;

/// Isolated from its environment, without the packages of its installation, writing no files.
const OPTIONS: [&str; 6] = ["-I", "-S", "-B", "-X", "utf8", "-c"];
/// What runs the code.
const BOOTSTRAP: &str = include_str!("python/bootstrap.py");
/// What comes before it to find out which files it needs.
const PROBE: &str = "PROBING = True\n";
/// Where the system's libraries are found fastest.
const LIBRARY_CACHE: &str = "/etc/ld.so.cache";
/// Longest time of finding the interpreter.
const PROBE_TIME: Duration = Duration::from_secs(20);

/// A CPython that works, with the files that it needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Interpreter {
    path: PathBuf,
    files: Vec<PathBuf>,
}

impl Interpreter {
    /// The interpreter that a name or path stands for, as this process finds it.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub(crate) async fn find(program: &OsStr) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(OPTIONS).arg(format!("{PROBE}{BOOTSTRAP}")).stdin(Stdio::null()).kill_on_drop(true);
        let output = timeout(PROBE_TIME, command.output())
            .await
            .map_err(|_| "it does not answer".to_owned())?
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(said.lines().last().unwrap_or("it fails").to_owned());
        }
        let mut found: Self = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        found.files.push(LIBRARY_CACHE.into());
        Ok(found)
    }

    /// What a worker becomes that runs code in Python for at most `time`.
    pub(crate) fn program(&self, time: Duration) -> sandbox::Program {
        let bootstrap = format!("PROBING = False\nSECONDS = {}\n{BOOTSTRAP}", time.as_secs_f64());
        let arguments = OPTIONS.iter().map(|&option| option.to_owned()).chain([bootstrap]).collect();
        sandbox::Program { path: self.path.clone(), arguments, files: self.files.clone() }
    }
}
