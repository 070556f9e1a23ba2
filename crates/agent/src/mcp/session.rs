//! The tools of a session as an MCP server.

use domain::work::tool::{Annotations, Tool};
use domain::{Code, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};
use wire::Authenticate;

use crate::mcp::revision::{self, MessageHeaders};
use crate::mcp::{self, CallParams, RequestContext, RpcFailure, RpcMessage, RpcResponse};
use crate::tools::{Executor, ToolCall, ToolSession};

/// The instructions for models.
const INSTRUCTIONS: &str = "Tools of one project of Atelier: its objects and commits (project), its cards (cards), and the \
     teams of its organization (teams); other toolboxes are those of MCP servers that the project uses. They work on \
     the live state of one branch. An answer that is long is cut in its text; the whole is in structuredContent.";

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

/// Answers a message in a session; `None` for a notification.
///
/// # Errors
/// `INTERNAL_ERROR`, `UNAVAILABLE`. Any other failure is an answer.
pub async fn answer<App: Authenticate>(
    app: &App,
    executor: &Executor<App>,
    session: &ToolSession,
    message: RpcMessage,
    (headers, context): (MessageHeaders<'_>, RequestContext),
) -> Result<Option<RpcResponse>> {
    let work = async |method: &str, params: Map<String, Value>| match method {
        "initialize" => mcp::result(&mcp::initialized(&params, capabilities(), INSTRUCTIONS)),
        revision::DISCOVER => mcp::result(&revision::discovered(capabilities(), INSTRUCTIONS)),
        "ping" => mcp::result(&json!({})),
        "tools/list" => {
            let tools = executor.list(session).await?.tools;
            let listed: Vec<ToolListing<'_>> = tools.iter().map(ToolListing::from).collect();
            mcp::page("tools", &listed, |tool| tool.name.clone(), &params)
        }
        "tools/call" => {
            let CallParams { name, arguments, idempotency_key } = CallParams::read(params)?;
            let (toolbox, tool) = ToolCall::split_name(&name);
            let RequestContext { now, request_id } = context;
            let call = ToolCall { toolbox, tool, params: arguments, idempotency_key, now, request_id };
            match executor.invoke(app, session, &call).await {
                Ok(result) => {
                    // The output schema does not cover refusals.
                    let structured = result.structured_content.as_deref().filter(|_| !result.is_error);
                    mcp::called(&result.content, structured, result.is_error, result.replayed)
                }
                Err(error) if error.code == Code::ToolNotFound => {
                    Err(RpcFailure::invalid_params(error.to_string()))
                }
                // A model can react to this one.
                Err(error) if error.code == Code::ToolTimeout => {
                    let said = json!([{ "type": "text", "text": error.to_string() }]);
                    mcp::result(&json!({ "content": said, "isError": true }))
                }
                Err(error) => Err(error.into()),
            }
        }
        _ => Err(RpcFailure::no_method(method)),
    };
    mcp::respond(message, headers, work).await
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": false } })
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
