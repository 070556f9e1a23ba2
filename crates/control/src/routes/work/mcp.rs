//! MCP for clients without a session: one address for all tools, resources and prompts, and the metadata by which a
//! client finds where to sign in.

pub mod answer;
mod choice;
mod metadata;
mod prompts;
mod resources;
pub mod transport;

use actix_web::http::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use api::operation::Operation;
use api::work::mcp::{GetProtectedResource, GetProtectedResourceOfMcp};
use auth::credential::AuthorizationSchemes;
use domain::Code;
use wire::{AnswerContext, Endpoint, Protocol, endpoint, public_get};

use crate::app::App;

/// MCP: the refusal of a credential says where the metadata is.
static MCP: Protocol =
    Protocol { schemes: AuthorizationSchemes::Bearer, repeats_message: false, add_headers: name_metadata };

/// The endpoints of MCP.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(answer::handle).speaks(&MCP),
        public_get::<GetProtectedResource, _, _>(metadata::of_service),
        public_get::<GetProtectedResourceOfMcp, _, _>(metadata::of_mcp),
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
    let url = format!("{}{}", answer.public_url, GetProtectedResourceOfMcp::DECLARATION.path);
    let named = HeaderValue::try_from(format!("{challenge}{separator} resource_metadata=\"{url}\""));
    if let Ok(named) = named {
        headers.insert(WWW_AUTHENTICATE, named);
    }
}
