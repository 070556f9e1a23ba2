//! Report what a card has cost.

use auth::actor::{CardRead, UsageRead};
use domain::Result;
use domain::usage::report::CardUsageReport;
use store::usage::cards;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::cards::CardPath;

/// Reports what a card has cost: of each run that changed it, the part that is its own. A run's credits go in equal parts to
/// the cards that were changed in its session while it went on. Needs `cards:read`, too.
pub async fn handle(app: App, request: Request<UsageRead, CardPath>) -> Result<Reply<CardUsageReport>> {
    request.call.also::<CardRead>()?;
    let read = app
        .store
        .read(&request.call, &request.path.target(), async |tx, card| cards::of_card(tx, card).await)
        .await?;
    Ok(Reply::ok(read))
}
