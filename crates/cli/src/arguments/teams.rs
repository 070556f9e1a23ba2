//! Arguments of the commands on teams and tags.

use clap::Subcommand;

use crate::arguments::people::team_roles;
use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// Commands on teams.
#[derive(Debug, Subcommand)]
pub(crate) enum Teams {
    /// List the teams of your organizations
    #[command(after_help = "\
Examples:
  atelier teams list
  atelier teams list --org acme

With --json: a team on each line, as GET …/teams answers it")]
    List {
        /// Only teams of this organization, by its slug or id
        #[arg(long, value_name = "ORG")]
        org: Option<String>,
    },
    /// Create a team
    #[command(after_help = "\
Example:
  atelier teams create acme Makers --internal

With --json: the team")]
    Create {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Name of the team
        #[arg(value_name = "NAME")]
        name: String,
        /// Let all members of the organization see it
        #[arg(long)]
        internal: bool,
    },
    /// Rename a team
    #[command(after_help = "\
Example:
  atelier teams rename acme/Makers Builders

With --json: the team")]
    Rename {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// New name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Delete a team with its board; its cards stay in their projects
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier teams rm acme/Makers

In a terminal you are asked before.

With --json: the answer of DELETE …/teams/{teamId}"
    )]
    Rm {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
    /// List a team's members
    #[command(after_help = "\
Example:
  atelier teams members makers

With --json: a member on each line, as GET …/members answers it")]
    Members {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
    },
    /// Add a member to a team, or change the role of one
    #[command(after_help = "\
Example:
  atelier teams add makers bob --role manager

With --json: the member")]
    Add {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Member of the organization: the id, the name, the email address, or me
        #[arg(value_name = "USER")]
        user: String,
        /// Role in the team
        #[arg(long, value_name = "ROLE", default_value = "member", value_parser = team_roles())]
        role: String,
    },
    /// Remove a member from a team
    #[command(after_help = "\
Example:
  atelier teams remove makers bob

With --json: {\"removed\", \"userId\"}")]
    Remove {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Member: the id, the name, the email address, or me
        #[arg(value_name = "USER")]
        user: String,
    },
    /// Link a project to a team, whose board can then show its cards
    #[command(after_help = "\
Example:
  atelier teams link makers pump

With --json: the project")]
    Link {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Project of the same organization
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// End a project's link to a team, which takes its cards off the board
    #[command(after_help = "\
Example:
  atelier teams unlink makers pump

In a terminal you are asked before.

With --json: the answer of DELETE …/projects/{projectId}")]
    Unlink {
        /// Team: its name, or organization/name
        #[arg(value_name = "TEAM")]
        team: TeamArgument,
        /// Linked project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Commands on tags of cards.
#[derive(Debug, Subcommand)]
pub(crate) enum Tags {
    /// List the tags of a project's cards, with the number of cards
    #[command(after_help = "\
Example:
  atelier tags list gearbox

With --json: a tag on each line, as GET …/card-tags answers it")]
    List {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
    },
    /// Create a tag
    #[command(after_help = "\
Example:
  atelier tags create gearbox urgent --color '#D02020'

With --json: the tag")]
    Create {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Name of the tag
        #[arg(value_name = "NAME")]
        name: String,
        /// Color; gray by default
        #[arg(long, value_name = "#RRGGBB")]
        color: Option<String>,
    },
    /// Rename a tag
    #[command(after_help = "\
Example:
  atelier tags rename gearbox urgent now

With --json: the tag")]
    Rename {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Tag: its id or its name
        #[arg(value_name = "TAG")]
        tag: String,
        /// New name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Delete a tag, which takes it off its cards
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier tags rm gearbox urgent

In a terminal you are asked before a tag of cards is deleted.

With --json: {\"deleted\", \"tagId\", \"untaggedCards\"}"
    )]
    Rm {
        /// Project
        #[arg(value_name = "PROJECT")]
        project: ProjectArgument,
        /// Tag: its id or its name
        #[arg(value_name = "TAG")]
        tag: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}
