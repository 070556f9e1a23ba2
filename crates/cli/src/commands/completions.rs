//! Print completions for a shell.

use clap::{Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::Exit;
use crate::output;

/// Prints the script.
pub(crate) fn run(shell: Shell) -> Exit {
    // The generator panics where it can't write.
    let mut script = Vec::new();
    let mut program = without_files(without_hidden(&Arguments::command()));
    clap_complete::generate(shell, &mut program, "atelier", &mut script);
    output::stream(&script);
    Exit::Done
}

/// The program without the commands that are for other programs, which the generator would offer.
fn without_hidden(program: &Command) -> Command {
    Command::new("atelier")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .args(program.get_arguments())
        .subcommands(program.get_subcommands().filter(|command| !command.is_hide_set()))
}

/// The program whose arguments are files only where they are paths. A shell offers files for an argument without a hint.
fn without_files(command: Command) -> Command {
    command
        .mut_args(|argument| match argument.get_value_hint() {
            ValueHint::Unknown if argument.get_action().takes_values() => {
                argument.value_hint(ValueHint::Other)
            }
            _ => argument,
        })
        .mut_subcommands(without_files)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueHint};

    use super::without_files;
    use crate::arguments::Arguments;

    #[test]
    fn shells_offer_files_for_paths_and_languages_for_a_language() {
        let mut program = without_files(Arguments::command());
        program.build();
        let hint = |command: &str, name: &str| {
            let of_it = program.find_subcommand(command).unwrap();
            of_it.get_arguments().find(|argument| argument.get_id() == name).unwrap().get_value_hint()
        };
        assert_eq!((hint("upload", "to"), hint("upload", "paths")), (ValueHint::Other, ValueHint::AnyPath));
        assert_eq!((hint("tree", "place"), hint("exec", "file")), (ValueHint::Other, ValueHint::AnyPath));
        let exec = program.find_subcommand("exec").unwrap();
        let language = exec.get_arguments().find(|argument| argument.get_id() == "language").unwrap();
        let names: Vec<_> =
            language.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        assert_eq!(names, ["javascript", "python"]);
    }
}
