//! Arguments of the commands on saved views.

use clap::{Args, Subcommand, ValueEnum};
use domain::planning::saved_view::{ViewColumn, ViewLayout};

use crate::arguments::card_filters::ListFilterArguments;
use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// Commands on saved views.
#[derive(Debug, Subcommand)]
pub(crate) enum Views {
    /// List your saved views, and those of your teams
    #[command(after_help = "\
Examples:
  atelier views list
  atelier views list --project gearbox

With --json: a view on each line, as GET /api/v2/views has it")]
    List {
        /// Only views of this project
        #[arg(long, value_name = "PROJECT")]
        project: Option<ProjectArgument>,
    },
    /// Show the cards of a saved view
    #[command(after_help = "\
Example:
  atelier views show \"Urgent and mine\"

Cards are in the view's order if it is by priority, deadline, creation or change; groups and columns are the console's.

With --json: a card on each line, as \"indexCards\" of GET …/cards has it")]
    Show {
        /// View: its id or its name
        #[arg(value_name = "VIEW")]
        view: String,
    },
    /// Save a view
    #[command(after_help = "\
Examples:
  atelier views create \"Urgent and mine\" --project gearbox --assignee me --priority high,urgent --sort due
  atelier views create \"Our board\" --layout board --team makers --share-with makers

With --json: the answer of POST /api/v2/views")]
    Create(Box<CreateViewArguments>),
    /// Delete a saved view of yours
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier views rm \"Urgent and mine\"

With --json: the answer of DELETE /api/v2/views/{viewId}"
    )]
    Rm {
        /// View: its id or its name
        #[arg(value_name = "VIEW")]
        view: String,
    },
}

/// A view to save.
#[derive(Clone, Debug, Args)]
pub(crate) struct CreateViewArguments {
    /// Name of the view
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Project; all projects of each reader by default
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<ProjectArgument>,
    /// Team of yours that reads it, too
    #[arg(long, value_name = "TEAM")]
    pub(crate) share_with: Option<TeamArgument>,
    /// Form; a board needs --team
    #[arg(long, value_name = "LAYOUT", default_value = "table")]
    pub(crate) layout: LayoutArgument,
    /// Closed cards instead of open ones
    #[arg(long, conflicts_with = "all")]
    pub(crate) closed: bool,
    /// Open and closed cards
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) filter: ListFilterArguments,
    /// Field by which cards are in groups
    #[arg(long, value_name = "FIELD")]
    pub(crate) group_by: Option<ViewColumn>,
    /// Fields to show, in their order
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    pub(crate) columns: Vec<ViewColumn>,
    /// Field by which cards are sorted
    #[arg(long, value_name = "FIELD")]
    pub(crate) sort: Option<ViewColumn>,
    /// The last first
    #[arg(long, requires = "sort")]
    pub(crate) descending: bool,
}

/// The form of a view on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutArgument {
    /// The board of the team
    Board,
    /// A table
    Table,
}

impl From<LayoutArgument> for ViewLayout {
    fn from(argument: LayoutArgument) -> Self {
        match argument {
            LayoutArgument::Board => Self::Board,
            LayoutArgument::Table => Self::Table,
        }
    }
}
