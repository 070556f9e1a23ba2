//! The models file of a deployment. Its errors name line and field, and never a value: the file holds API keys.

use std::fmt;

use domain::work::usage::Prices;
use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use url::Url;

use crate::models::answer::ModelProtocol;

/// Beginnings of messages that hold no value.
const WITHOUT_VALUES: [&str; 7] = [
    "missing field",
    "unknown field",
    "duplicate field",
    "must be an amount of credits",
    TWO_MODELS,
    OWN_FIELD,
    OTHER_PROTOCOL,
];
/// Beginning of the message for two models of one name.
const TWO_MODELS: &str = "two models have the name";
/// Beginning of the message for an extra field that the service sends itself.
const OWN_FIELD: &str = "must not have";
/// Message for a field of the limit that the protocol doesn't leave open.
const OTHER_PROTOCOL: &str = "`outputLimitField` is for the protocol `openai` alone";
/// Fields of a request that extra fields can't replace.
const OWN_FIELDS: [&str; 5] = ["model", "messages", "system", "tools", "stream"];

/// A model in the models file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a model")]
pub(super) struct ModelSettings {
    /// Its name in sessions.
    pub(super) name: String,
    /// The provider, for the ledger.
    pub(super) provider: String,
    /// The protocol of its server.
    pub(super) protocol: ModelProtocol,
    /// The URL up to the protocol's own path: `https://api.openai.com/v1`, `https://api.anthropic.com`.
    #[serde(deserialize_with = "base_url")]
    pub(super) base_url: Url,
    /// The server's API key, if it needs one.
    pub(super) api_key: Option<String>,
    /// Its name at the server.
    pub(super) model: String,
    /// Most tokens of an answer.
    pub(super) max_output_tokens: Option<u32>,
    /// The field that bounds an answer at servers of chat completions. Those of messages have `max_tokens`.
    pub(super) output_limit_field: Option<OutputLimitField>,
    /// Fields that are added to each request. Null leaves out one of ours.
    #[serde(default, deserialize_with = "extra_fields")]
    pub(super) extra_fields: Map<String, Value>,
    /// Prices of a million tokens, in credits. Without them its calls cost nothing.
    pub(super) prices: Option<Prices>,
}

/// The field of chat completions that bounds an answer. Servers refuse those that they don't know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OutputLimitField {
    /// OpenAI's newer field.
    MaxCompletionTokens,
    /// The older field, which most other servers know.
    MaxTokens,
    /// No field: the server bounds answers itself.
    None,
}

/// The reason why models can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelsFileError {
    /// The text is not a models file.
    #[error("line {line}: {field}{reason}")]
    Invalid {
        /// The line, from 1.
        line: usize,
        /// The field's path and a colon, as in `models[1].baseUrl: `; empty for the whole file.
        field: String,
        /// The broken rule.
        reason: String,
    },
    /// No HTTP client can be made.
    #[error("no HTTP client for models")]
    Client(#[from] reqwest::Error),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with `models`")]
struct File {
    /// The first is the default of sessions.
    #[serde(deserialize_with = "models")]
    models: Vec<ModelSettings>,
}

/// Reads a models file.
///
/// # Errors
/// [`ModelsFileError::Invalid`].
pub(super) fn parse(text: &str) -> Result<Vec<ModelSettings>, ModelsFileError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let file: File = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| invalid(&error.path().to_string(), error.inner()))?;
    json.end().map_err(|error| invalid(".", &error))?;
    Ok(file.models)
}

fn invalid(path: &str, error: &serde_json::Error) -> ModelsFileError {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    let names_fields = WITHOUT_VALUES.iter().any(|beginning| message.starts_with(beginning));
    let reason = match message.rsplit_once(", expected ") {
        _ if names_fields || !error.is_data() => message.to_owned(),
        Some((_, expected)) => format!("must be {expected}"),
        None => "has an invalid value".to_owned(),
    };
    let field = if path == "." { String::new() } else { format!("{path}: ") };
    ModelsFileError::Invalid { line: error.line(), field, reason }
}

fn base_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Url, D::Error> {
    let text = String::deserialize(deserializer)?;
    let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| D::Error::invalid_value(Unexpected::Other("text"), &"an http or https URL"))
}

fn extra_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let fields = Map::deserialize(deserializer)?;
    match OWN_FIELDS.iter().find(|own| fields.contains_key(**own)) {
        Some(own) => Err(D::Error::custom(format_args!("{OWN_FIELD} `{own}`"))),
        None => Ok(fields),
    }
}

