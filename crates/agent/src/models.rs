//! The models that a deployment has configured, and calls to them over the two protocols of nearly all model servers.
//!
//! No client library is used: none bounds an answer's bytes or tells silence from slowness, and little of the protocols is
//! needed.

mod answer;
mod anthropic;
mod draft;
mod file;
mod openai;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::conversation::{Message, MessagePart};
use domain::id::UsageEventId;
use domain::usage::{Prices, TokenCounts};
use domain::{Code, Error, Result};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Map, Value};
use store::usage::ModelCharge;
use tokio::time::{sleep, timeout};

pub use crate::models::answer::AnswerStream;
use crate::models::answer::ModelProtocol;
use crate::models::file::ModelSettings;
pub use crate::models::file::ModelsFileError;

/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Attempts of a call that fails for a passing reason.
const ATTEMPTS: u32 = 3;
/// The pause after the first attempt. It doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// Default of `maxOutputTokens`.
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

/// A request to a model.
pub struct Question<'a> {
    /// The system prompt.
    pub instructions: &'a str,
    /// The conversation. Each call of a tool has its result.
    pub messages: &'a [Message],
    /// The tools that the model may call.
    pub tools: &'a [ToolSpec],
}

/// The description of a tool for a model.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
}

/// The complete answer of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswer {
    /// Text and calls of tools.
    pub parts: Vec<MessagePart>,
    /// The tokens that the model read and wrote.
    pub tokens: TokenCounts,
}

impl Models {
    /// Reads a models file. A call fails when its model sends nothing for `silence`.
    ///
    /// # Errors
    /// [`ModelsFileError`].
    pub fn parse(text: &str, silence: Duration) -> Result<Self, ModelsFileError> {
        let models = file::parse(text)?;
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let model = |settings| Arc::new(Model { settings, client: client.clone(), silence });
        Ok(Self(models.into_iter().map(model).collect()))
    }

    /// All models, the default first.
    pub fn all(&self) -> impl Iterator<Item = &Model> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The model of this name; the first if no name is given.
    pub fn find(&self, name: Option<&str>) -> Option<Arc<Model>> {
        match name {
            Some(name) => self.0.iter().find(|model| model.settings.name == name).cloned(),
            None => self.0.first().cloned(),
        }
    }
}

impl Model {
    /// Its name in sessions.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Its provider, as usage reports name it.
    pub fn provider(&self) -> &str {
        &self.settings.provider
    }

    /// Its prices; `None` if the models file has none.
    pub fn prices(&self) -> Option<Prices> {
        self.settings.prices
    }

    /// The cost of a call that used these tokens.
    pub fn spent(&self, call: UsageEventId, tokens: TokenCounts) -> ModelCharge {
        let ModelSettings { provider, model, prices, .. } = &self.settings;
        ModelCharge {
            call,
            provider: provider.clone(),
            model: model.clone(),
            tokens,
            credits: prices.unwrap_or_default().of(&tokens),
        }
    }

    /// Sends a request, and returns when the answer begins. Retries if the server can't be reached or is overloaded.
    ///
    /// # Errors
    /// `MODEL_ERROR`.
    pub async fn ask(&self, question: &Question<'_>) -> Result<AnswerStream> {
        let mut pause = FIRST_PAUSE;
        let mut attempt = 1;
        loop {
            let (error, wait) = match timeout(self.silence, self.request(question).send()).await {
                Ok(Ok(response)) if response.status().is_success() => {
                    return Ok(AnswerStream::new(self.settings.protocol, response, self.silence));
                }
                Ok(Ok(response)) if is_transient(response.status()) => {
                    (refused(&response), retry_after(&response))
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
            tracing::info!(model = self.name(), "error.chain" = error.chain(), "model call retried");
            sleep(wait.unwrap_or(pause).min(LONGEST_PAUSE)).await;
            pause *= 2;
            attempt += 1;
        }
    }

    fn request(&self, question: &Question<'_>) -> RequestBuilder {
        let ModelSettings { base_url, api_key, model, max_output_tokens, .. } = &self.settings;
        let base = base_url.as_str().trim_end_matches('/');
        let most_tokens = max_output_tokens.unwrap_or(OUTPUT_TOKENS);
        match self.settings.protocol {
            ModelProtocol::Openai => {
                let request = self.client.post(format!("{base}/chat/completions"));
                let request = match api_key {
                    Some(key) => request.bearer_auth(key),
                    None => request,
                };
                request.json(&openai::body(model, most_tokens, question))
            }
            ModelProtocol::Anthropic => {
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

/// The error of a run that its model caused.
fn failed(message: impl Into<String>) -> Error {
    Error::new(Code::ModelError, message)
}

fn refused(response: &Response) -> Error {
    failed(format!("The model's server answered with status {}.", response.status().as_u16()))
}

/// True if a retry may succeed.
fn is_transient(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}
