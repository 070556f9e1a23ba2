//! Create a card tag.

use auth::actor::CardWrite;
use domain::Result;
use domain::tag::{Color, TagStatus};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::card_tags::{self, NewTag};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::card_tags::TagAnswer;
use crate::routes::projects::ProjectPath;

/// A tag to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateCardTagRequest")]
pub struct Body {
    /// Name, unique in the project regardless of case.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Color as `#RRGGBB`. Defaults to gray.
    color: Option<Color>,
    /// Lifecycle status. Defaults to `active`.
    status: Option<TagStatus>,
}

/// Creates a tag in a project's catalog.
pub async fn handle(
    app: App,
    request: Request<CardWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<TagAnswer>> {
    let call = &request.call;
    let Body { name, description, color, status } = request.body.0;
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
    Ok(Reply::created(created.map(|tag| TagAnswer { tag })).etag_of_body())
}
