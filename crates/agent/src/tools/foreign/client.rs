//! MCP over Streamable HTTP: a connection for each list and each call. Nothing is kept between two of them, so any process
//! can make the next one.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, ErrorData,
    Implementation, ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value};
use store::work::mcp_servers::McpServer;
use tokio::time::timeout;

use crate::tools::foreign::answer::{AnswerFault, ForeignAnswer};
use crate::tools::foreign::fault::{self, Fault};

/// Longest time of a list.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Most pages of a list.
const PAGES_MAX: usize = 10;
/// Largest event of a stream, in bytes.
const EVENT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longest error message, in characters.
const MESSAGE_MAX_CHARS: usize = 1_000;

const SILENT: Fault = Cow::Borrowed("it did not answer in time");
const UNREACHED: Fault = Cow::Borrowed("it can't be reached, or does not speak the protocol");
const SEALED: Fault = Cow::Borrowed("its headers were sealed with another key: save the server again");
const BROKEN: Fault = Cow::Borrowed("its answer can't be used");
const TOO_LARGE: Fault = Cow::Borrowed("it answered more than 1 MiB");
const ASKS_BACK: &str = "The tool asks for more input than its arguments, which is not given here.";
const WORKS_ON: &str = "The tool answers by a task that goes on, which is not followed here.";

/// The tools of a server as it lists them, and how to call them.
pub(super) struct ListedTools {
    /// The tools.
    pub(super) tools: Vec<Value>,
    /// True if its conversations begin with `initialize`, which revision 2026-07-28 doesn't have.
    pub(super) is_initialized: bool,
}

/// A call of a tool.
pub(super) struct ForeignCall<'a> {
    /// The tool's name at the server.
    pub(super) name: &'a str,
    /// Its arguments.
    pub(super) params: Map<String, Value>,
    /// As [`ListedTools`] says.
    pub(super) is_initialized: bool,
}

/// The reason why a tool gave no answer.
pub(super) enum CallFailure {
    /// The server refused, with this message.
    Refused(String),
    /// The server can't be used, for this reason.
    Unusable(Fault),
}

type Conversation = RunningService<RoleClient, ClientConfig>;

/// Lists the tools of a server.
pub(super) async fn list_tools(client: &Client, server: &McpServer) -> Result<ListedTools, Fault> {
    let list = async {
        // Servers of both eras offer the newest revision alone in `server/discover`.
        let either = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let conversation = begin(client, server, either).await?;
        let peer = conversation.peer_info();
        let is_initialized = peer.is_some_and(|peer| peer.protocol_version.has_initialize());
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
        Ok(ListedTools { tools, is_initialized })
    };
    timeout(LIST_TIMEOUT, list).await.unwrap_or(Err(SILENT))
}

/// Calls a tool of a server.
pub(super) async fn call_tool(
    client: &Client,
    server: &McpServer,
    call: ForeignCall<'_>,
) -> Result<ForeignAnswer, CallFailure> {
    let ForeignCall { name, params, is_initialized } = call;
    let lifecycle = if is_initialized {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
    };
    let call = async {
        let conversation = begin(client, server, lifecycle).await.map_err(CallFailure::Unusable)?;
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(params);
        let asked = CallToolRequest::new(params);
        let result = conversation.send_request(ClientRequest::CallToolRequest(asked)).await;
        // A content block of a type that the library doesn't know makes it another kind of result.
        let result = match result.map_err(refusal)? {
            ServerResult::CallToolResult(result) => serde_json::to_value(result),
            ServerResult::CustomResult(result) => Ok(result.0),
            ServerResult::InputRequiredResult(_) => return Err(CallFailure::Refused(ASKS_BACK.to_owned())),
            ServerResult::CreateTaskResult(_) => return Err(CallFailure::Refused(WORKS_ON.to_owned())),
            _ => return Err(CallFailure::Unusable(BROKEN)),
        };
        let Ok(Value::Object(result)) = result else { return Err(CallFailure::Unusable(BROKEN)) };
        ForeignAnswer::read(result).map_err(|fault| {
            CallFailure::Unusable(match fault {
                AnswerFault::Broken => BROKEN,
                AnswerFault::TooLarge => TOO_LARGE,
            })
        })
    };
    timeout(CALL_TIMEOUT, call).await.unwrap_or(Err(CallFailure::Unusable(SILENT)))
}

/// The failure of a request within a conversation.
fn refusal(error: ServiceError) -> CallFailure {
    match error {
        ServiceError::McpError(error) => CallFailure::Refused(beginning(&error)),
        _ => CallFailure::Unusable(BROKEN),
    }
}

/// Connects to a server and begins a conversation.
async fn begin(
    client: &Client,
    server: &McpServer,
    lifecycle: ClientLifecycleMode,
) -> Result<Conversation, Fault> {
    let mut headers = HashMap::new();
    for (name, value) in server.headers.as_ref().ok_or(SEALED)?.reveal() {
        let mut value: HeaderValue = value.parse().map_err(|_| UNREACHED)?;
        value.set_sensitive(true);
        headers.insert(name.parse::<HeaderName>().map_err(|_| UNREACHED)?, value);
    }
    let url = server.record.url.get();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(headers.clone())
        .max_sse_event_size(EVENT_MAX_BYTES)
        .reinit_on_expired_session(false);
    config.allow_stateless = true;
    let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
    let about = Implementation::new("atelier", env!("CARGO_PKG_VERSION"));
    let about = ClientConfig::new(ClientCapabilities::default(), about)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
    match serve_client_with_lifecycle(about, transport, lifecycle).await {
        Ok(conversation) => Ok(conversation),
        Err(error) => match said(&error) {
            Some(fault) => Err(fault),
            // The library keeps neither the status nor the target of a redirect.
            None => Err(fault::of_status(client, url, headers).await.unwrap_or(UNREACHED)),
        },
    }
}

/// The server's own reason against a conversation, if it gave one in the protocol's terms.
fn said(error: &ClientInitializeError) -> Option<Fault> {
    match error {
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let offered: Vec<String> = server_supported.iter().take(20).map(ToString::to_string).collect();
            Some(format!("it speaks other revisions of the protocol: {}", offered.join(", ")).into())
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => said(fallback),
        ClientInitializeError::JsonRpcError(error) => {
            Some(format!("it refuses to begin: {}", beginning(error)).into())
        }
        _ => None,
    }
}

/// The beginning of an error's message.
fn beginning(error: &ErrorData) -> String {
    error.message.chars().take(MESSAGE_MAX_CHARS).collect()
}
