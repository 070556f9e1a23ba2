//! List a card's commits.

use api::planning::cards::commits::{ListCardCommits, ListCardCommitsResponse};
use auth::actor::{CardRead, ProjectRead};
use domain::Result;
use store::content::commits;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;

/// Lists the commits whose messages name a card. Needs `projects:read`, too, as every reader of commits does.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListCardCommits>,
) -> Result<Reply<ListCardCommitsResponse>> {
    request.call.also::<ProjectRead>()?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let commits =
        app.store.read(&request.call, &at, async |tx, card| commits::of_card(tx, card).await).await?;
    Ok(Reply::ok(ListCardCommitsResponse { commits }))
}
