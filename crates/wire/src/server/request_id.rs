//! `X-Request-Id`: the client's if it is valid, else a new one.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use domain::id::RequestId;
use domain::time::Timestamp;

/// The header's name.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a client's id, in characters.
const MAX_CHARS: usize = 128;

/// The id of a request that arrived at `now`.
pub(crate) fn of(http: &HttpRequest, now: Timestamp) -> String {
    let sent = http.headers().get(HEADER).and_then(|id| id.to_str().ok());
    match sent {
        Some(id) if is_valid(id) => id.to_owned(),
        _ => RequestId::new(now).to_string(),
    }
}

fn is_valid(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_CHARS && id.bytes().all(|byte| byte.is_ascii_graphic())
}
