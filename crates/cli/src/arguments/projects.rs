//! Arguments of the commands on projects.

use clap::{Args, Subcommand, ValueEnum};
use domain::content::project::{BranchName, Visibility};
use domain::key::ProjectKey;

use crate::arguments::people::project_roles;
use crate::resource::ProjectArgument;

/// Arguments of `projects`.
#[derive(Debug, Args)]
pub(crate) struct Projects {
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
    /// Rename a project; its name in addresses stays
    #[command(after_help = "\
Example:
  atelier projects rename gearbox \"Gearbox Mk II\"

With --json: the project")]
    Rename {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// New name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Change a project's description, visibility or default branch
    #[command(after_help = "\
Example:
  atelier projects edit gearbox --visibility internal

With --json: the project")]
    Edit {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        #[command(flatten)]
        changes: ProjectEdit,
    },
    /// Delete a project with all its content
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier projects rm gearbox

In a terminal you are asked before.

With --json: {\"deleted\", \"projectId\"}"
    )]
    Rm {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
    /// List the users with a role on a project
    #[command(after_help = "\
Example:
  atelier projects members gearbox

With --json: a member on each line, as GET …/members answers it")]
    Members {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// Share a project with a user, or change the role of one
    #[command(after_help = "\
Example:
  atelier projects share gearbox bob --role editor

With --json: the member")]
    Share {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Member of a common organization: the id, the name, or the email address
        #[arg(value_name = "USER")]
        user: String,
        /// Role on the project
        #[arg(long, value_name = "ROLE", default_value = "viewer", value_parser = project_roles())]
        role: String,
    },
    /// End a user's membership of a project
    #[command(after_help = "\
Example:
  atelier projects unshare gearbox bob

With --json: {\"removed\", \"userId\"}")]
    Unshare {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Member: the id, the name, or me
        #[arg(value_name = "USER")]
        user: String,
    },
}

/// Changes of a project.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ProjectEdit {
    /// New description
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Who can see it, besides its members
    #[arg(long, value_name = "WHO", value_enum)]
    pub(crate) visibility: Option<Readers>,
    /// Letters with which the keys of its cards begin
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<ProjectKey>,
    /// Branch that is meant where none is named
    #[arg(long, value_name = "BRANCH")]
    pub(crate) default_branch: Option<BranchName>,
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
    /// Two to six letters with which the keys of its cards begin; derived from the name by default
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<ProjectKey>,
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
