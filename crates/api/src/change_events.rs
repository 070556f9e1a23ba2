//! Streams of change events of teams and projects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Header;

/// The header with which a client resumes a stream of events.
pub const LAST_EVENT_ID: Header = ("Last-Event-ID", "The `id` of the last event that the client has seen.");

/// The range of change events.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamChangesQuery {
    /// Only events with a greater sequence. Defaults to those from now on. `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Wait for new events after the existing ones. Defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
}
