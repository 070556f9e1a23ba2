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
  atelier export --org acme -o acme.ndjson
  atelier import ndjson acme.ndjson acme/gearbox --project Gearbox

A JSON object on each line: the project, people, fields, tags, teams, sprints, cards, comments, history. The last line
counts and hashes the others. With --org: all projects of the organization that you can read, one after the other, each
with its own last line; for admins of the organization. Addresses of people are there for admins of the organization; an
import finds people by them. Files of the tree come by atelier clone and atelier sync, those of cards by atelier cards
download.

With --json and a file: the last line")]
pub(crate) struct ProjectExport {
    /// Project
    #[arg(value_name = "PROJECT", required_unless_present = "org", conflicts_with = "org")]
    pub(crate) project: Option<ProjectArgument>,
    /// Organization, instead of a project
    #[arg(long, value_name = "ORG")]
    pub(crate) org: Option<String>,
    /// File to write, or - for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long)]
    pub(crate) force: bool,
}
