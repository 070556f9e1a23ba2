//! The settings of a deployment that its console reads. They are public: the page has them before anybody signs in.

use serde::Serialize;
use url::Url;

/// How people sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SignIn {
    /// At the deployment's issuer, by authorization code with PKCE.
    Issuer(Box<OpenIdClient>),
    /// At the deployment's issuer, which has not answered yet.
    IssuerAway,
    /// By a ticket or a token of the development issuer.
    Development,
    /// Not at all: the deployment names no client of its issuer.
    Unavailable,
}

/// The console as a public client of an OpenID Connect issuer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenIdClient {
    /// The issuer, exactly as in its tokens.
    pub issuer: String,
    /// The `aud` of its tokens for the control plane.
    pub audience: String,
    /// The client id.
    pub client_id: String,
    /// The page for signing in.
    pub authorization_url: Url,
    /// The address that gives tokens for codes.
    pub token_url: Url,
    /// The address that revokes refresh tokens (RFC 7009).
    pub revocation_url: Option<Url>,
    /// The page that ends the issuer's own session.
    pub end_session_url: Option<Url>,
    /// The scopes to ask for.
    pub scope: String,
}

/// All settings, as the page holds them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settings<'a> {
    pub(crate) data_url: &'a str,
    pub(crate) sign_in: &'a SignIn,
}
