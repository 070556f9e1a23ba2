//! Cards as requests name them, by ids or keys.

use api::planning::boards::BoardCardPath;
use domain::Result;
use domain::content::project::ProjectRef;
use domain::id::OrganizationId;
use domain::key::{CardIds, CardName};
use serde_json::{Map, Value};
use store::planning::cards::keys::KeyScope;
use store::{BoardCardRef, CardRef, TeamRef};

use crate::app::App;

/// The fields of bodies that name a card.
const CARD_FIELDS: [&str; 4] = ["cardId", "parentId", "beforeCardId", "afterCardId"];
/// The field of a body whose own fields name cards.
const PLACEMENT: &str = "placement";

/// A card of a project. One that doesn't exist is found missing where it is used.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn card(app: &App, project: &ProjectRef, name: &CardName) -> Result<CardRef> {
    let ids = of_project(app, project, [name]).await?;
    Ok(CardRef { project: project.clone(), card: ids.of(name) })
}

/// The ids of cards that a request on a project names.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_project<'a>(
    app: &App,
    project: &ProjectRef,
    names: impl IntoIterator<Item = &'a CardName>,
) -> Result<CardIds> {
    app.store.card_ids(KeyScope::Project(project.project), names).await
}

/// A card of a team's board, and the ids of others that the request names.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn board_card<'a>(
    app: &App,
    path: &'a BoardCardPath,
    others: impl IntoIterator<Item = &'a CardName>,
) -> Result<(BoardCardRef, CardIds)> {
    let ids = of_organization(app, path.org_id, others.into_iter().chain([&path.card_id])).await?;
    let team = TeamRef { organization: path.org_id, team: path.team_id };
    Ok((BoardCardRef { team, card: ids.of(&path.card_id) }, ids))
}

/// The ids of cards that a request on an organization's team names.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_organization<'a>(
    app: &App,
    organization: OrganizationId,
    names: impl IntoIterator<Item = &'a CardName>,
) -> Result<CardIds> {
    app.store.card_ids(KeyScope::Organization(organization), names).await
}

/// The cards that the elements of a body's list name by their keys. They are read before the elements, because one statement
/// finds them all.
pub fn in_elements(elements: &[Map<String, Value>]) -> Vec<CardName> {
    let placements = elements.iter().filter_map(|fields| fields.get(PLACEMENT)?.as_object());
    let fields = elements.iter().chain(placements);
    let named = fields.flat_map(|fields| CARD_FIELDS.iter().filter_map(|field| fields.get(*field)?.as_str()));
    named.filter_map(|text| text.parse().ok()).collect()
}
