//! Models of the deployment.

use domain::work::usage::Prices;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{operations, tags};

operations! {
    tag: tags::MODELS;

    /// Lists the models that answer prompts, with their prices, the default first. A new session names one as `model`.
    ListModels = Get "/api/v2/models" {
        summary: "List the models that can answer prompts",
        answer: ListModelsResponse,
        effect: Reads,
        tool: NotATool("a session's model is its opener's choice"),
    }
}

/// The configured models.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListModelsResponse {
    /// All models, the default first. Empty if nothing can answer prompts.
    pub models: Vec<Model>,
}

/// A model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The `model` of a new session.
    pub id: String,
    /// The provider, as usage reports name it.
    pub provider: String,
    /// True for the model of sessions that name none.
    pub is_default: bool,
    /// Prices of a million tokens, in credits. Null if calls cost nothing.
    pub prices: Option<Prices>,
}
