//! `X-Request-Id`: the client's where it sent a sane one, else our own.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use domain::id::RequestId;
use domain::time::Timestamp;

/// The header's name.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is taken from a client, in characters.
const MAX_CHARS: usize = 128;

/// The id of a request that came in at `now`.
pub(crate) fn of(http: &HttpRequest, now: Timestamp) -> String {
    let sent = http.headers().get(HEADER).and_then(|id| id.to_str().ok());
    match sent {
        Some(id) if is_sane(id) => id.to_owned(),
        _ => RequestId::new(now).to_string(),
    }
}

fn is_sane(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_CHARS && id.bytes().all(|byte| byte.is_ascii_graphic())
}
