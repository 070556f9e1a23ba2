//! Members of a project.

pub mod list;
pub mod put;
pub mod remove;

use domain::id::UserId;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::members::of_projects::ProjectMember;

/// The path of an operation on one member.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMemberPath {
    /// The project.
    project_id: ProjectRef,
    /// The member's user id.
    member_id: UserId,
}

/// One member.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProjectMemberResponse")]
pub struct ProjectMemberAnswer {
    /// The member.
    member: ProjectMember,
}
