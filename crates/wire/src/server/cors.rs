//! Requests of browser pages from other origins (CORS, in the Fetch standard).
//!
//! No cookie is a credential here. An allowed origin therefore gets no right: its page has to hold a key, a token or a
//! grant, as any client does.

use std::str::FromStr;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use url::Url;

use crate::contract::head::RequestHead;

/// All methods that any path takes. A page that uses a wrong one reads the 405.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
/// Time for which a browser may keep the answer to a preflight, in seconds. Chromium keeps none for longer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");
/// The headers of answers that pages may read, beside those that the standard always allows.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Accept-Ranges, Allow, Content-Disposition, Content-Encoding, Content-Range, ETag, Idempotency-Replayed, \
     Last-Modified, Location, Next-Cursor, RateLimit, RateLimit-Policy, Retry-After, Tus-Checksum-Algorithm, \
     Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Concat, Upload-Crc64nvme, Upload-Defer-Length, \
     Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset, WWW-Authenticate, X-Request-Id",
);

/// An origin whose pages may read answers, or all origins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigin {
    /// Every origin, `*`.
    Any,
    /// One origin, as browsers write it: `https://app.example`.
    One(String),
}

/// The text is not an origin.
#[derive(Debug, thiserror::Error)]
#[error("must be `*`, or an origin like `https://app.example`, without a path")]
pub struct AllowedOriginError;

impl AllowedOrigin {
    /// True if it covers `origin`, which is the value of a request's `Origin`.
    pub fn covers(&self, origin: &str) -> bool {
        match self {
            Self::Any => true,
            Self::One(one) => one == origin,
        }
    }
}

impl FromStr for AllowedOrigin {
    type Err = AllowedOriginError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let url = Url::parse(text).map_err(|_| AllowedOriginError)?;
        let is_bare = matches!(url.path(), "" | "/")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        match url.host_str().filter(|host| is_bare && !host.is_empty() && !host.contains('*')) {
            None => Err(AllowedOriginError),
            Some(_) if url.origin().is_tuple() => Ok(Self::One(url.origin().ascii_serialization())),
            // Applications with pages of their own have other schemes, for example `tauri:`.
            Some(host) => {
                let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
                Ok(Self::One(format!("{}://{host}{port}", url.scheme())))
            }
        }
    }
}

/// The origins that a process allows. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Cors(Arc<[AllowedOrigin]>);

impl Cors {
    /// Allows pages of these origins.
    pub(crate) fn new(origins: &[AllowedOrigin]) -> Self {
        Self(origins.into())
    }

    /// The answer to a browser that asks whether a page may send a request; `None` if this is not such a question, or
    /// the page's origin isn't allowed. It promises nothing about the request itself.
    pub(crate) fn preflight(&self, head: &RequestHead) -> Option<HttpResponse> {
        self.allowed(head)?;
        let is_question =
            head.method() == Method::OPTIONS && head.header(ACCESS_CONTROL_REQUEST_METHOD.as_str()).is_some();
        if !is_question {
            return None;
        }
        let mut answer = HttpResponse::NoContent();
        answer.insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS));
        answer.insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE));
        if let Some(wanted) = head.all(ACCESS_CONTROL_REQUEST_HEADERS.as_str()).next() {
            answer.insert_header((ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone()));
        }
        Some(answer.finish())
    }

    /// Lets an allowed page read the answer.
    pub(crate) fn add_headers(&self, head: &RequestHead, headers: &mut HeaderMap) {
        if self.0.is_empty() {
            return;
        }
        headers.append(VARY, HeaderValue::from_name(ORIGIN));
        if let Some(origin) = self.allowed(head) {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }

    /// The origin of the request's page, if it is allowed.
    fn allowed<'a>(&self, head: &'a RequestHead) -> Option<&'a HeaderValue> {
        let origin = head.all(ORIGIN.as_str()).next()?;
        let text = origin.to_str().ok()?;
        self.0.iter().any(|allowed| allowed.covers(text)).then_some(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedOrigin;

    #[test]
    fn an_origin_is_kept_as_browsers_write_it() {
        let kept = |text: &str| match text.parse() {
            Ok(AllowedOrigin::One(origin)) => origin,
            other => format!("{other:?}"),
        };
        assert_eq!(kept("https://App.Example:443/"), "https://app.example");
        assert_eq!(kept("http://localhost:5173"), "http://localhost:5173");
        assert_eq!(kept("tauri://localhost"), "tauri://localhost");
        assert!(matches!("*".parse(), Ok(AllowedOrigin::Any)));
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "",
            "app.example",
            "https://app.example/path",
            "https://a@app.example",
            "null",
            "https://*",
            "data:x",
        ] {
            let parsed = text.parse::<AllowedOrigin>();
            assert!(parsed.is_err(), "{text}: {parsed:?}");
        }
    }
}
