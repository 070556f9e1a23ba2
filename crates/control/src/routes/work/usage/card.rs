//! Report the cost of a card.

use api::work::usage::GetCardUsage;
use auth::actor::{CardRead, UsageRead};
use domain::Result;
use domain::work::usage::report::CardUsageReport;
use store::work::usage::cards;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;

/// Reports the cost of a card: its share of each run that changed it. A run's credits are divided equally among the
/// cards that changed in its session during the run. Needs `cards:read`, too.
pub async fn handle(app: App, request: Request<UsageRead, GetCardUsage>) -> Result<Reply<CardUsageReport>> {
    request.call.also::<CardRead>()?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let read = app
        .store
        .read(&request.call, &at, async |tx, card| cards::of_card(tx, card, &request.call).await)
        .await?;
    Ok(Reply::ok(read))
}
