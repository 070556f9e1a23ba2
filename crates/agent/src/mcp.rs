//! The tools of a session as an MCP server: one answer for each message of the protocol.
//!
//! Not here: the transport (Streamable HTTP), an endpoint of the control plane. The server keeps no state, so any process
//! answers any message. It sends nothing on its own, so each answer is one JSON message.

use domain::time::Timestamp;
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use wire::Authenticate;

use crate::tools::content::Blocks;
use crate::tools::{Annotations, Executor, Tool, ToolCall, ToolResult, ToolSession};

/// The supported versions of the protocol, newest first. Other clients are offered the newest. Version 2025-03-26 would
/// require batches of messages.
pub const VERSIONS: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// Tools per page of `tools/list`.
const PAGE: usize = 100;
/// The instructions for models.
const INSTRUCTIONS: &str = "Tools of one project of Atelier: its objects and commits (project), its cards (cards), and the teams of its \
     organization (teams); other toolboxes are those of MCP servers that the project uses. They work on the live state of one branch. An answer that is long is cut in its text; the whole is in \
     structuredContent.";

const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

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
}

/// The error of a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "McpFailure")]
struct RpcError {
    code: i32,
    message: String,
}

/// The HTTP request that carries a message.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// When it began.
    pub now: Timestamp,
    /// The request's id.
    pub request_id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolListing<'a> {
    name: String,
    title: &'a str,
    description: &'a str,
    input_schema: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a Map<String, Value>>,
    annotations: Annotations,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallParams<'a> {
    content: Blocks<'a, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
}

/// Answers a message in a session; `None` for a notification.
///
/// # Errors
/// `INTERNAL_ERROR`, `UNAVAILABLE`. Any other failure is an answer.
pub async fn answer<App: Authenticate>(
    app: &App,
    executor: &Executor<App>,
    session: &ToolSession,
    message: RpcMessage,
    context: RequestContext,
) -> Result<Option<RpcResponse>> {
    let RpcMessage { jsonrpc, id, method, mut params } = message;
    let is_named = id.as_ref().is_none_or(|id| id.is_string() || id.is_number());
    if jsonrpc != "2.0" || !is_named {
        return Ok(Some(RpcResponse::failed(Value::Null, INVALID_REQUEST, "not a request of JSON-RPC 2.0")));
    }
    let (Some(id), Some(method)) = (id, method) else {
        return Ok(None);
    };
    let result = match method.as_str() {
        "initialize" => to_raw_value(&initialized(&params)).map_err(Error::internal)?,
        "ping" => to_raw_value(&json!({})).map_err(Error::internal)?,
        "tools/list" => match page(&executor.list(session).await?, params.get("cursor"))? {
            Some(page) => page,
            None => return Ok(Some(RpcResponse::failed(id, INVALID_PARAMS, "the cursor is of no page"))),
        },
        "tools/call" => {
            let Some((toolbox, tool)) = params.get("name").and_then(Value::as_str).map(ToolCall::split_name)
            else {
                return Ok(Some(RpcResponse::failed(id, INVALID_PARAMS, "`name` must be a text")));
            };
            let params = match params.remove("arguments") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(arguments)) => arguments,
                Some(_) => {
                    return Ok(Some(RpcResponse::failed(
                        id,
                        INVALID_PARAMS,
                        "`arguments` must be an object",
                    )));
                }
            };
            let RequestContext { now, request_id } = context;
            let call = ToolCall { toolbox, tool, params, idempotency_key: None, now, request_id };
            match executor.invoke(app, session, &call).await {
                Ok(result) => called(&result)?,
                Err(error) if error.code == Code::ToolNotFound => {
                    return Ok(Some(RpcResponse::failed(id, INVALID_PARAMS, error.to_string())));
                }
                // A model can react to this one.
                Err(error) if error.code == Code::ToolTimeout => {
                    let said = json!({ "content": [{ "type": "text", "text": error.to_string() }], "isError": true });
                    to_raw_value(&said).map_err(Error::internal)?
                }
                Err(error) => return Err(error),
            }
        }
        _ => {
            return Ok(Some(RpcResponse::failed(
                id,
                METHOD_NOT_FOUND,
                format!("there is no method `{method}` here"),
            )));
        }
    };
    Ok(Some(RpcResponse { jsonrpc: "2.0", id, result: Some(result), error: None }))
}

