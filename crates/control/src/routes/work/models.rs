//! The models that a deployment has configured.

use api::work::models::{ListModels, ListModelsResponse, Model};
use auth::actor::Authenticated;
use domain::Result;
use wire::{Endpoint, Reply, Request, TaggedReply, endpoint};

use crate::app::App;

/// The endpoints of models.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Lists the configured models. They are the same for every caller.
pub async fn handle(
    app: App,
    _: Request<Authenticated, ListModels>,
) -> Result<TaggedReply<ListModelsResponse>> {
    let view = |(position, model): (usize, &agent::models::Model)| Model {
        id: model.name().to_owned(),
        provider: model.provider().to_owned(),
        is_default: position == 0,
        prices: model.prices(),
    };
    Ok(Reply::ok(ListModelsResponse { models: app.models.all().enumerate().map(view).collect() })
        .etag_of_body())
}
