//! The models that a deployment has configured.

use auth::actor::Authenticated;
use domain::Result;
use domain::usage::Prices;
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Endpoint, Reply, Request, Resource, TaggedReply, get};

use crate::app::App;

/// The endpoints of models.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/models").with([get(
        "",
        "listModels",
        "List the models that can answer prompts",
        handle,
    )
    .not_a_tool("a session's model is its opener's choice")])
}

/// The configured models.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListModelsResponse")]
pub struct Answer {
    /// All models, the default first. Empty if nothing can answer prompts.
    models: Vec<ModelView>,
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Model")]
pub struct ModelView {
    /// The `model` of a new session.
    id: String,
    /// The provider, as usage reports name it.
    provider: String,
    /// True for the model of sessions that name none.
    is_default: bool,
    /// Prices of a million tokens, in credits. Null if calls cost nothing.
    prices: Option<Prices>,
}

/// Lists the configured models. They are the same for every caller.
pub async fn handle(app: App, _: Request<Authenticated>) -> Result<TaggedReply<Answer>> {
    let view = |(position, model): (usize, &agent::models::Model)| ModelView {
        id: model.name().to_owned(),
        provider: model.provider().to_owned(),
        is_default: position == 0,
        prices: model.prices(),
    };
    Ok(Reply::ok(Answer { models: app.models.all().enumerate().map(view).collect() }).etag_of_body())
}
