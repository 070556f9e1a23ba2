//! MCP servers: one answer for each message of the protocol.
//!
//! Not here: the transport (Streamable HTTP), endpoints of the control plane; the tools, resources and prompts. A server
//! keeps no state, so any process answers any message. It sends nothing on its own, so each answer is one JSON message.

pub mod resource_uri;
pub mod revision;
pub mod session;

use domain::error::cut;
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::mcp::revision::{MessageHeaders, Revision};
use crate::tools::Content;
use crate::tools::content::Blocks;

/// The supported versions of the protocol that begin with `initialize`, newest first. Other clients are offered the newest. Version 2025-03-26 would
/// require batches of messages.
pub const VERSIONS: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// Longest id of a request, which its answer repeats, in bytes.
const ID_MAX_BYTES: usize = 1_000;
/// Items per page of a list.
pub const PAGE: usize = 100;
/// The field of `_meta` with the idempotency key of a call.
const IDEMPOTENCY_KEY: &str = "idempotencyKey";

const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const RESOURCE_NOT_FOUND: i32 = -32002;
const REFUSED: i32 = -32000;

/// Statuses of HTTP. Revisions that are negotiated answer all requests by the first.
const OK: u16 = 200;
const BAD_REQUEST: u16 = 400;
const NOT_FOUND: u16 = 404;

/// A message of a client: a request, or a notification if it has no id. A response, which has no method, is ignored too.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "McpMessage")]
pub struct RpcMessage {
    /// Always `2.0`.
    jsonrpc: String,
    /// The request's id: a text or a number, never null. Absent in a notification.
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    /// The method.
    #[serde(default)]
    method: Option<String>,
    /// The method's parameters.
    #[serde(default)]
    params: Map<String, Value>,
}

impl RpcMessage {
    /// True if it names its revision, as requests of [`revision::STANDALONE`] do.
    pub fn names_revision(&self) -> bool {
        revision::named(&self.params).is_some()
    }
}

/// Keeps `null` apart from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The answer to a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "McpAnswer")]
pub struct RpcResponse {
    /// Always `2.0`.
    jsonrpc: &'static str,
    /// The request's id.
    id: Value,
    /// The result; absent if the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    result: Option<Box<RawValue>>,
    /// The error, if the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RpcError>,
    /// The status of the HTTP answer.
    #[serde(skip)]
    pub status: u16,
}

/// The error of a request, in the terms of JSON-RPC.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "McpFailure")]
pub struct RpcError {
    code: i32,
    message: String,
    /// The supported versions, if another one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// The HTTP request that carries a message.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// When it began.
    pub now: Timestamp,
    /// The request's id.
    pub request_id: String,
}

/// A request has no result.
#[derive(Debug)]
pub enum RpcFailure {
    /// The request is refused in the terms of the protocol.
    Refused(RpcError),
    /// The service could not answer; the failure of the HTTP request says why.
    Service(Error),
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct CallParams {
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// As the header `Idempotency-Key`: a repeat answers the first result.
    pub idempotency_key: Option<String>,
}

/// The result of a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    content: Blocks<'a, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

/// Answers a message by `work`, which gets the method and the parameters of a request; `None` for a notification.
/// `headers` are those of the HTTP request.
///
/// # Errors
/// Those that `work` blames on the service.
pub async fn respond(
    message: RpcMessage,
    headers: MessageHeaders<'_>,
    work: impl AsyncFnOnce(&str, Map<String, Value>) -> Result<Box<RawValue>, RpcFailure>,
) -> Result<Option<RpcResponse>> {
    let RpcMessage { jsonrpc, id, method, params } = message;
    let is_named = id.as_ref().is_none_or(|id| match id.as_str() {
        Some(text) => text.len() <= ID_MAX_BYTES,
        None => id.is_number(),
    });
    if jsonrpc != "2.0" || !is_named {
        let message = "not a request of JSON-RPC 2.0".to_owned();
        let error = RpcError { code: INVALID_REQUEST, message, data: None };
        return Ok(Some(RpcResponse::failed(Value::Null, error, OK)));
    }
    let (Some(id), Some(method)) = (id, method) else {
        return Ok(None);
    };
    let revision = match Revision::of(headers, &method, &params) {
        Ok(revision) => revision,
        Err(error) => return Ok(Some(RpcResponse::failed(id, error, BAD_REQUEST))),
    };
    let answer =
        if revision.has(&method) { work(&method, params).await } else { Err(RpcFailure::no_method(&method)) };
    match answer {
        Ok(result) => {
            let result = Some(revision.complete(&method, result));
            Ok(Some(RpcResponse { jsonrpc: "2.0", id, result, error: None, status: OK }))
        }
        Err(RpcFailure::Refused(error)) => {
            let is_unknown = revision == Revision::Standalone && error.code == METHOD_NOT_FOUND;
            Ok(Some(RpcResponse::failed(id, error, if is_unknown { NOT_FOUND } else { OK })))
        }
        Err(RpcFailure::Service(error)) => Err(error),
    }
}

/// The JSON of a result.
///
/// # Errors
/// `INTERNAL_ERROR` if it can't be serialised.
pub fn result(value: &impl Serialize) -> Result<Box<RawValue>, RpcFailure> {
    to_raw_value(value).map_err(|error| RpcFailure::Service(Error::internal(error)))
}

/// The result of `initialize`, in the version that the client asks for if it is supported.
pub fn initialized(params: &Map<String, Value>, capabilities: Value, instructions: &str) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let [newest, ..] = VERSIONS;
    let version = VERSIONS.into_iter().find(|version| Some(*version) == asked).unwrap_or(newest);
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": { "name": "atelier", "title": "Atelier", "version": env!("CARGO_PKG_VERSION") },
        "instructions": instructions,
    })
}

