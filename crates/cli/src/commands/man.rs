//! Write the man pages.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::Arguments;
use crate::failure::{CommandFailure, CommandResult, Exit};

/// Stands for the date of a page, so that equal programs write equal pages. A missing one would make the next field the
/// date.
const NO_DATE: &str = " ";

/// The variables that every command reads.
const ENVIRONMENT: &str = "\
ATELIER_URL      address of the service, instead of the profile's
ATELIER_KEY      API key or browser token, instead of the profile's
ATELIER_PROFILE  profile of the credential to use
ATELIER_PAGER    pager of long output in a terminal; PAGER or less by default, none if it is empty or cat
NO_COLOR         no colours, if it is set
COLUMNS          width of boards and burndowns without a terminal
XDG_CONFIG_HOME  folder of profiles, ~/.config by default
XDG_STATE_HOME   folder of the state of runs, ~/.local/state by default";

/// Writes a page for the program and for each command.
pub(crate) fn run(folder: &Path) -> CommandResult<Exit> {
    let failed =
        |error: std::io::Error| CommandFailure::io(&format!("write to {}", folder.display()), &error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    write(&program, folder).map_err(failed)?;
    Ok(Exit::Done)
}

fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(command, folder)?;
    }
    let source = concat!("atelier ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).date(NO_DATE).source(source).manual("Atelier");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|command| !command.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    // The pages' generator would flow the lines of examples and shapes into paragraphs.
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for (heading, text) in after_help(&after) {
        page.extend(section(heading, &text).into_bytes());
    }
    page.extend(section("ENVIRONMENT", ENVIRONMENT).into_bytes());
    std::fs::write(folder.join(man.get_filename()), page)
}

/// The text after the help, by sections: its paragraphs say by their first words where they belong.
fn after_help(text: &str) -> Vec<(&'static str, String)> {
    let mut sections = ["EXAMPLES", "NOTES", "JSON", "EXIT STATUS"].map(|heading| (heading, String::new()));
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let (place, paragraph) = match paragraph.split_once('\n') {
            Some(("Example:" | "Examples:", examples)) => ("EXAMPLES", examples),
            Some(("Exit codes:", codes)) => ("EXIT STATUS", codes),
            _ if paragraph.starts_with("With --json") => ("JSON", paragraph),
            _ => ("NOTES", paragraph),
        };
        for (_, section) in sections.iter_mut().filter(|(heading, _)| *heading == place) {
            let gap = if section.is_empty() { "" } else { "\n\n" };
            section.push_str(gap);
            section.push_str(paragraph);
        }
    }
    sections.into_iter().filter(|(_, section)| !section.is_empty()).collect()
}

/// A section whose lines stay as they are.
fn section(heading: &str, text: &str) -> String {
    let mut section = format!(".SH {heading}\n.nf\n");
    for line in text.lines() {
        // At the beginning of a line these two would begin a request.
        if line.starts_with(['.', '\'']) {
            section.push_str("\\&");
        }
        section.push_str(&line.replace('\\', "\\e").replace('-', "\\-"));
        section.push('\n');
    }
    section + ".fi\n"
}

#[cfg(test)]
mod tests {
    use super::{after_help, section};

    #[test]
    fn the_text_after_the_help_has_sections() {
        let text = "Examples:\n  a b\n  a c\n\nAsks first.\n\nWith --json: {}\n\nExit codes:\n  0  done";
        let sections = [("EXAMPLES", "  a b\n  a c"), ("NOTES", "Asks first."), ("JSON", "With --json: {}")];
        let sections = sections.into_iter().chain([("EXIT STATUS", "  0  done")]);
        assert_eq!(
            after_help(text),
            sections.map(|(name, text)| (name, text.to_owned())).collect::<Vec<_>>()
        );
    }

    #[test]
    fn lines_of_a_section_stay_lines() {
        assert_eq!(section("EXTRA", "a -b\n.c \\"), ".SH EXTRA\n.nf\na \\-b\n\\&.c \\e\n.fi\n");
    }
}
