//! The metadata of this service as a protected resource of OAuth 2.0 (RFC 9728).

use schemars::JsonSchema;
use serde::Serialize;
use wire::Reply;

use crate::app::App;
use crate::routes::mcp::ADDRESS;

/// The metadata of a protected resource.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProtectedResource")]
pub struct Metadata {
    /// The address that the tokens are for.
    resource: String,
    /// The issuer whose tokens are accepted. Absent in a deployment without one, which takes API keys alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    authorization_servers: Option<Vec<String>>,
    /// Always `header`: a token or an API key is sent in `Authorization`.
    bearer_methods_supported: [&'static str; 1],
    /// The service's name.
    resource_name: &'static str,
}

/// The metadata of the whole service.
pub fn of_service(app: &App, public_url: &str) -> Reply<Metadata> {
    metadata(app, public_url.to_owned())
}

/// The metadata of the address of MCP.
pub fn of_mcp(app: &App, public_url: &str) -> Reply<Metadata> {
    metadata(app, format!("{public_url}{ADDRESS}"))
}

fn metadata(app: &App, resource: String) -> Reply<Metadata> {
    let issuer = app.issuers.oidc.as_ref().map(|oidc| oidc.issuer().to_owned());
    Reply::ok(Metadata {
        resource,
        authorization_servers: issuer.map(|issuer| vec![issuer]),
        bearer_methods_supported: ["header"],
        resource_name: "Atelier",
    })
}
