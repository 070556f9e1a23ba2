//! List every tag of a project with its current usage count.

use api::planning::card_tags::{ListCardTags, ListCardTagsResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::card_tags;
use wire::{Reply, Request};

use crate::app::App;

/// Lists every tag of a project, active and archived, each with its number of cards.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListCardTags>,
) -> Result<Reply<ListCardTagsResponse>> {
    let tags = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| card_tags::list(tx, project).await)
        .await?;
    Ok(Reply::ok(ListCardTagsResponse { tags }))
}
