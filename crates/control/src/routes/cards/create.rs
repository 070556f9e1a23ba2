//! Create a card. Creation, assignment, tags and their history rows come together.

use std::collections::HashSet;

use auth::actor::CardWrite;
use domain::card::{CARD_MAX_TAGS, Effort, ResolutionText};
use domain::id::{TagId, UserId};
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::cards::creation::NewCard;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::CardAnswer;
use crate::routes::projects::ProjectPath;

/// A card to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateCardRequest")]
pub struct Body {
    /// Name.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Resolution, as Markdown.
    resolution: Option<ResolutionText>,
    /// Estimate, in a unit of the team's choice.
    effort: Option<Effort>,
    /// Deadline.
    deadline: Option<Timestamp>,
    /// Assignee: a current member of the project.
    assignee_id: Option<UserId>,
    /// Tags: active ones of the project.
    #[schemars(length(max = 100))]
    tag_ids: Option<Vec<TagId>>,
}

/// Creates a card. Its history head is the last row that the creation wrote.
pub async fn handle(
    app: App,
    request: Request<CardWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<Created<CardAnswer>> {
    let new = request.body.0.validate()?;
    let created = app.store.create_card(request.call, request.path.project_id, new).await?;
    Ok(Reply::created(created.map(CardAnswer::from)))
}

impl Body {
    /// The card that the body describes.
    pub(super) fn validate(self) -> Result<NewCard> {
        let mut tags = self.tag_ids.unwrap_or_default();
        let mut seen = HashSet::new();
        tags.retain(|tag| seen.insert(*tag));
        if tags.len() > CARD_MAX_TAGS {
            let message = format!("must name at most {CARD_MAX_TAGS} tags");
            return Err(Error::invalid("tagIds", "maxItems", message));
        }
        Ok(NewCard {
            name: self.name,
            description: self.description.unwrap_or_default(),
            resolution: self.resolution.unwrap_or_default(),
            effort: self.effort.unwrap_or_default(),
            deadline: self.deadline,
            assignee: self.assignee_id,
            tags,
        })
    }
}
