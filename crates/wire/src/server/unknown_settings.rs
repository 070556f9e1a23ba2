//! Variables that look like settings: removed ones, and misspelt ones.

use std::env;
use std::ffi::OsStr;

use clap::Command;

/// Prefix of the variables of settings.
const PREFIX: &str = "ATELIER_";
/// Prefix of the variables of tests, which their services inherit.
const OF_TESTS: &str = "ATELIER_TEST_";

/// Warns of variables that no setting of `program` reads. They are ignored, as the other plane may have them.
pub fn warn_of_unknown_settings(program: &Command) {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = unknown(program, names);
    if !unknown.is_empty() {
        tracing::warn!(settings = unknown.join(", "), "variables ignored: no settings of this program");
    }
}

fn unknown(program: &Command, names: impl Iterator<Item = String>) -> Vec<String> {
    let arguments = program.get_subcommands().flat_map(Command::get_arguments);
    let known: Vec<&OsStr> = arguments.filter_map(|argument| argument.get_env()).collect();
    let is_unknown = |name: &String| {
        name.starts_with(PREFIX) && !name.starts_with(OF_TESTS) && !known.contains(&OsStr::new(name))
    };
    let mut unknown: Vec<String> = names.filter(is_unknown).collect();
    unknown.sort();
    unknown
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::unknown;

    #[test]
    fn removed_and_misspelt_settings_are_told() {
        let serve = Command::new("serve").arg(Arg::new("listen").env("ATELIER_LISTEN"));
        let names =
            ["PATH", "ATELIER_UPKEEP_SECS", "ATELIER_LISTEN", "ATELIER_LISTENS", "ATELIER_TEST_BOUNDS"];
        let told = unknown(&Command::new("plane").subcommand(serve), names.map(str::to_owned).into_iter());
        assert_eq!(told, ["ATELIER_LISTENS", "ATELIER_UPKEEP_SECS"]);
    }
}
