//! Arguments of the commands on organizations, members, invitations and calendar feeds.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use domain::people::role::{OrganizationRole, ProjectRole, TeamRole};
use domain::time::DateOrTime;

use crate::failure::CommandResult;
use crate::resource::ProjectArgument;
use crate::team::TeamArgument;

/// Commands on organizations.
#[derive(Debug, Subcommand)]
pub(crate) enum Orgs {
    /// List your organizations
    #[command(after_help = "\
Example:
  atelier orgs list

With --json: an organization on each line, as GET /api/v2/orgs answers it")]
    List,
    /// Create an organization, which you own
    #[command(after_help = "\
Example:
  atelier orgs create Acme

With --json: the organization")]
    Create {
        /// Name of the organization
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Rename an organization; its name in addresses stays
    #[command(after_help = "\
Example:
  atelier orgs rename acme \"Acme Pumps\"

With --json: the organization")]
    Rename {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// New name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Delete an organization without projects and teams
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier orgs rm acme

In a terminal you are asked before.

With --json: {\"deleted\", \"orgId\"}"
    )]
    Rm {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Commands on the members of an organization.
#[derive(Debug, Subcommand)]
pub(crate) enum Members {
    /// List an organization's members
    #[command(after_help = "\
Example:
  atelier members list acme

With --json: a member on each line, as GET …/members answers it")]
    List {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
    },
    /// Change a member's role
    #[command(after_help = "\
Example:
  atelier members role acme bob admin

With --json: the member")]
    Role {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Member: the id, the name, the email address, or me
        #[arg(value_name = "MEMBER")]
        member: String,
        /// New role
        #[arg(value_name = "ROLE", value_parser = organization_roles())]
        role: String,
    },
    /// Remove a member, or leave the organization
    #[command(
        visible_alias = "delete",
        after_help = "\
Examples:
  atelier members rm acme bob
  atelier members rm acme me

In a terminal you are asked before. People are invited: atelier invitations create

With --json: {\"removed\", \"userId\"}"
    )]
    Rm {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Member: the id, the name, the email address, or me
        #[arg(value_name = "MEMBER")]
        member: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// Commands on invitations.
#[derive(Debug, Subcommand)]
pub(crate) enum Invitations {
    /// List the open invitations to you, or those of an organization
    #[command(after_help = "\
Examples:
  atelier invitations list
  atelier invitations list acme

With --json: an invitation on each line, without its secret")]
    List {
        /// Organization: its slug or id; yours by default
        #[arg(value_name = "ORG")]
        org: Option<String>,
    },
    /// Invite a person, and print the secret of the invitation once
    #[command(after_help = "\
Examples:
  atelier invitations create acme --email bob@example.org
  atelier invitations create acme --role admin --expires 2026-12-24

Without --email the bearer of the secret may accept it.

With --json: {\"invitation\", \"secret\"}")]
    Create {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Address of the only account that may accept it
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,
        /// Role that it gives
        #[arg(long, value_name = "ROLE", default_value = "member", value_parser = organization_roles())]
        role: String,
        /// End of its life, at most 30 days ahead; 7 days by default
        #[arg(long, value_name = "DATE")]
        expires: Option<DateOrTime>,
    },
    /// Revoke an invitation
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier invitations revoke acme 0198c5f0-…

With --json: {\"deleted\", \"invitationId\"}"
    )]
    Revoke {
        /// Organization: its slug or id
        #[arg(value_name = "ORG")]
        org: String,
        /// Invitation: its id, or its email address
        #[arg(value_name = "INVITATION")]
        invitation: String,
    },
    /// Accept an invitation: by its id, or by its secret from standard input
    #[command(after_help = "\
Examples:
  atelier invitations accept 0198c5f0-…
  pass show invitation | atelier invitations accept

With --json: the organization")]
    Accept {
        /// Id of an invitation to your address; without it the secret is asked for, or read from standard input
        #[arg(value_name = "INVITATION")]
        invitation: Option<String>,
    },
}

/// Commands on calendar feeds.
#[derive(Debug, Subcommand)]
pub(crate) enum Calendars {
    /// List your calendar feeds
    #[command(after_help = "\
Example:
  atelier calendar list

With --json: a feed on each line, without its address")]
    List,
    /// Make a calendar feed, and print its address once
    #[command(after_help = "\
Examples:
  atelier calendar create Work --mine
  atelier calendar create Gearbox --project gearbox
  atelier calendar create Wheels --team acme/wheels

A calendar program subscribes to the address, which needs no password: keep it to yourself. Without options the
calendar has the due days of all open cards that you may read, and the sprints of all teams that you see.

With --json: {\"feed\", \"url\"}")]
    Create {
        /// Name of the calendar
        #[arg(value_name = "NAME")]
        name: String,
        /// Only cards of this project, without sprints
        #[arg(long, value_name = "PROJECT", conflicts_with = "team")]
        project: Option<ProjectArgument>,
        /// Only cards on this team's board, and its sprints
        #[arg(long, value_name = "TEAM")]
        team: Option<TeamArgument>,
        /// Only cards that are assigned to you, and sprints of your teams
        #[arg(long)]
        mine: bool,
    },
    /// Revoke a calendar feed at once
    #[command(
        visible_alias = "delete",
        after_help = "\
Example:
  atelier calendar revoke Work

In a terminal you are asked before.

With --json: {\"deleted\", \"feedId\"}"
    )]
    Revoke {
        /// Feed: its id or its name
        #[arg(value_name = "FEED")]
        feed: String,
        /// Don't ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// The roles in an organization by their names, which shells complete.
pub(crate) fn organization_roles() -> PossibleValuesParser {
    OrganizationRole::ALL.iter().map(|role| role.as_str()).into()
}

/// The roles on a project by their names, which shells complete.
pub(crate) fn project_roles() -> PossibleValuesParser {
    ProjectRole::ALL.iter().map(|role| role.as_str()).into()
}

/// The roles in a team by their names, which shells complete.
pub(crate) fn team_roles() -> PossibleValuesParser {
    TeamRole::ALL.iter().map(|role| role.as_str()).into()
}

/// The role of a name that the parser of arguments has taken.
pub(crate) fn role<R: std::str::FromStr<Err = E>, E: std::fmt::Display>(name: &str) -> CommandResult<R> {
    name.parse().map_err(|error: E| crate::failure::CommandFailure::usage(error.to_string()))
}
