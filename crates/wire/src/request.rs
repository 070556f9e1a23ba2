//! What a handler gets.

use actix_web::HttpRequest;
use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use store::Call;

use crate::body::NoBody;

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
pub struct Head(HttpRequest);

impl Head {
    pub(crate) fn new(http: HttpRequest) -> Self {
        Self(http)
    }

    /// The value of a header, where it is there and text. Of several only the first counts.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// Whether the request only reads: GET or HEAD.
    pub fn is_read(&self) -> bool {
        matches!(*self.0.method(), Method::GET | Method::HEAD)
    }

    /// Whether this is a HEAD request: every GET operation answers it, and the server leaves out the body.
    pub fn is_head(&self) -> bool {
        self.0.method() == Method::HEAD
    }
}
