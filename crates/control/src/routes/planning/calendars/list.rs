//! List the calling user's calendar feeds.

use api::planning::calendars::{ListCalendarFeeds, ListCalendarFeedsResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::planning::calendars;
use wire::{Reply, Request};

use crate::app::App;

/// Lists the feeds, newest first, without their addresses.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, ListCalendarFeeds>,
) -> Result<Reply<ListCalendarFeedsResponse>> {
    let list = async |tx: &mut _, me: &_| calendars::list(tx, me).await;
    let feeds = app.store.read(&request.call, &Me, list).await?;
    Ok(Reply::ok(ListCalendarFeedsResponse { feeds }))
}
