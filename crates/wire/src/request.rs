//! What a handler gets.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use domain::edit::IfMatch;
use domain::error::Location;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Call;

use crate::body::NoBody;
use crate::etag::ETag;

/// One request of an operation that needs `P`: every check that depends on no resource has passed.
pub struct Request<P, Path = NoPath, Query = NoQuery, B = NoBody> {
    /// Who calls, when, with which idempotency key: what `store` asks for.
    pub call: Call<P>,
    /// The path's parameters: a struct whose fields are the path's placeholders.
    pub path: Path,
    /// The query's parameters: a struct that denies unknown fields.
    pub query: Query,
    /// The body.
    pub body: B,
    /// Method and headers, for conditional and range requests.
    pub head: Head,
}

/// The path of an operation without placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NoPath {}

/// The query of an operation without query parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoQuery {}

/// Method and headers of a request.
#[derive(Clone, Debug)]
pub struct Head {
    method: Method,
    headers: Arc<HeaderMap>,
}

impl Head {
    pub(crate) fn new(method: Method, headers: HeaderMap) -> Self {
        Self { method, headers: Arc::new(headers) }
    }

    /// The value of a header, where it is there and text. Of several only the first counts.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether the request reads what is tagged so and says, by `If-None-Match`, that it has it already. To a client that
    /// changes something, the answer is news whatever it had.
    pub fn has(&self, tag: &ETag) -> bool {
        self.is_read() && self.header(IF_NONE_MATCH.as_str()).is_some_and(|tags| tag.is_in(tags))
    }

    /// The condition that `If-Match` states; `None` where there is none.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where it can't be read: what nobody checks would pass for checked.
    pub fn if_match(&self) -> Result<Option<IfMatch>> {
        Ok(self.only("If-Match")?.map(IfMatch::parse))
    }

    /// The value of a header that may be sent once; `None` where it is absent.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where there are several of it, or it is no text.
    pub fn only(&self, name: &str) -> Result<Option<&str>> {
        let refused = |rule: &str, message: &str| Error::invalid(name, rule, message).at(Location::Header);
        let mut values = self.all(name);
        let Some(value) = values.next() else { return Ok(None) };
        match value.to_str() {
            Ok(text) if values.next().is_none() => Ok(Some(text)),
            Ok(_) => Err(refused("maxItems", "must be sent once")),
            Err(_) => Err(refused("format", "must be visible ASCII")),
        }
    }

    /// Whether the request only reads: GET or HEAD.
    pub fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Whether this is a HEAD request: every GET operation answers it, and the server leaves out the body.
    pub fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    /// All values of a header.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &HeaderValue> {
        self.headers.get_all(name)
    }
}
