//! Long output: in a terminal by the user's pager, anywhere else as it comes.

use std::io::{IsTerminal, Write};
use std::process::{Command, ExitStatus, Stdio};

use anstream::ColorChoice;

use super::visible::printable;
use crate::stop::StopSignals;

/// The pager of users who name none, and its settings: it ends where all fits, keeps colours, and leaves the text.
const PAGER: &str = "less";
const LESS: &str = "FRX";
/// The exit code of a shell that doesn't find the program.
const NO_PROGRAM: i32 = 127;

/// Lines for standard output.
#[derive(Debug)]
pub(crate) struct PagedLines(Option<Vec<String>>);

impl PagedLines {
    /// A page for a pager if standard output is a terminal; else lines are printed at once.
    pub(crate) fn open() -> Self {
        let is_paged = std::io::stdout().is_terminal() && !pager().is_empty();
        Self(is_paged.then(Vec::new))
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, line: &str) {
        match &mut self.0 {
            Some(lines) => lines.push(format!("{}\n", printable(line))),
            None => super::print(line),
        }
    }

    /// Shows the lines, and waits until they were read.
    pub(crate) fn show(self) {
        let Some(lines) = self.0 else { return };
        let text = lines.concat();
        let text = match anstream::AutoStream::choice(&std::io::stdout()) {
            ColorChoice::Never => anstream::adapter::strip_str(&text).to_string(),
            _ => text,
        };
        // Ctrl-C is for the pager.
        let _signals = StopSignals::listen();
        let shown = paged(&text);
        if !shown.is_ok_and(|status| status.code() != Some(NO_PROGRAM)) {
            super::write(&text);
        }
    }
}

fn paged(text: &str) -> std::io::Result<ExitStatus> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager()).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let mut child = command.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A reader who has seen enough closes it.
        drop(input.write_all(text.as_bytes()));
    }
    child.wait()
}

/// The command of the pager; empty for none.
fn pager() -> String {
    let named = std::env::var("ATELIER_PAGER").or_else(|_| std::env::var("PAGER"));
    match named.as_deref().map(str::trim) {
        Ok("cat") => String::new(),
        Ok(pager) => pager.to_owned(),
        Err(_) => PAGER.to_owned(),
    }
}
