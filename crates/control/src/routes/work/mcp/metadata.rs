//! The metadata of this service as a protected resource of OAuth 2.0 (RFC 9728).

use api::operation::Operation;
use api::people::sign_in::ProtectedResource;
use api::work::mcp::UseMcp;
use wire::Reply;

use crate::app::App;

/// The metadata of the whole service.
pub fn of_service(app: &App, public_url: &str) -> Reply<ProtectedResource> {
    metadata(app, public_url.to_owned())
}

/// The metadata of the address of MCP.
pub fn of_mcp(app: &App, public_url: &str) -> Reply<ProtectedResource> {
    metadata(app, format!("{public_url}{}", UseMcp::DECLARATION.path))
}

fn metadata(app: &App, resource: String) -> Reply<ProtectedResource> {
    let issuer = app.issuers.oidc.as_ref().map(|oidc| oidc.issuer().to_owned());
    Reply::ok(ProtectedResource {
        resource,
        authorization_servers: issuer.map(|issuer| vec![issuer]),
        bearer_methods_supported: vec!["header".to_owned()],
        resource_name: "Atelier".to_owned(),
    })
}
