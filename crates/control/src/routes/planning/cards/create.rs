//! Create a card. Creation, assignment, tags and their history rows come together.

use api::planning::cards::{CardResponse, CreateCard};
use auth::actor::CardWrite;
use domain::Result;
use wire::{ETag, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::planning::card_names;

/// Creates a card. Its history head is the last row that the creation wrote.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CreateCard>,
) -> Result<TaggedCreated<CardResponse>> {
    let named = request.body.0.parent_id.clone();
    let ids = card_names::of_project(&app, &request.path.project_id, &named).await?;
    let new = request.body.0.validate(&ids)?;
    let created = app.store.create_card(request.call, request.path.project_id, new).await?;
    let etag = ETag::strong(&created.value.head().id.to_string());
    Ok(Reply::created(created.map(CardResponse::from)).etag(etag))
}
