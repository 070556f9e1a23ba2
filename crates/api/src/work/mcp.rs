//! MCP for clients without a session.

use std::borrow::Cow;

use domain::content::project::ProjectRef;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::operation::{Header, Json};
use crate::people::sign_in::ProtectedResource;
use crate::{operations, tags};

/// Limit of a message in bytes; the same as for a direct invocation of a tool.
pub const MESSAGE_LIMIT_BYTES: u64 = 4 * 1024 * 1024;
/// The header with the negotiated version of the protocol.
pub const PROTOCOL_VERSION: Header =
    ("MCP-Protocol-Version", "The version of the protocol that the client has agreed to.");
/// The header of revision 2026-07-28 that repeats the message's method.
pub const METHOD: Header = ("Mcp-Method", "The message's method, in revision 2026-07-28.");
/// The header of revision 2026-07-28 that repeats the name in the message.
pub const NAME: Header = (
    "Mcp-Name",
    "The tool, the prompt or the resource's URI that the message names, in revision 2026-07-28.",
);
/// The header with the names of toolsets.
pub const TOOLSETS: Header = (
    "X-MCP-Toolsets",
    "The toolsets to offer, separated by commas; `default` and `all` are among them. As the parameter `toolsets`.",
);
/// The header that leaves out tools that change data.
pub const READ_ONLY: Header =
    ("X-MCP-Readonly", "`true` to offer only tools that read. As the parameter `readonly`.");

operations! {
    tag: tags::MCP;

    /// Speaks the Model Context Protocol over Streamable HTTP, without sessions: one JSON-RPC message for each request.
    /// The bearer token is an API key or a token of the configured issuer. Tools are operations of this API; objects,
    /// files and cards are resources. `X-MCP-Toolsets` chooses tools, `X-MCP-Readonly` leaves out those that change
    /// data. A creation is repeated safely with `idempotencyKey` in `_meta`. Pages of foreign origins are `FORBIDDEN`.
    UseMcp = Post "/mcp" {
        summary: "Use the service over MCP",
        query: UseMcpQuery,
        body: Json<Value, MESSAGE_LIMIT_BYTES>,
        answer: Value,
        effect: Changes,
        tool: NotATool("offers the tools"),
        also: unaudited(), reads(&[ PROTOCOL_VERSION, METHOD, NAME, TOOLSETS, READ_ONLY]),
    }

    /// Answers the metadata of this service as a protected resource of OAuth (RFC 9728): the issuer whose tokens it
    /// accepts. A deployment without an issuer names none, and takes API keys alone. It needs no credential.
    GetProtectedResource = Get "/.well-known/oauth-protected-resource" {
        summary: "Find the authorization server of this service",
        answer: ProtectedResource,
        effect: Reads,
        tool: NotATool("only for OAuth clients"),
    }

    /// Answers the same metadata for the address of MCP, as its refusal of a missing credential names it. It needs no
    /// credential.
    GetProtectedResourceOfMcp = Get "/.well-known/oauth-protected-resource/mcp" {
        summary: "Find the authorization server of MCP",
        answer: ProtectedResource,
        effect: Reads,
        tool: NotATool("only for OAuth clients"),
    }
}

/// The client's choices in its URL.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UseMcpQuery {
    /// The toolsets to offer, separated by commas. Defaults to `default`; `all` has every tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolsets: Option<ToolsetNames>,
    /// Offer only tools that read. Defaults to `false`.
    #[serde(default)]
    pub readonly: bool,
    /// The project whose objects and files are the listed resources. Without one, the caller's projects are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectRef>,
}

/// Names, separated by commas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToolsetNames(pub String);

impl JsonSchema for ToolsetNames {
    fn schema_name() -> Cow<'static, str> {
        "ToolsetNames".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}
