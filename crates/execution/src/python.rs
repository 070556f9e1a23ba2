//! Python by the deployment's CPython, which the worker becomes. It is confined to the interpreter's files. `bootstrap.py`
//! loads the modules that code may import, and then installs the filters of system calls.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::process::Command;
use tokio::time::timeout;

/// Options for isolation from the environment, without site packages and written files.
const OPTIONS: [&str; 6] = ["-I", "-S", "-B", "-X", "utf8", "-c"];
/// The script that runs the code.
const BOOTSTRAP: &str = include_str!("python/bootstrap.py");
/// First line of the script for the search of the interpreter's files.
const PROBE: &str = "PROBING = True\n";
/// Cache of the dynamic linker.
const LIBRARY_CACHE: &str = "/etc/ld.so.cache";
/// Exit code of the script at its time limit.
pub(crate) const TIMED_OUT: i32 = 79;
/// Longest time to find the interpreter.
const PROBE_TIME: Duration = Duration::from_secs(20);

/// A working CPython with the files that it needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Interpreter {
    path: PathBuf,
    version: String,
    files: Vec<PathBuf>,
}

impl Interpreter {
    /// Finds the interpreter by name or path.
    ///
    /// # Errors
    /// The reason of its absence, for people.
    pub(crate) async fn find(program: &OsStr) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(OPTIONS).arg(format!("{PROBE}{BOOTSTRAP}")).stdin(Stdio::null()).kill_on_drop(true);
        let output = timeout(PROBE_TIME, command.output())
            .await
            .map_err(|_| "it does not answer".to_owned())?
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr);
            return Err(printed.lines().last().unwrap_or("it fails").to_owned());
        }
        let mut found: Self = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        found.files.push(LIBRARY_CACHE.into());
        Ok(found)
    }

    /// Its version, for example `3.13.5`.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// The program that runs Python code for at most `time`.
    pub(crate) fn program(&self, time: Duration) -> sandbox::ForeignProgram {
        let (seconds, niceness) = (time.as_secs_f64(), sandbox::NICENESS);
        let bootstrap = format!("PROBING = False\nSECONDS, NICENESS = {seconds}, {niceness}\n{BOOTSTRAP}");
        let arguments = OPTIONS.iter().map(|&option| option.to_owned()).chain([bootstrap]).collect();
        sandbox::ForeignProgram { path: self.path.clone(), arguments, files: self.files.clone() }
    }
}
