//! The control plane's endpoints: one line each. Method, path, operation id, summary, handler; the rest comes from
//! the handler's types.

mod api_keys;
mod boards;
mod branches;
mod card_tags;
mod cards;
mod commits;
mod compare;
pub mod evaluation_runs;
mod executions;
mod git;
mod history;
mod includes;
mod mcp_servers;
mod me;
mod merges;
mod objects;
mod organizations;
mod packages;
mod page;
mod projects;
mod sessions;
mod sprints;
mod teams;
mod usage;

use wire::{Table, for_git};

use crate::app::App;

/// Every endpoint of the control plane.
#[rustfmt::skip]
pub fn table() -> Table<App> {
    Table::new("Atelier control plane")
        .openapi_at("/api/v2/openapi.json")
        .get("/api/v2/me", "getMe", "Read the caller's account", me::handle)
        .get("/api/v2/orgs", "listOrganizations", "List the caller's organizations", organizations::list::handle)
        .get("/api/v2/orgs/{orgId}", "getOrganization", "Read an organization", organizations::get::handle)
        .get("/api/v2/api-keys", "listApiKeys", "List the caller's API keys", api_keys::list::handle)
        .post("/api/v2/api-keys", "createApiKey", "Issue an API key", api_keys::create::handle)
        .post("/api/v2/api-keys/{keyId}/rotate", "rotateApiKey", "Rotate an API key", api_keys::rotate::handle)
        .delete("/api/v2/api-keys/{keyId}", "revokeApiKey", "Revoke an API key", api_keys::revoke::handle)
        .get("/api/v2/projects", "listProjects", "List the caller's projects", projects::list::handle)
        .post("/api/v2/projects", "createProject", "Create a project", projects::create::handle)
        .get("/api/v2/projects/{projectId}", "getProject", "Read a project", projects::get::handle)
        .patch("/api/v2/projects/{projectId}", "updateProject", "Change a project", projects::update::handle)
        .delete("/api/v2/projects/{projectId}", "deleteProject", "Delete a project", projects::delete::handle)
        .get("/api/v2/projects/{projectId}/tree", "getTree", "Read the object tree", projects::tree::handle)
        .get("/api/v2/projects/{projectId}/branches/{branch}/changes", "getChanges", "Read a branch's uncommitted changes", branches::changes::handle)
        .delete("/api/v2/projects/{projectId}/branches/{branch}/changes", "discardChanges", "Discard uncommitted changes", branches::discard::handle)
        .get("/api/v2/projects/{projectId}/objects", "listObjects", "List a branch's objects", objects::list::handle)
        .post("/api/v2/projects/{projectId}/objects", "createObject", "Create an object", objects::create::handle)
        .post("/api/v2/projects/{projectId}/objects/batch", "batchObjects", "Edit many objects at once", objects::batch::handle)
        .get("/api/v2/projects/{projectId}/objects/{objectId}", "getObject", "Read an object", objects::get::handle)
        .patch("/api/v2/projects/{projectId}/objects/{objectId}", "updateObject", "Change or move an object", objects::update::handle)
        .delete("/api/v2/projects/{projectId}/objects/{objectId}", "deleteObject", "Delete an object and what is under it", objects::delete::handle)
        .get("/api/v2/projects/{projectId}/branches", "listBranches", "List a project's branches", branches::list::handle)
        .post("/api/v2/projects/{projectId}/branches", "createBranch", "Create a branch", branches::create::handle)
        .get("/api/v2/projects/{projectId}/branches/{branch}", "getBranch", "Read a branch", branches::get::handle)
        .delete("/api/v2/projects/{projectId}/branches/{branch}", "deleteBranch", "Delete a branch", branches::delete::handle)
        .get("/api/v2/projects/{projectId}/branches/{branch}/commits", "listCommits", "Read a branch's history", commits::list::handle)
        .post("/api/v2/projects/{projectId}/branches/{branch}/commits", "createCommit", "Commit a branch's changes", commits::create::handle)
        .get("/api/v2/projects/{projectId}/commits/{hash}", "getCommit", "Read a commit", commits::get::handle)
        .post("/api/v2/projects/{projectId}/commits/{hash}/revert", "revertCommit", "Take back what a commit changed", merges::revert::handle)
        .post("/api/v2/projects/{projectId}/branches/{branch}/merge", "mergeBranch", "Merge into a branch", merges::merge::handle)
        .get("/api/v2/projects/{projectId}/compare", "compareCommits", "Compare two commits or branches", compare::handle)
        .get("/api/v2/projects/{projectId}/packages", "listPackages", "List a project's public packages", projects::packages::handle)
        .get("/api/v2/projects/{projectId}/packages/{packageId}", "getPackage", "Read a public package", packages::get::handle)
        .put("/api/v2/projects/{projectId}/packages/{packageId}", "publishPackage", "Publish a package", packages::publish::handle)
        .delete("/api/v2/projects/{projectId}/packages/{packageId}", "withdrawPackage", "Withdraw a public package", packages::withdraw::handle)
        .post("/api/v2/projects/{projectId}/includes", "createInclude", "Include a package of another project", includes::create::handle)
        .get("/api/v2/projects/{projectId}/includes/{includeId}", "getInclude", "Read an include with what it holds", includes::get::handle)
        .patch("/api/v2/projects/{projectId}/includes/{includeId}", "updateInclude", "Pin an include to another commit", includes::update::handle)
        .get("/api/v2/projects/{projectId}/sessions", "listSessions", "List a project's open sessions", sessions::list::handle)
        .post("/api/v2/projects/{projectId}/sessions", "createSession", "Open a session", sessions::create::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}", "getSession", "Read a session", sessions::get::handle)
        .delete("/api/v2/projects/{projectId}/sessions/{sessionId}", "closeSession", "Close a session", sessions::close::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/uploads", "listUploads", "List a session's uploads in pieces", sessions::uploads::list::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/uploads/{uploadId}", "getUpload", "Read how an upload stands", sessions::uploads::get::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/grant", "renewGrant", "Renew a session's grant", sessions::renew_grant::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/stop", "stopRun", "Stop a session's run", sessions::stop::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/prompt", "promptSession", "Prompt a session's agent", sessions::prompt::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/messages", "listMessages", "Read a session's conversation", sessions::messages::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/events", "streamEvents", "Follow a session's events", sessions::events::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/tools", "listTools", "List the tools of a session", sessions::tools::list::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/tools/invoke", "invokeTool", "Invoke a tool", sessions::tools::invoke::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/mcp", "callMcp", "Use a session's tools over MCP", sessions::mcp::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/usage", "getSessionUsage", "Report what a session has spent", usage::session::handle)
        .get("/api/v2/projects/{projectId}/cards/{cardId}/usage", "getCardUsage", "Report what a card has cost", usage::card::handle)
        .get("/api/v2/projects/{projectId}/usage", "getProjectUsage", "Report what was spent on a project", usage::project::handle)
        .get("/api/v2/usage", "getUsage", "Report what the caller's account has spent", usage::account::handle)
        .get("/api/v2/projects/{projectId}/mcp-servers", "listMcpServers", "List a project's MCP servers", mcp_servers::list::handle)
        .get("/api/v2/projects/{projectId}/mcp-servers/{serverName}", "getMcpServer", "Read an MCP server of a project", mcp_servers::get::handle)
        .put("/api/v2/projects/{projectId}/mcp-servers/{serverName}", "putMcpServer", "Add an MCP server, or describe it anew", mcp_servers::put::handle)
        .delete("/api/v2/projects/{projectId}/mcp-servers/{serverName}", "deleteMcpServer", "Remove an MCP server", mcp_servers::delete::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/executions", "listExecutions", "List a session's executions", executions::list::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/executions", "createExecution", "Execute a Code object", executions::create::handle)
        .get("/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}", "getExecution", "Read an execution with what it wrote", executions::get::handle)
        .post("/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}/stop", "stopExecution", "Stop an execution", executions::stop::handle)
        .post("/api/v2/projects/{projectId}/evaluation-runs", "createEvaluationRun", "Make an evaluation run, with the grant of a running execution", evaluation_runs::create::handle)
        .get("/api/v2/projects/{projectId}/cards", "listCards", "List a project's cards", cards::list::handle)
        .post("/api/v2/projects/{projectId}/cards", "createCard", "Create a card", cards::create::handle)
        .post("/api/v2/projects/{projectId}/cards/bulk", "changeCards", "Create, change and delete many cards", cards::bulk::handle)
        .get("/api/v2/projects/{projectId}/cards/{cardId}", "getCard", "Read a card", cards::get::handle)
        .patch("/api/v2/projects/{projectId}/cards/{cardId}", "updateCard", "Change, close or reopen a card", cards::update::handle)
        .delete("/api/v2/projects/{projectId}/cards/{cardId}", "deleteCard", "Delete a card", cards::delete::handle)
        .get("/api/v2/projects/{projectId}/cards/{cardId}/history", "listCardHistory", "Read a card's history", history::of_card::handle)
        .get("/api/v2/projects/{projectId}/cards/{cardId}/comments", "listComments", "List a card's comments", cards::comments::list::handle)
        .post("/api/v2/projects/{projectId}/cards/{cardId}/comments", "createComment", "Comment on a card", cards::comments::create::handle)
        .patch("/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}", "updateComment", "Change a comment", cards::comments::update::handle)
        .delete("/api/v2/projects/{projectId}/cards/{cardId}/comments/{commentId}", "deleteComment", "Delete a comment", cards::comments::delete::handle)
        .put("/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}", "assignCard", "Assign a card to a user", cards::assign::handle)
        .delete("/api/v2/projects/{projectId}/cards/{cardId}/assignees/{userId}", "unassignCard", "End an assignment", cards::unassign::handle)
        .put("/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}", "tagCard", "Put a tag on a card", cards::tag::handle)
        .delete("/api/v2/projects/{projectId}/cards/{cardId}/tags/{tagId}", "untagCard", "Take a tag off a card", cards::untag::handle)
        .put("/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}", "linkCard", "Link a card to an object", cards::link::handle)
        .delete("/api/v2/projects/{projectId}/cards/{cardId}/objects/{objectId}", "unlinkCard", "End a card's link to an object", cards::unlink::handle)
        .get("/api/v2/projects/{projectId}/card-tags", "listCardTags", "List a project's card tags", card_tags::list::handle)
        .post("/api/v2/projects/{projectId}/card-tags", "createCardTag", "Create a card tag", card_tags::create::handle)
        .patch("/api/v2/projects/{projectId}/card-tags/{tagId}", "updateCardTag", "Change or archive a card tag", card_tags::update::handle)
        .delete("/api/v2/projects/{projectId}/card-tags/{tagId}", "deleteCardTag", "Delete a card tag", card_tags::delete::handle)
        .get("/git/{projectId}/info/refs", "getGitReferences", "Begin a clone, a fetch or a push", for_git(git::references::handle))
        .post("/git/{projectId}/git-upload-pack", "fetchGit", "Clone or fetch", for_git(git::upload_pack::handle))
        .post("/git/{projectId}/info/lfs/objects/batch", "batchLfs", "Find the files that a clone points to", for_git(git::lfs_batch::handle))
        .get("/api/v2/projects/{projectId}/history", "listHistory", "Read a project's card history", history::of_project::handle)
        .get("/api/v2/orgs/{orgId}/teams", "listTeams", "List an organization's teams", teams::list::handle)
        .post("/api/v2/orgs/{orgId}/teams", "createTeam", "Create a team", teams::create::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}", "getTeam", "Read a team", teams::get::handle)
        .patch("/api/v2/orgs/{orgId}/teams/{teamId}", "updateTeam", "Change a team", teams::update::handle)
        .delete("/api/v2/orgs/{orgId}/teams/{teamId}", "deleteTeam", "Delete a team", teams::delete::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/statuses", "listStatuses", "List the status columns of a team's board", teams::statuses::list::handle)
        .post("/api/v2/orgs/{orgId}/teams/{teamId}/statuses", "createStatus", "Create a status column", teams::statuses::create::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}", "getStatus", "Read a status column", teams::statuses::get::handle)
        .patch("/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}", "updateStatus", "Change or move a status column", teams::statuses::update::handle)
        .delete("/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}", "deleteStatus", "Delete a status column", teams::statuses::delete::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/available-cards", "listAvailableCards", "Search the cards that a team can take onto its board", teams::available_cards::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/projects", "listTeamProjects", "List the projects linked to a team", teams::projects::list::handle)
        .put("/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}", "linkProject", "Link a project to a team", teams::projects::link::handle)
        .delete("/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}", "unlinkProject", "End a project's link to a team", teams::projects::unlink::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/board", "getBoard", "Read a team's board", boards::get::handle)
        .put("/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}", "placeCard", "Place or move a card on a team's board", boards::place::handle)
        .delete("/api/v2/orgs/{orgId}/teams/{teamId}/cards/{cardId}", "removeCard", "Take a card off a team's board", boards::remove::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/sprints", "listSprints", "List a team's sprints", sprints::list::handle)
        .post("/api/v2/orgs/{orgId}/teams/{teamId}/sprints", "createSprint", "Create a sprint", sprints::create::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}", "getSprint", "Read a sprint", sprints::get::handle)
        .patch("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}", "updateSprint", "Change a sprint", sprints::update::handle)
        .delete("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}", "deleteSprint", "Delete a planned sprint", sprints::delete::handle)
        .post("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/start", "startSprint", "Start a planned sprint", sprints::start::handle)
        .post("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/complete", "completeSprint", "Complete an active sprint", sprints::complete::handle)
        .get("/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/report", "getSprintReport", "Read a sprint's report", sprints::report::handle)
}
