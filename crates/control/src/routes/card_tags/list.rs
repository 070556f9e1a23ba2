//! List every tag of a project with its current usage count.

use auth::actor::CardRead;
use domain::Result;
use domain::tag::TagRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::card_tags;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// The tags, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCardTagsResponse")]
pub struct Answer {
    tags: Vec<TagRecord>,
}

/// Lists every tag of a project, active and archived, each with its number of cards.
pub async fn handle(app: App, request: Request<CardRead, ProjectPath>) -> Result<Reply<Answer>> {
    let tags = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| card_tags::list(tx, project).await)
        .await?;
    Ok(Reply::ok(Answer { tags }))
}
