//! Change or archive a card tag. A merge patch: absent fields stay, and `null` clears.

use auth::actor::CardWrite;
use domain::Result;
use domain::patch::{self, Patch};
use domain::tag::{Color, TagStatus};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::card_tags::{self, TagChanges};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::card_tags::{TagAnswer, TagPath};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateCardTagRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Color as `#RRGGBB`. Clearing it sets gray.
    #[serde(default)]
    color: Patch<Color>,
    /// Lifecycle status. An archived tag stays on its cards. Clearing it sets `active`.
    #[serde(default)]
    status: Patch<TagStatus>,
}

/// Changes a tag of a project's catalog. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<CardWrite, TagPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<TagAnswer>> {
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let tag = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, tag| {
            wire::check_if_match(expected.as_ref(), &TagAnswer { tag: card_tags::get(tx, tag).await? })?;
            card_tags::update(tx, tag, &changes).await
        })
        .await?;
    Ok(Reply::ok(TagAnswer { tag }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<TagChanges> {
        patch::not_empty(TagChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            color: self.color.or_cleared(Color::default()),
            status: self.status.or_cleared(TagStatus::default()),
        })
    }
}
