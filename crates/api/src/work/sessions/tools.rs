//! A session's tools.

use domain::page::PageMeta;
use domain::work::execution::LanguageVersion;
use domain::work::tool::{LeftOutTool, Tool, ToolChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::work::mcp::{MESSAGE_LIMIT_BYTES, METHOD, NAME, PROTOCOL_VERSION};
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

operations! {
    tag: tags::TOOLS;

    /// Lists the tools of a session with their schemas and effects. `leftOut` has those that models are not given, each
    /// with its `reason`, `changes` what providers of models would refuse in the others, and `languages` the
    /// interpreters of executed code.
    ListTools = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/tools" {
        summary: "List the tools of a session",
        path: SessionPath,
        query: PageQuery,
        answer: ListToolsResponse,
        effect: Reads,
        tool: NotATool("controls the session itself"),
    }

    /// Uses a tool directly, without the agent and without a question. A tool that is unknown, and one that is not the
    /// caller's to use, is `TOOL_NOT_FOUND`. A tool that refuses or fails is `TOOL_ERROR` with its message; one that
    /// takes too long is `TOOL_TIMEOUT`.
    InvokeTool = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/tools/invoke" {
        summary: "Invoke a tool",
        path: SessionPath,
        body: Json<InvokeToolRequest, MESSAGE_LIMIT_BYTES>,
        answer: Value,
        effect: Creates,
        tool: NotATool("controls the session itself"),
    }

    /// Speaks the Model Context Protocol over Streamable HTTP: one JSON-RPC message for each request. Point an MCP
    /// client to this address, with the API key as the bearer token. Failures of tools are in the answer, as the
    /// protocol has it.
    CallMcp = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/mcp" {
        summary: "Use a session's tools over MCP",
        path: SessionPath,
        body: Json<Value, MESSAGE_LIMIT_BYTES>,
        answer: Value,
        effect: Changes,
        tool: NotATool("controls the session itself"),
        also: reads(&[PROTOCOL_VERSION, METHOD, NAME]),
    }
}

/// The tool and its arguments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeToolRequest {
    /// The toolbox.
    pub toolbox: String,
    /// The tool.
    pub tool: String,
    /// The tool's arguments.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// A page of tools, by toolbox and name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListToolsResponse {
    /// The tools.
    pub tools: Vec<Tool>,
    /// The tools that the agent is not given, with the reason. Each page has all of them; absent where every tool is
    /// given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutTool>,
    /// The changes of tools that providers of models refuse as their servers describe them. Each page has all of them;
    /// absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ToolChange>,
    /// The languages of executed code, with the versions of their interpreters.
    #[serde(default)]
    pub languages: Vec<LanguageVersion>,
    /// The page.
    pub meta: PageMeta,
}
