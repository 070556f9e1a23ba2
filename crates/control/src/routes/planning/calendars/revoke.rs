//! Revoke a calendar feed.

use api::planning::calendars::{RevokeCalendarFeed, RevokeCalendarFeedResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::planning::calendars;
use wire::{Reply, Request};

use crate::app::App;

/// Deletes a feed. Its address is unknown from the next request on.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RevokeCalendarFeed>,
) -> Result<Reply<RevokeCalendarFeedResponse>> {
    let (call, feed_id) = (&request.call, request.path.feed_id);
    app.store.mutate(call, &Me, async |tx, me| calendars::revoke(tx, me, call, feed_id).await).await?;
    Ok(Reply::ok(RevokeCalendarFeedResponse { deleted: true, feed_id }))
}
