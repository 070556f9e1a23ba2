//! Arguments of `import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use domain::planning::import::ImportTool;

use crate::resource::ProjectArgument;

/// The tools whose exports are read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportTool {
    /// Jira: "Export CSV (all fields)"
    Jira,
    /// Linear: "Export data", as CSV
    Linear,
    /// GitHub: issues as JSON, of the REST API or of gh issue list --json
    Github,
    /// Trello: "Export as JSON"
    Trello,
    /// Any table as CSV; --column explains it
    Csv,
    /// Atelier: the file of atelier export
    Ndjson,
}

impl From<ExportTool> for ImportTool {
    fn from(tool: ExportTool) -> Self {
        match tool {
            ExportTool::Jira => Self::Jira,
            ExportTool::Linear => Self::Linear,
            ExportTool::Github => Self::GitHub,
            ExportTool::Trello => Self::Trello,
            ExportTool::Csv => Self::Csv,
            ExportTool::Ndjson => Self::Ndjson,
        }
    }
}

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier import jira jira.csv acme/gearbox --dry-run
  atelier import jira jira.csv acme/gearbox --zone Europe/Berlin
  atelier import csv list.csv acme/gearbox --column Nr=id --column Title=name --column Due=due
  atelier import ndjson gearbox.ndjson acme/gearbox
  atelier import ndjson acme.ndjson acme/gearbox --project Gearbox

The project belongs to an organization. Issues that have a card already are left alone: after a failure, or with a newer
export, the same command goes on. Keys of issues name their cards. Members of the project are known by the addresses in
the export; others stand in comments by name. A file of atelier export also brings boards with their sprints, if the key
may make teams (teams:write): their members are not in the file.

Meanings of columns: id, key, alias, name, description, kind, priority, status, statusCategory, resolution, assignee,
reporter, labels, parent, estimate, start, due, created, updated, closed, sprint, comment, attachment, rank, field, skip.
A column without one is a field of its name. --field puts its values, and those of other tools' fields, into a custom
field of the project; values that the custom field doesn't take are listed, and stand in a comment.

With --json: the import, as GET …/imports/{importId} answers it, and then each note on a line")]
pub(crate) struct Import {
    /// Tool that wrote the export
    #[arg(value_enum, value_name = "TOOL")]
    pub(crate) tool: ExportTool,
    /// Export, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Project that gets the cards
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// Project in the file of atelier export --org: its name, key or id
    #[arg(long = "project", value_name = "NAME")]
    pub(crate) part: Option<String>,
    /// Time zone of the person who exported; UTC by default
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// Meaning of a column of a table; can be repeated
    #[arg(long = "column", value_name = "NAME=MEANING", value_parser = column)]
    pub(crate) columns: Vec<(String, String)>,
    /// Custom field of the project for a column or field of the export; can be repeated
    #[arg(long = "field", value_name = "NAME=FIELD", value_parser = column)]
    pub(crate) fields: Vec<(String, String)>,
    /// Make nothing; show what would be made, and what can't be taken as it is
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn column(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((name, meaning)) if !name.is_empty() && !meaning.is_empty() => {
            Ok((name.to_owned(), meaning.to_owned()))
        }
        _ => Err("expected a column and what it is, for example Title=name".to_owned()),
    }
}