/// Models with names of their own.
fn models<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ModelSettings>, D::Error> {
    struct Models;

    impl<'de> Visitor<'de> for Models {
        type Value = Vec<ModelSettings>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of models")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
            let mut models: Vec<ModelSettings> = Vec::new();
            while let Some(model) = elements.next_element::<ModelSettings>()? {
                if models.iter().any(|other| other.name == model.name) {
                    return Err(A::Error::custom(format_args!("{TWO_MODELS} `{}`", model.name)));
                }
                if model.protocol == ModelProtocol::Anthropic && model.output_limit_field.is_some() {
                    return Err(A::Error::custom(OTHER_PROTOCOL));
                }
                models.push(model);
            }
            Ok(models)
        }
    }

    deserializer.deserialize_seq(Models)
}

#[cfg(test)]
mod tests {
    use super::parse;

    const MODEL: &str = r#"{
  "name": "chat", "provider": "local", "protocol": "openai",
  "baseUrl": "http://127.0.0.1:11434/v1",
  "apiKey": "sk-secret",
  "model": "llama", "maxOutputTokens": 100,
  "prices": {"prompt": "3"}
}"#;

    /// The error of a file whose second model has `old` replaced by `new`.
    fn refusal(old: &str, new: &str) -> String {
        let second = MODEL.replace("chat", "other");
        assert!(second.contains(old), "{old}");
        let second = second.replace(old, new);
        let refused = parse(&format!("{{\"models\": [\n{MODEL},\n{second}\n]}}"));
        refused.err().map_or_else(|| "accepted".to_owned(), |error| error.to_string())
    }

    #[test]
    fn an_error_names_line_and_field_and_no_value() {
        assert_eq!(refusal("\"local\"", "\"elsewhere\""), "accepted");
        for (old, new, expected) in [
            ("\"openai\"", "\"sk-secret\"", "line 10: models[1].protocol: must be `openai` or `anthropic`"),
            ("\"protocol\": \"openai\",", "", "line 15: models[1]: missing field `protocol`"),
            ("\"http://127", "\"sk-secret://127", "line 11: models[1].baseUrl: must be an http or https URL"),
            ("\"http://127.0.0.1", "\"sk-secret", "line 11: models[1].baseUrl: must be an http or https URL"),
            ("\"sk-secret\"", "[\"sk-secret, expected x\"]", "line 12: models[1].apiKey: must be a string"),
            ("100", "\"sk-secret, expected x\"", "line 13: models[1].maxOutputTokens: must be u32"),
            ("100", "-1", "line 13: models[1].maxOutputTokens: must be u32"),
            (
                "\"3\"",
                "\"sk-secret\"",
                "line 14: models[1].prices.prompt: must be an amount of credits of at most six decimal places",
            ),
            ("\"apiKey\"", "\"model\"", "line 13: models[1]: duplicate field `model`"),
            (
                "\"maxOutputTokens\": 100",
                "\"outputLimitField\": \"sk-secret\"",
                "line 13: models[1].outputLimitField: must be one of `max_completion_tokens`, `max_tokens`, `none`",
            ),
            (
                "\"maxOutputTokens\": 100",
                "\"extraFields\": {\"model\": \"sk-secret\"}",
                "line 13: models[1].extraFields: must not have `model`",
            ),
            (
                "\"openai\",",
                "\"anthropic\", \"outputLimitField\": \"none\",",
                "line 16: models: `outputLimitField` is for the protocol `openai` alone",
            ),
            ("\"other\"", "\"chat\"", "line 16: models: two models have the name `chat`"),
        ] {
            assert_eq!(refusal(old, new), expected);
        }
        for (old, new, field) in [
            ("\"prompt\"", "\"prompts\"", "line 14: models[1].prices.prompts: unknown field `prompts`, "),
            ("\"apiKey\"", "\"key\"", "line 12: models[1].key: unknown field `key`, "),
            ("\"sk-secret\",", "\"sk-secret\"", "line 13: models[1]"),
        ] {
            let refused = refusal(old, new);
            assert!(refused.starts_with(field) && !refused.contains("sk-secret"), "{refused}");
        }
    }

    #[test]
    fn an_error_of_the_whole_file_names_its_line() {
        let refusal = |text: &str| parse(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(refusal("5"), "line 1: must be an object with `models`");
        assert_eq!(refusal("{}"), "line 1: missing field `models`");
        assert_eq!(refusal("{\"models\": []}\n x"), "line 2: trailing characters");
    }
}
