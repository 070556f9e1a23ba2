//! MCP for clients without a session: one address for all tools, resources and prompts, and the metadata by which a
//! client finds where to sign in.

pub mod answer;
mod choice;
mod metadata;
mod prompts;
mod resources;
pub mod transport;

use actix_web::http::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use auth::credential::AuthorizationSchemes;
use domain::Code;
use wire::{AnswerContext, Endpoint, Protocol, post, public_get};

use crate::app::App;

/// The path of the metadata of the protected resource (RFC 9728), and of that of [`ADDRESS`].
const METADATA: &str = "/.well-known/oauth-protected-resource";
const METADATA_OF_ADDRESS: &str = "/.well-known/oauth-protected-resource/mcp";
/// The address of MCP.
pub const ADDRESS: &str = "/mcp";

/// MCP: the refusal of a credential says where the metadata is.
static MCP: Protocol =
    Protocol { schemes: AuthorizationSchemes::Bearer, repeats_message: false, add_headers: name_metadata };

/// The endpoints of MCP.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        post(ADDRESS, "useMcp", "Use the service over MCP", answer::handle)
            .speaks(&MCP)
            .reads(&[
                transport::PROTOCOL_VERSION,
                transport::METHOD,
                transport::NAME,
                choice::TOOLSETS,
                choice::READ_ONLY,
            ])
            // Each tool is audited as its operation.
            .only_reads()
            .not_a_tool("offers the tools"),
        public_get(
            METADATA,
            "getProtectedResource",
            "Find the authorization server of this service",
            metadata::of_service,
        )
        .not_a_tool("only for OAuth clients"),
        public_get(
            METADATA_OF_ADDRESS,
            "getProtectedResourceOfMcp",
            "Find the authorization server of MCP",
            metadata::of_mcp,
        )
        .not_a_tool("only for OAuth clients"),
    ]
}

/// Adds the address of the metadata to the challenge (RFC 9728, section 5.1).
fn name_metadata(headers: &mut HeaderMap, answer: AnswerContext<'_>) {
    if !matches!(answer.failure, Some(Code::Unauthenticated | Code::CredentialExpired)) {
        return;
    }
    let challenge = headers.get(WWW_AUTHENTICATE).and_then(|challenge| challenge.to_str().ok());
    let separator = if challenge.is_some_and(|challenge| challenge.contains('=')) { "," } else { "" };
    let challenge = challenge.unwrap_or("Bearer");
    let url = format!("{}{METADATA_OF_ADDRESS}", answer.public_url);
    let named = HeaderValue::try_from(format!("{challenge}{separator} resource_metadata=\"{url}\""));
    if let Ok(named) = named {
        headers.insert(WWW_AUTHENTICATE, named);
    }
}
