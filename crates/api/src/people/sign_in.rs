//! The metadata by which a program finds where to sign in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The metadata of a protected resource (RFC 9728).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProtectedResource {
    /// The address that the tokens are for.
    pub resource: String,
    /// The issuer whose tokens are accepted. Absent in a deployment without one, which takes API keys alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_servers: Option<Vec<String>>,
    /// Always `header`: a token or an API key is sent in `Authorization`.
    #[schemars(length(equal = 1))]
    pub bearer_methods_supported: Vec<String>,
    /// The service's name.
    pub resource_name: String,
}
