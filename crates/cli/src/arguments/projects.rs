//! Arguments of the commands on projects.

use clap::{Args, Subcommand, ValueEnum};
use domain::project::Visibility;

/// Arguments of `projects`: a search, or a command.
#[derive(Debug, Args)]
pub(crate) struct Projects {
    /// Only projects whose name contains this text
    #[arg(value_name = "TEXT")]
    pub(crate) q: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<ProjectCommand>,
}

/// Commands on projects. Without one they are listed.
#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// List your projects
    #[command(after_help = "\
Examples:
  atelier projects list
  atelier projects list gear

With --json: a project on each line, as GET /api/v2/projects answers it")]
    List {
        /// Only projects whose name contains this text
        #[arg(value_name = "TEXT")]
        q: Option<String>,
    },
    /// Create a project
    #[command(after_help = "\
Examples:
  atelier projects create Gearbox
  atelier projects create Gearbox --org acme --visibility internal

With --json: the project's ids and names, as POST /api/v2/projects answers them")]
    Create(NewProject),
}

/// Arguments of `projects create`.
#[derive(Debug, Args)]
pub(crate) struct NewProject {
    /// Name of the project
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Organization that owns it, by slug or id; you by default
    #[arg(long, value_name = "ORG")]
    pub(crate) org: Option<String>,
    /// Its description
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Who can see it, besides its members
    #[arg(long, value_name = "WHO", value_enum, default_value_t)]
    pub(crate) visibility: Readers,
}

/// The readers of a project besides its members.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Readers {
    /// Nobody else
    #[default]
    Private,
    /// The members of its organization
    Internal,
    /// Everybody who is signed in
    Public,
}

impl From<Readers> for Visibility {
    fn from(readers: Readers) -> Self {
        match readers {
            Readers::Private => Self::Private,
            Readers::Internal => Self::Internal,
            Readers::Public => Self::Public,
        }
    }
}
