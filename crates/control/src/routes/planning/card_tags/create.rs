//! Create a card tag.

use api::planning::card_tags::{CardTagResponse, CreateCardTag, CreateCardTagRequest};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::card_tags::{self, NewTag};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;

/// Creates a tag in a project's catalog.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CreateCardTag>,
) -> Result<TaggedCreated<CardTagResponse>> {
    let call = &request.call;
    let CreateCardTagRequest { name, description, color, status } = request.body.0;
    let new = NewTag {
        name,
        description: description.unwrap_or_default(),
        color: color.unwrap_or_default(),
        status: status.unwrap_or_default(),
    };
    let created = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            card_tags::create(tx, project, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|tag| CardTagResponse { tag })).etag_of_body())
}
