//! Change or archive a card tag. A merge patch: absent fields stay, and `null` clears.

use api::planning::card_tags::{CardTagResponse, UpdateCardTag, UpdateCardTagRequest};
use auth::actor::CardWrite;
use domain::planning::tag::{Color, TagStatus};
use domain::text::Description;
use domain::{Result, patch};
use store::planning::card_tags::{self, TagChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Changes a tag of a project's catalog. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<CardWrite, UpdateCardTag>,
) -> Result<TaggedReply<CardTagResponse>> {
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let tag = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, tag| {
            wire::check_if_match(
                expected.as_ref(),
                &CardTagResponse { tag: card_tags::get(tx, tag).await? },
            )?;
            card_tags::update(tx, tag, &request.call, &changes).await
        })
        .await?;
    Ok(Reply::ok(CardTagResponse { tag }).etag_of_body())
}

fn validate(body: UpdateCardTagRequest) -> Result<TagChanges> {
    patch::not_empty(TagChanges {
        name: body.name.not_cleared("name")?,
        description: body.description.or_cleared(Description::default()),
        color: body.color.or_cleared(Color::default()),
        status: body.status.or_cleared(TagStatus::default()),
    })
}
