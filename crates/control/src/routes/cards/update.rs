//! Change, close or reopen a card. A merge patch: what is absent stays, and `null` clears.

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
use wire::{ETag, Json, NoQuery, Reply, Request, Tagged};

use crate::app::App;
use crate::routes::cards::{CardAnswer, CardPath, expected_head};

/// What to change; never nothing.
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
    /// How it was resolved, as Markdown; closing and reopening leave it.
    #[serde(default)]
    resolution: Patch<ResolutionText>,
    /// A unit-agnostic estimate.
    #[serde(default)]
    effort: Patch<Effort>,
    /// When it is due.
    #[serde(default)]
    deadline: Patch<Timestamp>,
    /// False closes the card, true opens it again, and so does null.
    #[serde(default)]
    is_open: Patch<bool>,
    /// The card's latest history head that the client has seen, as `If-Match` may say, too.
    pub(super) expected_history_head_id: Option<HistoryId>,
}

/// Changes a card's own fields. With an expected head it conflicts only where one of the same fields has moved since.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CardPath, NoQuery, Json<Body>>,
) -> Result<Tagged<CardAnswer>> {
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