impl RpcResponse {
    fn failed(id: Value, code: i32, message: impl Into<String>) -> Self {
        let error = Some(RpcError { code, message: message.into() });
        Self { jsonrpc: "2.0", id, result: None, error }
    }
}

/// The result of `initialize`: the version that the client asks for, if it is supported.
fn initialized(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let [newest, ..] = VERSIONS;
    let version = VERSIONS.into_iter().find(|version| Some(*version) == asked).unwrap_or(newest);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": { "listChanged": false } },
        "serverInfo": { "name": "atelier", "title": "Atelier", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

/// A page of the tools, after the tool that the cursor names. `None` if there is no such tool.
fn page(tools: &[Tool], cursor: Option<&Value>) -> Result<Option<Box<RawValue>>> {
    let after = match cursor {
        None | Some(Value::Null) => 0,
        Some(cursor) => {
            let at = tools.iter().position(|tool| cursor.as_str() == Some(&tool.full_name()));
            let Some(at) = at else { return Ok(None) };
            at + 1
        }
    };
    let rest = tools.get(after..).unwrap_or_default();
    let page = rest.get(..PAGE).unwrap_or(rest);
    let listed: Vec<ToolListing<'_>> = page.iter().map(ToolListing::from).collect();
    let mut result = json!({ "tools": listed });
    if page.len() < rest.len()
        && let (Some(last), Some(result)) = (page.last(), result.as_object_mut())
    {
        result.insert("nextCursor".to_owned(), Value::String(last.full_name()));
    }
    to_raw_value(&result).map(Some).map_err(Error::internal)
}

fn called(result: &ToolResult) -> Result<Box<RawValue>> {
    // The output schema does not cover refusals.
    let structured = result.structured_content.as_deref().filter(|_| !result.is_error);
    let called = ToolCallParams {
        content: result.content.blocks(),
        structured_content: structured,
        is_error: result.is_error,
    };
    to_raw_value(&called).map_err(Error::internal)
}

impl<'a> From<&'a Tool> for ToolListing<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            name: tool.full_name(),
            title: &tool.title,
            description: &tool.description,
            input_schema: &tool.input_schema,
            output_schema: tool.output_schema.as_ref(),
            annotations: tool.annotations,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{PAGE, VERSIONS, initialized, page};
    use crate::tools::{Annotations, Tool};

    fn tools(count: usize) -> Vec<Tool> {
        let annotations = Annotations {
            read_only_hint: true,
            destructive_hint: false,
            idempotent_hint: true,
            open_world_hint: false,
        };
        let tool = |n: usize| Tool {
            toolbox: "project".to_owned(),
            name: format!("tool_{n}"),
            title: String::new(),
            description: String::new(),
            input_schema: Map::new(),
            output_schema: None,
            effects: Vec::new(),
            annotations,
        };
        (0..count).map(tool).collect()
    }

    #[test]
    fn pages_follow_one_another_and_hold_every_tool_once() {
        let tools = tools(2 * PAGE + 1);
        let (mut cursor, mut names) = (None, Vec::new());
        loop {
            let page = page(&tools, cursor.as_ref()).unwrap().unwrap();
            let page: Value = serde_json::from_str(page.get()).unwrap();
            names.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()));
            match page.get("nextCursor") {
                Some(next) => cursor = Some(next.clone()),
                None => break,
            }
        }
        let all: Vec<Value> = tools.iter().map(|tool| json!(tool.full_name())).collect();
        assert_eq!(names, all);
        assert!(page(&tools, Some(&json!("nonsense"))).unwrap().is_none());
    }

    #[test]
    fn a_client_gets_the_version_that_it_asks_for_or_the_newest() {
        let version = |asked: Value| {
            let params = json!({ "protocolVersion": asked });
            initialized(params.as_object().unwrap())["protocolVersion"].clone()
        };
        for known in VERSIONS {
            assert_eq!(version(json!(known)), known);
        }
        for unknown in [json!("1999-01-01"), json!(7), Value::Null] {
            assert_eq!(version(unknown), VERSIONS[0]);
        }
    }
}
