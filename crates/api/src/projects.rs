//! Projects, their members and their trees.

use domain::id::{ObjectId, OrganizationId, OwnerId, ProjectId};
use domain::member::ProjectMember;
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::project::{BranchName, ProjectOrder, ProjectRecord, Visibility};
use domain::role::ProjectRole;
use domain::text::{Description, Name, Prompt, Slug};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProjectResponse {
    /// The project.
    pub project: ProjectRecord,
}

/// A project to create.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateProjectRequest {
    /// Name. Required unless `initialPrompt` is supplied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Staged as the creator's first agent message when a client connects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<Prompt>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// The owning organization. Defaults to the calling user as the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_id: Option<OrganizationId>,
    /// Visibility. Defaults to `private`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// Derive the name from `initialPrompt`, even if `name` is present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_name: Option<bool>,
    /// Start without a commit, so that the reserved packages are uncommitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_initial_commit: Option<bool>,
}

/// The created project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateProjectResponse {
    /// Id.
    pub id: ProjectId,
    /// The project's name in URLs, unique for its owner.
    pub project_slug: Slug,
    /// The owner's name in URLs.
    pub owner_slug: Slug,
    /// The owner.
    pub owner_id: OwnerId,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteProjectResponse {
    /// Always true.
    pub deleted: bool,
    /// The project.
    pub project_id: ProjectId,
}

/// The slug of a project.
pub const SLUG_PATTERN: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

/// The filter of projects.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListProjectsQuery {
    /// Only projects of this user or organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<OwnerId>,
    /// Only projects with this slug; each owner has one at most.
    #[schemars(regex(pattern = SLUG_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The order. Defaults to `newest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<ProjectOrder>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of projects.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListProjectsResponse {
    /// The projects.
    pub projects: Vec<ProjectRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// One member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProjectMemberResponse {
    /// The member.
    pub member: ProjectMember,
}

/// A page of members, in the order of their ids.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListProjectMembersResponse {
    /// The members.
    pub members: Vec<ProjectMember>,
    /// The page.
    pub meta: PageMeta,
}

/// The member's role.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutProjectMemberRequest {
    /// Role on the project.
    pub role: ProjectRole,
}

/// The new owner.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransferProjectRequest {
    /// The caller's own id, or an organization in which the caller may create projects.
    pub owner_id: OwnerId,
}

/// The filter of objects.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetTreeQuery {
    /// Only this object and everything below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<ObjectId>,
    /// Maximum number of levels below the root, or below the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Only objects of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateProjectRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Description.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Visibility. Clearing it sets `private`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub visibility: Patch<Visibility>,
    /// The branch of a project id without a branch.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub default_branch: Patch<BranchName>,
}
