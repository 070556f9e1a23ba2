//! Search the cards that a team can take onto its board.

use auth::actor::TeamRead;
use domain::available::{AvailableTeamCard, ProjectOption};
use domain::error::Location;
use domain::id::TeamId;
use domain::page::{LimitText, PageMeta};
use domain::search::fold;
use domain::text::Name;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::LinkedTeamRef;
use store::teams::available::{self, AvailableFilter, ProjectChoice};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::teams::TeamPath;
use crate::routes::teams::project_ids::ProjectIds;

/// The filter of cards.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Only cards of these eligible projects.
    project_ids: Option<ProjectIds>,
    /// Only cards of eligible projects other than these. Not together with `projectIds`.
    exclude_project_ids: Option<ProjectIds>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of cards, most recently changed first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AvailableTeamCardsResponse", deny_unknown_fields)]
pub struct Answer {
    /// The team.
    team: TeamName,
    /// The cards.
    cards: Vec<AvailableTeamCard>,
    /// The values by which the search can be filtered.
    filter_options: FilterOptions,
    /// The position of the page.
    meta: AvailableCardsMeta,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TeamName", deny_unknown_fields)]
struct TeamName {
    id: TeamId,
    name: Name,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AvailableTeamCardsOptions", deny_unknown_fields)]
struct FilterOptions {
    /// All linked projects whose cards the caller can write, by name.
    projects: Vec<ProjectOption>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AvailableTeamCardsMeta", deny_unknown_fields)]
struct AvailableCardsMeta {
    /// The applied limit.
    limit: u32,
    /// Number of cards on all pages.
    total: i64,
    /// True if more cards follow.
    has_more: bool,
    /// `cursor` of the next page.
    next_cursor: Option<String>,
}

/// Searches the open cards of linked projects that the caller can write and that are not on the team's board.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, Query>) -> Result<Reply<Answer>> {
    let call = &request.call;
    let Query { q, project_ids, exclude_project_ids, limit, cursor } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let projects = choice(project_ids, exclude_project_ids)?;
    let page = PageRequest::open(
        &app.cursors,
        ("availableCards", request.path.team_id, &folded_q, &projects),
        limit,
        cursor,
    )?;
    let query = AvailableFilter {
        folded_q: folded_q.as_deref(),
        projects: &projects,
        after: page.from,
        rows: page.rows(),
    };
    let (team, found) = app
        .store
        .read_without_tx(call, &LinkedTeamRef(request.path.target()), async |tx, at| {
            let name = TeamName { id: at.team.id(), name: at.team.record.name.clone() };
            Ok((name, available::list(tx, at, call, &query).await?))
        })
        .await?;
    let (cards, meta) = page.cut(found.cards, |(_, position)| *position)?;
    let PageMeta { limit, has_more, next_cursor } = meta;
    Ok(Reply::ok(Answer {
        team,
        cards: cards.into_iter().map(|(card, _)| card).collect(),
        filter_options: FilterOptions { projects: found.projects },
        meta: AvailableCardsMeta { limit, total: found.total, has_more, next_cursor },
    }))
}

fn choice(only: Option<ProjectIds>, all_but: Option<ProjectIds>) -> Result<ProjectChoice> {
    match (only, all_but) {
        (None, None) => Ok(ProjectChoice::All),
        (Some(only), None) => Ok(ProjectChoice::Only(only.0)),
        (None, Some(all_but)) => Ok(ProjectChoice::AllBut(all_but.0)),
        (Some(_), Some(_)) => Err(Error::invalid(
            "excludeProjectIds",
            Rule::conflict("projectIds"),
            "can't be combined with `projectIds`",
        )
        .at(Location::Query)),
    }
}
