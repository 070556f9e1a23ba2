//! The typed request that a handler gets.

use schemars::JsonSchema;
use serde::Deserialize;
use store::Call;

use crate::contract::body::NoBody;
use crate::contract::head::RequestHead;

/// A request of an operation that needs the permission `P`, after every check that depends on no resource.
pub struct Request<P, Path = NoPath, Query = NoQuery, B = NoBody> {
    /// Caller, time and idempotency key, as `store` asks for them.
    pub call: Call<P>,
    /// The path's parameters: a struct with a field for each placeholder.
    pub path: Path,
    /// The query's parameters: a struct that denies unknown fields.
    pub query: Query,
    /// The body.
    pub body: B,
    /// Method and headers, for conditional and range requests.
    pub head: RequestHead,
}

/// The path of an operation without placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NoPath {}

/// The query of an operation without query parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false))]
pub struct NoQuery {}
