//! Change, close or reopen a card. A merge patch: absent fields stay, and `null` clears.

use auth::actor::CardWrite;
use domain::card::{Effort, ResolutionText};
use domain::id::HistoryId;
use domain::patch::Patch;
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::cards::{self, CardChanges};
use wire::{ETag, Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::cards::{CardAnswer, CardPath, expected_head};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateCardRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Resolution, as Markdown. Closing and reopening don't change it.
    #[serde(default)]
    resolution: Patch<ResolutionText>,
    /// Estimate, in a unit of the team's choice.
    #[serde(default)]
    effort: Patch<Effort>,
    /// Deadline.
    #[serde(default)]
    deadline: Patch<Timestamp>,
    /// False closes the card; true and null reopen it.
    #[serde(default)]
    is_open: Patch<bool>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    pub(super) expected_history_head_id: Option<HistoryId>,
}

/// Changes a card's own fields. With an expected head, it conflicts only if one of the same fields has changed since.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CardPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<CardAnswer>> {
    let call = &request.call;
    let expected = expected_head(&request.head, request.body.0.expected_history_head_id)?;
    let changes = request.body.0.validate()?;
    let card = app
        .store
        .mutate(call, &request.path.target(), async |tx, card| {
            cards::update(tx, card, call, &changes, expected).await?.shown(tx, call).await
        })
        .await?;
    let etag = ETag::strong(&card.head().id.to_string());
    Ok(Reply::ok(CardAnswer::from(card)).etag(etag))
}

impl Body {
    /// The changes that the body describes.
    pub(super) fn validate(self) -> Result<CardChanges> {
        let changes = CardChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            resolution: self.resolution.or_cleared(ResolutionText::default()),
            effort: self.effort.or_cleared(Effort::default()),
            deadline: self.deadline.nullable(),
            is_open: self.is_open.or_cleared(true),
        };
        if changes.is_empty() {
            return Err(Error::invalid("", "minProperties", "must change something"));
        }
        Ok(changes)
    }
}
