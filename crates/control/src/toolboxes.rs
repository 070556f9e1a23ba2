//! Which operations are tools, and in which toolbox: a new operation on a resource below is one by itself.

use wire::Route;

/// The toolbox of each resource, by what its paths begin with.
const TOOLBOXES: [(&str, &str); 15] = [
    ("/api/v2/projects/{projectId}", "project"),
    ("/api/v2/projects/{projectId}/tree", "project"),
    ("/api/v2/projects/{projectId}/objects", "project"),
    ("/api/v2/projects/{projectId}/branches", "project"),
    ("/api/v2/projects/{projectId}/commits", "project"),
    ("/api/v2/projects/{projectId}/compare", "project"),
    ("/api/v2/projects/{projectId}/packages", "project"),
    ("/api/v2/projects/{projectId}/includes", "project"),
    ("/api/v2/projects/{projectId}/merges", "project"),
    ("/api/v2/projects/{projectId}/cards", "cards"),
    ("/api/v2/projects/{projectId}/card-tags", "cards"),
    ("/api/v2/projects/{projectId}/history", "cards"),
    ("/api/v2/orgs/{orgId}/teams", "teams"),
    ("/api/v2/projects/{projectId}/sessions/{sessionId}/uploads", "files"),
    ("/api/v2/projects/{projectId}/sessions/{sessionId}/executions", "code"),
];

/// Operations on these resources that are no tools, each with the reason.
const NOT_TOOLS: [(&str, &str); 10] = [
    ("deleteProject", "a session ends with its project"),
    ("getBranch", "a session works on one branch, whose state the tree and the changes tell"),
    ("deleteBranch", "a session works on one branch, which can't be taken from under it"),
    ("getCardUsage", "what work cost"),
    ("updateProject", "says who sees the project, which no text that an agent reads may decide"),
    ("publishPackage", "shows content to others, which no text that an agent reads may decide"),
    ("withdrawPackage", "takes content from others, which no text that an agent reads may decide"),
    ("createTeam", "the organization's, and no work on the project"),
    ("updateTeam", "the organization's, and no work on the project"),
    ("deleteTeam", "the organization's, and no work on the project"),
];

/// The toolbox that an operation is in; `None` where it is no tool.
pub fn toolbox(route: &Route) -> Option<&'static str> {
    if NOT_TOOLS.iter().any(|(operation, _)| *operation == route.operation_id) {
        return None;
    }
    let of_resource = |(path, _): &&(&str, &str)| {
        let below = route.path.strip_prefix(path).unwrap_or("-");
        // The project's own path is that of everything in it.
        below.is_empty() || (below.starts_with('/') && *path != "/api/v2/projects/{projectId}")
    };
    TOOLBOXES.iter().find(of_resource).map(|(_, toolbox)| *toolbox)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use domain::mcp_server::OWN_TOOLBOXES;

    use super::{NOT_TOOLS, TOOLBOXES, toolbox};
    use crate::routes;

    /// What the paths of operations begin with that are no tools, each with the reason.
    const NO_RESOURCES_OF_TOOLS: [(&str, &str); 12] = [
        ("/api/v2/openapi.json", "describes the operations"),
        ("/api/v2/me", "the user's account"),
        ("/api/v2/orgs", "organizations"),
        ("/api/v2/orgs/{orgId}", "organizations"),
        ("/api/v2/api-keys", "credentials"),
        ("/api/v2/projects", "all projects: a session has one"),
        ("/api/v2/projects/{projectId}/sessions", "sessions themselves"),
        ("/api/v2/projects/{projectId}/evaluation-runs", "for executions alone, by their grants"),
        ("/git", "for Git's own clients"),
        ("/api/v2/usage", "what work cost"),
        ("/api/v2/projects/{projectId}/usage", "what work cost"),
        (
            "/api/v2/projects/{projectId}/mcp-servers",
            "decides who learns what tools are told: a person's to decide",
        ),
    ];

    #[test]
    fn every_operation_is_a_tool_or_has_a_reason_not_to_be_one() {
        let unknown: Vec<&str> = routes::table()
            .routes()
            .filter(|route| toolbox(route).is_none())
            .filter(|route| !NOT_TOOLS.iter().any(|(operation, _)| *operation == route.operation_id))
            .filter(|route| {
                !NO_RESOURCES_OF_TOOLS.iter().any(|(path, _)| {
                    let below = route.path.strip_prefix(path).unwrap_or("-");
                    let is_family =
                        !["/api/v2/projects", "/api/v2/orgs/{orgId}", "/api/v2/orgs"].contains(path);
                    below.is_empty() || (is_family && below.starts_with('/'))
                })
            })
            .map(|route| route.operation_id)
            .collect();
        assert_eq!(unknown, Vec::<&str>::new());
    }

    #[test]
    fn what_is_no_tool_is_still_an_operation() {
        let operations: BTreeSet<&str> = routes::table().routes().map(|route| route.operation_id).collect();
        for (operation, _) in NOT_TOOLS {
            assert!(operations.contains(operation), "{operation}");
        }
    }

    #[test]
    fn no_server_of_a_project_can_be_called_like_a_toolbox() {
        for (_, toolbox) in TOOLBOXES {
            assert!(OWN_TOOLBOXES.contains(&toolbox), "{toolbox}");
        }
    }

    #[test]
    fn every_tool_is_found_by_its_toolbox_and_name_alone() {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for operation in routes::table().operations() {
            if let Some(toolbox) = toolbox(&operation.route) {
                assert!(!toolbox.contains('_'), "{toolbox}");
                assert_eq!(seen.insert(operation.route.operation_id, toolbox), None);
            }
        }
        assert!(seen.len() > 60, "{}", seen.len());
    }
}