/// A page of a list, after the item that the cursor names.
///
/// # Errors
/// [`RpcFailure::Refused`] if there is no such item.
pub fn page<T: Serialize>(
    field: &str,
    items: &[T],
    name: impl Fn(&T) -> String,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, RpcFailure> {
    let after = match params.get("cursor") {
        None | Some(Value::Null) => 0,
        Some(cursor) => {
            let at = items.iter().position(|item| cursor.as_str() == Some(&name(item)));
            at.ok_or_else(|| RpcFailure::invalid_params("the cursor is of no page"))? + 1
        }
    };
    let rest = items.get(after..).unwrap_or_default();
    let page = rest.get(..PAGE).unwrap_or(rest);
    let mut answer = json!({ field: page });
    if page.len() < rest.len()
        && let (Some(last), Some(answer)) = (page.last(), answer.as_object_mut())
    {
        answer.insert("nextCursor".to_owned(), Value::String(name(last)));
    }
    result(&answer)
}

/// The result of `tools/call`. `structured` is absent where it would break the tool's output schema.
///
/// # Errors
/// `INTERNAL_ERROR` if it can't be serialised.
pub fn called(
    content: &Content,
    structured: Option<&RawValue>,
    is_error: bool,
    replayed: bool,
) -> Result<Box<RawValue>, RpcFailure> {
    let meta = replayed.then(|| json!({ "idempotencyReplayed": true }));
    result(&CallResult { content: content.blocks(), structured_content: structured, is_error, meta })
}

impl CallParams {
    /// Reads the parameters of `tools/call`.
    ///
    /// # Errors
    /// [`RpcFailure::Refused`] if they don't name a tool, or aren't of the right types.
    pub fn read(mut params: Map<String, Value>) -> Result<Self, RpcFailure> {
        let Some(Value::String(name)) = params.remove("name") else {
            return Err(RpcFailure::invalid_params("`name` must be a text"));
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(RpcFailure::invalid_params("`arguments` must be an object")),
        };
        let idempotency_key = match params.get_mut("_meta").and_then(|meta| meta.get_mut(IDEMPOTENCY_KEY)) {
            None => None,
            Some(Value::String(key)) => Some(std::mem::take(key)),
            Some(_) => return Err(RpcFailure::invalid_params("`_meta.idempotencyKey` must be a text")),
        };
        Ok(Self { name, arguments, idempotency_key })
    }
}

impl RpcFailure {
    /// A refusal of the parameters.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::of(INVALID_PARAMS, message)
    }

    /// A refusal of an unknown method.
    pub fn no_method(method: &str) -> Self {
        Self::of(METHOD_NOT_FOUND, format!("there is no method `{method}` here"))
    }

    /// A refusal of a resource that is absent, or hidden from the caller.
    pub fn no_resource(message: impl Into<String>) -> Self {
        Self::of(RESOURCE_NOT_FOUND, message)
    }

    /// A refusal by the service's own rules.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::of(REFUSED, message)
    }

    /// Messages name what clients sent, so they are cut.
    fn of(code: i32, message: impl Into<String>) -> Self {
        Self::Refused(RpcError { code, message: cut(message.into()), data: None })
    }
}

impl From<Error> for RpcFailure {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

impl RpcResponse {
    fn failed(id: Value, error: RpcError, status: u16) -> Self {
        Self { jsonrpc: "2.0", id, result: None, error: Some(error), status }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{CallParams, PAGE, VERSIONS, initialized, page};

    #[test]
    fn pages_follow_one_another_and_hold_every_item_once() {
        let items: Vec<Value> = (0..2 * PAGE + 1).map(|n| json!(format!("tool_{n}"))).collect();
        let name = |item: &Value| item.as_str().unwrap().to_owned();
        let (mut params, mut seen) = (Map::new(), Vec::new());
        loop {
            let page = page("tools", &items, name, &params).unwrap();
            let page: Value = serde_json::from_str(page.get()).unwrap();
            seen.extend(page["tools"].as_array().unwrap().iter().cloned());
            match page.get("nextCursor") {
                Some(next) => params.insert("cursor".to_owned(), next.clone()),
                None => break,
            };
        }
        assert_eq!(seen, items);
        params.insert("cursor".to_owned(), json!("nonsense"));
        assert!(page("tools", &items, name, &params).is_err());
    }

    #[test]
    fn a_client_gets_the_version_that_it_asks_for_or_the_newest() {
        let version = |asked: Value| {
            let params = json!({ "protocolVersion": asked });
            initialized(params.as_object().unwrap(), json!({}), "")["protocolVersion"].clone()
        };
        for known in VERSIONS {
            assert_eq!(version(json!(known)), known);
        }
        for unknown in [json!("1999-01-01"), json!(7), Value::Null] {
            assert_eq!(version(unknown), VERSIONS[0]);
        }
    }

    #[test]
    fn a_call_may_have_an_idempotency_key() {
        let read = |params: Value| CallParams::read(params.as_object().unwrap().clone());
        let call = read(json!({ "name": "a", "_meta": { "progressToken": 1, "idempotencyKey": "k" } }));
        assert_eq!(call.unwrap().idempotency_key.as_deref(), Some("k"));
        assert_eq!(read(json!({ "name": "a" })).unwrap().idempotency_key, None);
        for wrong in [
            json!({}),
            json!({ "name": "a", "arguments": [] }),
            json!({ "name": "a", "_meta": { "idempotencyKey": 1 } }),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
