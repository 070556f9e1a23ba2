//! Search the cards that a team can take onto its board.

use api::planning::teams::available_cards::{
    AvailableTeamCardsMeta, AvailableTeamCardsOptions, AvailableTeamCardsResponse, ListAvailableCards,
    ListAvailableCardsQuery, TeamName,
};
use auth::actor::TeamRead;
use domain::content::project::ProjectIds;
use domain::error::Location;
use domain::page::PageMeta;
use domain::search::fold;
use domain::{Error, Result, Rule};
use store::LinkedTeamRef;
use store::planning::teams::available::{self, AvailableFilter, ProjectChoice};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::target::PathTarget;

/// Searches the open cards of linked projects that the caller can write and that are not on the team's board.
pub async fn handle(
    app: App,
    request: Request<TeamRead, ListAvailableCards>,
) -> Result<Reply<AvailableTeamCardsResponse>> {
    let call = &request.call;
    let ListAvailableCardsQuery { q, project_ids, exclude_project_ids, limit, cursor } = request.query;
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
    Ok(Reply::ok(AvailableTeamCardsResponse {
        team,
        cards: cards.into_iter().map(|(card, _)| card).collect(),
        filter_options: AvailableTeamCardsOptions { projects: found.projects },
        meta: AvailableTeamCardsMeta { limit, total: found.total, has_more, next_cursor },
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
