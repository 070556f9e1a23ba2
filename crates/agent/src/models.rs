//! The models that a deployment has configured, and calls to them over the two protocols of nearly all model servers.
//!
//! No client library is used: none bounds an answer's bytes or tells silence from slowness, and little of the protocols is
//! needed. What servers send is read leniently, because each has forms of its own; that an answer is whole must be said.

mod answer;
mod anthropic;
mod cost;
mod draft;
mod events;
mod file;
mod json;
mod merge;
mod openai;
mod pause;
mod sent;
#[cfg(test)]
mod tests;
mod values;
mod words;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::time::Clock;
use domain::work::conversation::{Message, MessagePart};
use domain::work::usage::{Prices, TokenCounts};
use domain::{Code, Error, Result};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Map, Value};
use tokio::time::timeout;

pub use crate::models::answer::AnswerStream;
use crate::models::answer::ModelProtocol;
pub use crate::models::cost::QuestionSize;
pub use crate::models::file::ModelsFileError;
use crate::models::file::{ModelSettings, OutputLimitField};
pub use crate::models::pause::AskFailure;
use crate::models::words::Secrets;

/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Default of `maxOutputTokens`.
const OUTPUT_TOKENS: u32 = 8_192;
/// Most bytes of a refusal's body that are read for its reason.
const REASON_MAX_BYTES: usize = 16 * 1024;
/// Longest time for the body of a refusal.
const REASON_TIMEOUT: Duration = Duration::from_secs(5);

/// The models of a deployment. Cheap to clone.
#[derive(Clone, Default)]
pub struct Models(Arc<[Arc<Model>]>);

/// A model that can be called.
pub struct Model {
    settings: ModelSettings,
    secrets: Secrets,
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
    /// Most tokens of the answer; `None`: as the models file says.
    pub most_tokens: Option<u32>,
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
    /// The message as the server sent it; `None` if the parts say all of it.
    pub message: Option<Value>,
    /// Those of the calls that can't be made.
    pub unusable: Vec<UnusableCall>,
    /// The tokens that the model read and wrote.
    pub tokens: TokenCounts,
}

/// A call of a tool that can't be made as the model sent it. It stands in the answer without arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct UnusableCall {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The fault of the call, for the model.
    pub reason: String,
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
        let model = |settings: ModelSettings| {
            Arc::new(Model { secrets: settings.secrets(), settings, client: client.clone(), silence })
        };
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

    /// The server and its model, to which an answer goes back as it came.
    pub fn origin(&self) -> String {
        let ModelSettings { protocol, provider, model, .. } = &self.settings;
        format!("{protocol:?}:{provider}:{model}").to_ascii_lowercase()
    }

    /// Its prices; `None` if the models file has none.
    pub fn prices(&self) -> Option<Prices> {
        self.settings.prices
    }

    /// Sends a request once, and returns when the answer begins.
    ///
    /// # Errors
    /// [`AskFailure`], which says when to ask again.
    pub async fn ask(&self, question: &Question<'_>, clock: Clock) -> Result<AnswerStream, AskFailure> {
        match timeout(self.silence, self.request(question).send()).await {
            Ok(Ok(response)) if response.status().is_success() => {
                let protocol = self.settings.protocol;
                Ok(AnswerStream::new(protocol, response, self.secrets.clone(), self.silence))
            }
            Ok(Ok(response)) => {
                let is_transient = is_transient(response.status());
                let told = pause::told(response.headers(), clock.now()).filter(|_| is_transient);
                Err(AskFailure { error: self.refused(response).await, is_transient, told })
            }
            Ok(Err(error)) => {
                let error = failed("The model can't be reached.").with_source(error.without_url());
                Err(AskFailure::unanswered(error))
            }
            Err(elapsed) => {
                let error = failed("The model did not answer in time.").with_source(elapsed);
                Err(AskFailure::unanswered(error))
            }
        }
    }

    /// The failure for a status that is no success, with the reason that the server gives.
    async fn refused(&self, mut response: Response) -> Error {
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let reading = async {
            while let (true, Ok(Some(chunk))) = (body.len() < REASON_MAX_BYTES, response.chunk().await) {
                body.extend_from_slice(&chunk);
            }
        };
        // Without the body, or with a part of it, the status is told all the same.
        let _late = timeout(REASON_TIMEOUT, reading).await;
        let words = words::of_body(&String::from_utf8_lossy(&body));
        self.secrets.failure(&format!("The model's server answered with status {status}"), &words)
    }

    fn request(&self, question: &Question<'_>) -> RequestBuilder {
        let ModelSettings { base_url, api_key, protocol, .. } = &self.settings;
        let base = base_url.as_str().trim_end_matches('/');
        let request = match protocol {
            ModelProtocol::Openai => {
                let request = self.client.post(format!("{base}/chat/completions"));
                match api_key {
                    Some(key) => request.bearer_auth(key),
                    None => request,
                }
            }
            ModelProtocol::Anthropic => {
                let request = self.client.post(format!("{base}/v1/messages"));
                let request = request.header("anthropic-version", anthropic::VERSION);
                match api_key {
                    Some(key) => request.header("x-api-key", key),
                    None => request,
                }
            }
        };
        request.json(&self.body(question))
    }

    fn body(&self, question: &Question<'_>) -> Map<String, Value> {
        let ModelSettings { protocol, model, extra_fields, .. } = &self.settings;
        let mut body = match protocol {
            ModelProtocol::Openai => openai::body(model, &self.origin(), question),
            ModelProtocol::Anthropic => anthropic::body(model, &self.origin(), question),
        };
        if let Some(field) = self.settings.limit_field() {
            let most = question.most_tokens.unwrap_or_else(|| self.most_output_tokens());
            body.insert(field.to_owned(), most.into());
        }
        for (name, value) in extra_fields {
            match value {
                Value::Null => body.remove(name),
                value => body.insert(name.clone(), value.clone()),
            };
        }
        body
    }
}

impl ModelSettings {
    /// The field that bounds an answer, if the server takes one.
    fn limit_field(&self) -> Option<&'static str> {
        match (self.protocol, self.output_limit_field) {
            (ModelProtocol::Openai, None | Some(OutputLimitField::MaxCompletionTokens)) => {
                Some("max_completion_tokens")
            }
            (ModelProtocol::Openai, Some(OutputLimitField::None)) => None,
            (ModelProtocol::Openai, Some(OutputLimitField::MaxTokens)) | (ModelProtocol::Anthropic, _) => {
                Some("max_tokens")
            }
        }
    }

    /// The texts that no message may repeat: a server may send back what it got.
    fn secrets(&self) -> Secrets {
        let texts = [self.api_key.as_deref(), self.base_url.password(), self.base_url.query()];
        Secrets::new(texts.into_iter().flatten(), self.extra_fields.values())
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

/// True if a retry may succeed. What a server doesn't implement, it will not implement later.
fn is_transient(status: StatusCode) -> bool {
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}
