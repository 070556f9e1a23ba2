//! Models: what a deployment has configured, and calls of them over the two protocols that nearly all servers speak.
//!
//! The protocols are spoken here rather than by a client library, as none of those that are to be had bounds an answer's
//! bytes or tells silence from slowness; and what is needed of the protocols is little.

mod answer;
mod anthropic;
mod openai;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::conversation::{Message, Part};
use domain::id::UsageEventId;
use domain::usage::{Prices, TokenCounts};
use domain::{Code, Error, Result};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value};
use store::usage::Spent;
use tokio::time::{sleep, timeout};

pub use crate::models::answer::Hearing;
use crate::models::answer::Protocol;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a call is tried that was refused for the moment, or could not be made.
const ATTEMPTS: u32 = 3;
/// The pause after the first attempt; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a server can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// Tokens that an answer may have unless said.
const OUTPUT_TOKENS: u32 = 8_192;

/// The models of a deployment. Cheap to clone.
#[derive(Clone, Default)]
pub struct Models(Arc<[Arc<Model>]>);

/// A model that can be called.
pub struct Model {
    settings: ModelSettings,
    client: Client,
    silence: Duration,
}

/// The file of a deployment's models.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    /// The first answers where a session names none.
    models: Vec<ModelSettings>,
}

/// What a deployment says of a model.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModelSettings {
    /// What sessions call it.
    name: String,
    /// Whose it is, for the ledger.
    provider: String,
    /// What its server speaks.
    protocol: Protocol,
    /// Where: up to the protocol's own path, as in `https://api.openai.com/v1` and `https://api.anthropic.com`.
    base_url: String,
    /// What the server asks for; none where it asks for nothing.
    api_key: Option<String>,
    /// What the server calls it.
    model: String,
    /// Most tokens of an answer.
    max_output_tokens: Option<u32>,
    /// What a million tokens cost, in credits.
    #[serde(default)]
    prices: Prices,
}

/// What a model is asked.
pub struct Question<'a> {
    /// Who it is, and what it is to do.
    pub instructions: &'a str,
    /// The conversation, whose every call of a tool has its result.
    pub messages: &'a [Message],
    /// The tools that it may call.
    pub tools: &'a [ToolSpec],
}

/// A tool, as a model gets to know it.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Text and calls of tools.
    pub parts: Vec<Part>,
    /// What it read and wrote.
    pub tokens: TokenCounts,
}

impl Models {
    /// The models that the text of a file describes. A model that says nothing for `silence` has failed.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: it is no such file, or names a model twice.
    pub fn parse(text: &str, silence: Duration) -> Result<Self> {
        let File { models } = serde_json::from_str(text).map_err(Error::internal)?;
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(Error::internal)?;
        for (position, model) in models.iter().enumerate() {
            if models.iter().skip(position + 1).any(|other| other.name == model.name) {
                return Err(Error::internal(format!("the model `{}` is described twice", model.name)));
            }
        }
        let model = |settings| Arc::new(Model { settings, client: client.clone(), silence });
        Ok(Self(models.into_iter().map(model).collect()))
    }

    /// The model of that name; without one the first. `None` where there is none.
    pub fn find(&self, name: Option<&str>) -> Option<Arc<Model>> {
        match name {
            Some(name) => self.0.iter().find(|model| model.settings.name == name).cloned(),
            None => self.0.first().cloned(),
        }
    }
}

impl Model {
    /// What sessions call it.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// What these tokens of it cost, in the call that is charged under this id.
    pub fn spent(&self, call: UsageEventId, tokens: TokenCounts) -> Spent {
        let ModelSettings { provider, model, prices, .. } = &self.settings;
        Spent { call, provider: provider.clone(), model: model.clone(), tokens, credits: prices.of(&tokens) }
    }

    /// Asks it, and returns as soon as it begins to answer. A server that can't be reached, or that refuses for the
    /// moment, is asked again.
    ///
    /// # Errors
    /// `MODEL_ERROR`.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Hearing> {
        let mut pause = FIRST_PAUSE;
        let mut attempt = 1;
        loop {
            let (error, wait) = match timeout(self.silence, self.request(question).send()).await {
                Ok(Ok(response)) if response.status().is_success() => {
                    return Ok(Hearing::new(self.settings.protocol, response, self.silence));
                }
                Ok(Ok(response)) if is_passing(response.status()) => {
                    (refused(&response), asked_pause(&response))
                }
                Ok(Ok(response)) => return Err(refused(&response)),
                Ok(Err(error)) => {
                    (failed("The model can't be reached.").with_source(error.without_url()), None)
                }
                Err(elapsed) => (failed("The model did not answer in time.").with_source(elapsed), None),
            };
            if attempt == ATTEMPTS {
                return Err(error);
            }
            tracing::info!(model = self.name(), "error.chain" = error.chain(), "a model is asked again");
            sleep(wait.unwrap_or(pause).min(LONGEST_PAUSE)).await;
            pause *= 2;
            attempt += 1;
        }
    }

    fn request(&self, question: &Question<'_>) -> RequestBuilder {
        let ModelSettings { base_url, api_key, model, max_output_tokens, .. } = &self.settings;
        let base = base_url.trim_end_matches('/');
        let most_tokens = max_output_tokens.unwrap_or(OUTPUT_TOKENS);
        match self.settings.protocol {
            Protocol::Openai => {
                let request = self.client.post(format!("{base}/chat/completions"));
                let request = match api_key {
                    Some(key) => request.bearer_auth(key),
                    None => request,
                };
                request.json(&openai::body(model, most_tokens, question))
            }
            Protocol::Anthropic => {
                let request = self.client.post(format!("{base}/v1/messages"));
                let request = request.header("anthropic-version", anthropic::VERSION);
                let request = match api_key {
                    Some(key) => request.header("x-api-key", key),
                    None => request,
                };
                request.json(&anthropic::body(model, most_tokens, question))
            }
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

/// A run's failure for which its model is to blame.
fn failed(message: impl Into<String>) -> Error {
    Error::new(Code::ModelError, message)
}

fn refused(response: &Response) -> Error {
    failed(format!("The model's server answered with status {}.", response.status().as_u16()))
}

/// Whether the same request may succeed soon.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

fn asked_pause(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}
