//! Report the costs of a project's cards.

use api::work::usage::{ListCardUsage, ListCardUsageQuery, ListCardUsageResponse, UsageFormat, UsageQuery};
use auth::actor::{CardRead, UsageRead};
use domain::Result;
use store::work::usage::cards::{self, CardCostPosition};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::work::usage;

/// Reports the costs of a project's cards in a period, divided as the cost of one card is. Needs `cards:read`, too.
pub async fn handle(
    app: App,
    request: Request<UsageRead, ListCardUsage>,
) -> Result<Reply<ListCardUsageResponse>> {
    request.call.also::<CardRead>()?;
    let ListCardUsageQuery { from, to, limit, cursor } = request.query;
    let filter = usage::filter(&UsageQuery { from, to, group_by: None, format: UsageFormat::Json })?;
    let at = &request.path.project_id;
    let page: PageRequest<_, CardCostPosition> =
        PageRequest::open(&app.cursors, ("card costs", at.project, filter.from, filter.to), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::of_project(tx, project, &request.call, &filter, (page.from, page.rows())).await
        })
        .await?;
    let (cards, meta) = page.cut(found.cards, CardCostPosition::of)?;
    let (credits, other_credits) = (found.credits, found.other_credits);
    Ok(Reply::ok(ListCardUsageResponse { cards, credits, other_credits, as_of: found.as_of, meta }))
}
