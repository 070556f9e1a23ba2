//! Projects, their members and their trees.

pub mod members;

use std::sync::Arc;

use domain::content::object::Tree;
use domain::content::project::{BranchName, ProjectOrder, ProjectRecord, ProjectRef, Visibility};
use domain::id::{ObjectId, OrganizationId, OwnerId, ProjectId};
use domain::key::ProjectKey;
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::text::{Description, Name, Prompt, Slug};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_events::{LAST_EVENT_ID, StreamChangesQuery};
use crate::operation::{Json, Raw};
use crate::{operations, tags};

operations! {
    tag: tags::PROJECTS;

    /// Lists the projects that the caller can read, the newest first, or with `sort=updated` those in which something
    /// happened last. Filter by owner or by a part of the name.
    ListProjects = Get "/api/v2/projects" {
        summary: "List the caller's projects",
        query: ListProjectsQuery,
        answer: ListProjectsResponse,
        effect: Reads,
        tool: ClientsOnly("project", "a session has one project"),
        also: everyday(),
    }

    /// Creates a project with the branch `main`, the reserved packages `Model` and `Library`, and a first commit.
    /// Without a name, it is the first sentence of `initialPrompt`, or of the first message. An owner at its limit is
    /// `PROJECT_LIMIT_REACHED`. Without a `key`, one is derived from the name; one that another project of the owner
    /// has, or had, is `PROJECT_KEY_TAKEN`.
    CreateProject = Post "/api/v2/projects" {
        summary: "Create a project",
        body: Json<CreateProjectRequest>,
        answer: CreateProjectResponse,
        effect: Creates,
        tool: ClientsOnly("project", "a session has one project"),
        also: everyday(),
    }

    /// Answers a project's record: name, owner, visibility, default branch. Its `ownerId` is part of the paths for
    /// uploads.
    GetProject = Get "/api/v2/projects/{projectId}" {
        summary: "Read a project",
        path: ProjectPath,
        answer: ProjectResponse,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Changes name, key, description, visibility or default branch. The slug stays when the project is renamed, and
    /// the keys that it had before go on naming its cards. A key that another project of the owner has, or had, is
    /// `PROJECT_KEY_TAKEN`. Fields that are absent stay as they are.
    UpdateProject = Patch "/api/v2/projects/{projectId}" {
        summary: "Change a project",
        path: ProjectPath,
        body: Json<UpdateProjectRequest>,
        answer: ProjectResponse,
        effect: Changes,
        tool: NotATool("text that an agent reads must not decide who sees the project"),
        also: conditional(),
    }

    /// Deletes a project for good, with its content, cards, history and files. Its sessions are closed. Cards on boards
    /// leave them. There is no way back.
    DeleteProject = Delete "/api/v2/projects/{projectId}" {
        summary: "Delete a project",
        path: ProjectPath,
        answer: DeleteProjectResponse,
        effect: Idempotent,
        tool: NotATool("a session ends with its project"),
        also: conditional(),
    }

    /// Streams what changes in the project, on all branches: its objects, commits, branches, packages, sessions and
    /// members, its cards and tags to those who may read cards, and moves on boards whose team the caller sees. It
    /// works as `streamTeamEvents`.
    StreamProjectEvents = Get "/api/v2/projects/{projectId}/events" {
        summary: "Follow a project's events",
        path: ProjectPath,
        query: StreamChangesQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("is an endless stream"),
        also: reads(&[LAST_EVENT_ID]),
    }

    /// Gives a project to the caller (`ownerId` is the caller's user id) or to an organization in which the caller may
    /// create projects. It takes the owner, or an admin of the owning organization. Open sessions are closed. A project
    /// that is linked to teams is `PROJECT_LINKED`; a new owner at its limit is `PROJECT_LIMIT_REACHED`.
    TransferProject = Post "/api/v2/projects/{projectId}/transfer" {
        summary: "Give a project another owner",
        path: ProjectPath,
        body: Json<TransferProjectRequest>,
        answer: ProjectResponse,
        effect: Changes,
        tool: NotATool("text that an agent reads must not decide who owns the project"),
    }

    /// Answers the objects of a branch as a flat list of nodes with their parents: the last commit with the uncommitted
    /// changes over it, each with the `file` that it owns. Narrow it by root, depth, type or a part of the name. Poll
    /// it with `If-None-Match`, or follow `streamProjectEvents`.
    GetTree = Get "/api/v2/projects/{projectId}/tree" {
        summary: "Read the object tree",
        path: ProjectPath,
        query: GetTreeQuery,
        answer: Arc<Tree>,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }
}

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
    /// Begins the keys of its cards, `GEAR-12`; unique for its owner. Derived from the name if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ProjectKey>,
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
    /// Begins the keys of its cards.
    pub key: Option<ProjectKey>,
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
    /// Begins the keys of its cards, `GEAR-12`; unique for its owner.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub key: Patch<ProjectKey>,
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

/// The path of an operation on one project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
}

impl From<ProjectRef> for ProjectPath {
    fn from(project_id: ProjectRef) -> Self {
        Self { project_id }
    }
}

impl From<ProjectId> for ProjectPath {
    fn from(project: ProjectId) -> Self {
        Self { project_id: project.into() }
    }
}
