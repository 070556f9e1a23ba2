//! MCP over Streamable HTTP: a connection for each list and each call. Nothing is kept between two of them, so any process
//! can make the next one.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    ListToolsRequest, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{RoleClient, RunningService, ServiceError, serve_client};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use store::mcp_servers::McpServer;
use tokio::time::timeout;

use crate::tools::text;

/// Longest time of a list.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Most pages of a list.
const PAGES_MAX: usize = 10;
/// Largest event of a stream, in bytes.
const EVENT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Largest answer, in bytes of JSON.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// Longest error message, in characters.
const MESSAGE_MAX_CHARS: usize = 1_000;

const SILENT: &str = "it did not answer in time";
const UNREACHED: &str = "it can't be reached, or does not speak the protocol";
const SEALED: &str = "its headers were sealed with another key: save the server again";
const BROKEN: &str = "its answer can't be used";
const TOO_LARGE: &str = "it answered more than 1 MiB";

/// The answer of a tool.
pub(super) struct ForeignAnswer {
    /// True if the tool says that it failed.
    pub(super) is_error: bool,
    /// The texts of `parts`, cut to a readable size.
    pub(super) text: String,
    /// MCP content blocks.
    pub(super) parts: Vec<Value>,
    /// The structured content.
    pub(super) structured: Option<Box<RawValue>>,
}

/// The reason why a tool gave no answer.
pub(super) enum CallFailure {
    /// The server refused, with this message.
    Refused(String),
    /// The server can't be used, for this reason.
    Unusable(&'static str),
}

type Conversation = RunningService<RoleClient, ClientConfig>;

/// Lists the tools of a server. An error is a short reason.
pub(super) async fn list_tools(client: &Client, server: &McpServer) -> Result<Vec<Value>, &'static str> {
    let list = async {
        let conversation = begin(client, server).await?;
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let asked = PaginatedRequestParams::default().with_cursor(cursor.take());
            let asked = ListToolsRequest { params: Some(asked), ..ListToolsRequest::default() };
            let page = conversation.send_request(ClientRequest::ListToolsRequest(asked)).await;
            // The library takes a list with one invalid tool for no list at all.
            let page = match page.map_err(|_| BROKEN)? {
                ServerResult::ListToolsResult(page) => serde_json::to_value(page).map_err(|_| BROKEN)?,
                ServerResult::CustomResult(page) => page.0,
                _ => return Err(BROKEN),
            };
            tools.extend(page.get("tools").and_then(Value::as_array).ok_or(BROKEN)?.iter().cloned());
            cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(tools)
    };
    timeout(LIST_TIMEOUT, list).await.unwrap_or(Err(SILENT))
}

/// Calls a tool by its name at the server.
pub(super) async fn call_tool(
    client: &Client,
    server: &McpServer,
    name: &str,
    params: Map<String, Value>,
) -> Result<ForeignAnswer, CallFailure> {
    let call = async {
        let conversation = begin(client, server).await.map_err(CallFailure::Unusable)?;
        let asked = CallToolRequestParams::new(name.to_owned()).with_arguments(params);
        let result = conversation.call_tool(asked).await.map_err(|error| match error {
            ServiceError::McpError(error) => {
                CallFailure::Refused(error.message.chars().take(MESSAGE_MAX_CHARS).collect())
            }
            _ => CallFailure::Unusable(BROKEN),
        })?;
        answer(result).map_err(CallFailure::Unusable)
    };
    timeout(CALL_TIMEOUT, call).await.unwrap_or(Err(CallFailure::Unusable(SILENT)))
}

/// Connects to a server and initializes MCP.
async fn begin(client: &Client, server: &McpServer) -> Result<Conversation, &'static str> {
    let mut headers = HashMap::new();
    for (name, value) in server.headers.as_ref().ok_or(SEALED)?.reveal() {
        let mut value: HeaderValue = value.parse().map_err(|_| UNREACHED)?;
        value.set_sensitive(true);
        headers.insert(name.parse::<HeaderName>().map_err(|_| UNREACHED)?, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.record.url.get().as_str())
        .custom_headers(headers)
        .max_sse_event_size(EVENT_MAX_BYTES)
        .reinit_on_expired_session(false);
    config.allow_stateless = true;
    let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
    let about = Implementation::new("atelier", env!("CARGO_PKG_VERSION"));
    serve_client(ClientConfig::new(ClientCapabilities::default(), about), transport)
        .await
        .map_err(|_| UNREACHED)
}

fn answer(result: CallToolResult) -> Result<ForeignAnswer, &'static str> {
    let parts = serde_json::to_value(&result.content).map_err(|_| BROKEN)?;
    let structured = match result.structured_content {
        // Clients expect structured content to be an object.
        Some(Value::Object(fields)) => Some(to_raw_value(&fields)),
        Some(value) => Some(to_raw_value(&json!({ "value": value }))),
        None => None,
    };
    let structured = structured.transpose().map_err(|_| BROKEN)?;
    let size = parts.to_string().len() + structured.as_ref().map_or(0, |structured| structured.get().len());
    if size > ANSWER_MAX_BYTES {
        return Err(TOO_LARGE);
    }
    let parts = match parts {
        Value::Array(parts) => parts,
        _ => Vec::new(),
    };
    let texts = parts.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("text"));
    let texts: Vec<&str> = texts.filter_map(|part| part.get("text")?.as_str()).collect();
    Ok(ForeignAnswer {
        is_error: result.is_error.unwrap_or(false),
        text: text(&texts.join("\n"), "parts"),
        parts,
        structured,
    })
}
