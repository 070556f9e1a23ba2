//! Names of teams on the command line: `makers`, `acme/makers`, an id, a unique beginning.

use std::str::FromStr;

use api::people::organizations::ListOrganizations;
use api::planning::sprints::ListSprints;
use api::planning::teams::statuses::ListStatuses;
use api::planning::teams::{ListTeams, TeamPath};
use client::Client;
use domain::id::{OrganizationId, StatusId};
use domain::people::organization::OrganizationRecord;
use domain::planning::sprint::{SprintRecord, SprintStatus};
use domain::planning::status::StatusRecord;
use domain::planning::team::TeamRecord;
use futures_util::TryStreamExt;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::shell::quoted;

/// A team as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TeamArgument {
    organization: Option<String>,
    team: String,
}

/// A team that was found.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    /// Its organization.
    pub(crate) organization: OrganizationId,
    /// Its organization's name in URLs.
    pub(crate) organization_slug: String,
    /// The team.
    pub(crate) record: TeamRecord,
}

impl FromStr for TeamArgument {
    type Err = String;

    fn from_str(text: &str) -> CommandResult<Self, String> {
        let (organization, team) = match text.split_once('/') {
            Some((organization, team)) => (Some(organization.to_owned()), team),
            None => (None, text),
        };
        if team.is_empty() || organization.as_deref().is_some_and(str::is_empty) {
            return Err("expected a team: makers, acme/makers, or an id".to_owned());
        }
        Ok(Self { organization, team: team.to_owned() })
    }
}

impl TeamArgument {
    /// The team that is meant.
    pub(crate) async fn find(&self, client: &Client, beginning: Beginning) -> CommandResult<Team> {
        let teams = teams(client, self.organization.as_deref(), beginning).await?;
        let wanted = RowName { kind: "team", text: &self.team, list: "atelier teams list", beginning };
        wanted.among(teams, |team| (team.record.id.to_string(), team.record.name.to_string()))
    }
}

/// The organization that is meant, by its slug or its id.
fn organization_among(
    organizations: Vec<OrganizationRecord>,
    text: &str,
    beginning: Beginning,
) -> CommandResult<OrganizationRecord> {
    let wanted = RowName { kind: "organization", text, list: "atelier orgs list", beginning };
    wanted.among(organizations, |one| (one.id.to_string(), one.slug.to_string()))
}

/// The organization that is meant, among the caller's.
pub(crate) async fn organization(
    client: &Client,
    text: &str,
    beginning: Beginning,
) -> CommandResult<OrganizationRecord> {
    organization_among(client.call(ListOrganizations, ()).rows().try_collect().await?, text, beginning)
}

/// The teams that the caller sees, of all organizations or of the one that is meant.
pub(crate) async fn teams(
    client: &Client,
    slug: Option<&str>,
    beginning: Beginning,
) -> CommandResult<Vec<Team>> {
    let mut organizations: Vec<OrganizationRecord> =
        client.call(ListOrganizations, ()).rows().try_collect().await?;
    if let Some(slug) = slug {
        organizations = vec![organization_among(organizations, slug, beginning)?];
    }
    let mut teams = Vec::new();
    for organization in organizations {
        let rows: Vec<TeamRecord> = client.call(ListTeams, organization.id).rows().try_collect().await?;
        let organization_slug = organization.slug.to_string();
        teams.extend(rows.into_iter().map(|record| Team {
            organization: organization.id,
            organization_slug: organization_slug.clone(),
            record,
        }));
    }
    Ok(teams)
}

impl Team {
    /// The team, as a suggested command names it.
    pub(crate) fn argument(&self) -> String {
        quoted(&self.to_string()).into_owned()
    }

    /// Its place in the API's paths.
    pub(crate) fn path(&self) -> TeamPath {
        TeamPath { org_id: self.organization, team_id: self.record.id }
    }

    /// The column that is meant.
    pub(crate) async fn column(
        &self,
        client: &Client,
        text: &str,
        beginning: Beginning,
    ) -> CommandResult<StatusId> {
        let calls = client.call(ListStatuses, self.path());
        let columns: Vec<StatusRecord> = calls.rows().try_collect().await?;
        let list = format!("atelier board {}", self.argument());
        let wanted = RowName { kind: "column", text, list: &list, beginning };
        wanted
            .among(columns, |column| (column.id.to_string(), column.name.to_string()))
            .map(|column| column.id)
    }

    /// The sprint that is meant; without a text, the active one.
    pub(crate) async fn sprint(
        &self,
        client: &Client,
        text: Option<&str>,
        beginning: Beginning,
    ) -> CommandResult<SprintRecord> {
        let calls = client.call(ListSprints, self.path());
        let mut sprints: Vec<SprintRecord> = calls.rows().try_collect().await?;
        let list = format!("atelier sprints list {}", self.argument());
        let text = match text {
            Some(text) => text,
            None => {
                sprints.retain(|sprint| sprint.status == SprintStatus::Active);
                if sprints.is_empty() {
                    let message = format!("{self} has no active sprint");
                    return Err(CommandFailure::new(Exit::NotFound, message)
                        .next(format!("See what there is: {list}")));
                }
                ""
            }
        };
        // The only active one needs no name.
        let beginning = if text.is_empty() { Beginning::Taken } else { beginning };
        let wanted = RowName { kind: "sprint", text, list: &list, beginning };
        wanted.among(sprints, |sprint| (sprint.id.to_string(), sprint.name.to_string()))
    }
}

impl std::fmt::Display for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.organization_slug, self.record.name)
    }
}
