//! The conventions of tus, the protocol of resumable uploads, as far as they differ from the service's own.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use auth::credential::AuthorizationSchemes;
use domain::Code;
use wire::{AnswerContext, Protocol};

/// The supported version of tus.
pub const VERSION: &str = "1.0.0";

/// tus: each answer names the version of the protocol.
pub static TUS: Protocol =
    Protocol { schemes: AuthorizationSchemes::Bearer, repeats_message: false, add_headers: add_version };

/// Adds the version, and to the refusal of another version the supported ones. A new upload's address is made absolute:
/// aiotus 1.1 gives up without a word on a relative one.
fn add_version(headers: &mut HeaderMap, answer: AnswerContext<'_>) {
    let version = HeaderValue::from_static(VERSION);
    if answer.failure == Some(Code::PreconditionFailed) {
        headers.insert(HeaderName::from_static("tus-version"), version.clone());
    }
    headers.insert(HeaderName::from_static("tus-resumable"), version);
    let path = headers.get(LOCATION).and_then(|path| path.to_str().ok()).filter(|path| path.starts_with('/'));
    if let Some(Ok(url)) = path.map(|path| HeaderValue::from_str(&answer.url_of(path))) {
        headers.insert(LOCATION, url);
    }
}
