//! Members of a project.

pub mod list;
pub mod put;
pub mod remove;

use domain::id::UserId;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;

/// The path of an operation on one member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMemberPath {
    /// The project.
    project_id: ProjectRef,
    /// The member's user id.
    member_id: UserId,
}
