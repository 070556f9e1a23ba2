//! Arguments of `export`.

use std::path::PathBuf;

use clap::Args;

use crate::resource::ProjectArgument;

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  atelier export acme/gearbox -o gearbox.ndjson
  atelier import ndjson gearbox.ndjson acme/gearbox --dry-run

A JSON object on each line: the project, people, fields, tags, teams, sprints, cards, comments, history. The last line
counts and hashes the others. Addresses of people are there for admins of the organization; an import finds people by
them. Files of the tree come by atelier clone and atelier sync, those of cards by atelier cards download.

With --json and a file: the last line")]
pub(crate) struct ProjectExport {
    /// Project
    #[arg(value_name = "PROJECT")]
    pub(crate) project: ProjectArgument,
    /// File to write, or - for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}
