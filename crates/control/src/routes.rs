//! The control plane's endpoints. Each resource declares its own in `routes/{resource}.rs`; the table is their sum.

mod api_keys;
mod approvals;
mod audit;
mod boards;
mod branches;
mod card_tags;
mod cards;
mod change_events;
mod changes;
mod commits;
mod compare;
mod download_grants;
pub mod evaluation_runs;
mod event_stream;
mod executions;
mod files;
mod git;
mod history;
mod includes;
mod invitations;
pub mod mcp;
mod mcp_servers;
mod me;
mod merges;
mod models;
mod objects;
mod organizations;
mod packages;
mod page;
mod projects;
mod sessions;
mod sprints;
mod teams;
mod usage;

use wire::{Documentation, Table};

use crate::app::App;

/// The descriptions and examples of the OpenAPI document.
const DOCUMENTATION: Documentation<'_> = Documentation {
    texts: include_str!("routes/operations.md"),
    examples: include_str!("routes/examples.json"),
};

/// All endpoints of the control plane. Their order is that of a session's tools within a toolbox.
pub fn table() -> Table<App> {
    let resources = [
        me::endpoints(),
        organizations::endpoints(),
        invitations::endpoints(),
        api_keys::endpoints(),
        projects::endpoints(),
        changes::endpoints(),
        objects::endpoints(),
        branches::endpoints(),
        commits::endpoints(),
        merges::endpoints(),
        compare::endpoints(),
        packages::endpoints(),
        includes::endpoints(),
        models::endpoints(),
        sessions::endpoints(),
        files::endpoints(),
        download_grants::endpoints(),
        mcp_servers::endpoints(),
        approvals::endpoints(),
        executions::endpoints(),
        evaluation_runs::endpoints(),
        usage::endpoints(),
        cards::endpoints(),
        card_tags::endpoints(),
        history::endpoints(),
        git::endpoints(),
        teams::endpoints(),
        boards::endpoints(),
        sprints::endpoints(),
        audit::endpoints(),
        mcp::endpoints(),
    ];
    Table::new(
        "Atelier control plane",
        "/api/v2/openapi.json",
        DOCUMENTATION,
        resources.into_iter().flatten(),
    )
    .elsewhere(&[("/api/v1/", "Files go to the data plane, whose address a session answers.")])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::mcp_server::OWN_TOOLBOXES;
    use wire::ToolMembership;

    use super::table;

    #[test]
    fn every_operation_states_whether_it_is_a_tool() {
        let table = table();
        let unstated = table.routes().filter(|route| route.tool == ToolMembership::Unstated);
        let unstated: Vec<&str> = unstated.map(|route| route.operation_id).collect();
        assert_eq!(unstated, Vec::<&str>::new());
    }

    #[test]
    fn every_tool_can_be_called_within_the_process() {
        let table = table();
        let callable: BTreeSet<&str> =
            table.operations().iter().map(|operation| operation.route.operation_id).collect();
        let tools: Vec<&str> = table
            .routes()
            .filter(|route| route.toolbox().is_some())
            .map(|route| route.operation_id)
            .collect();
        assert!(tools.len() > 60, "{}", tools.len());
        for tool in tools {
            assert!(callable.contains(tool), "{tool}");
        }
    }

    #[test]
    fn no_server_of_a_project_can_have_the_name_of_a_toolbox() {
        let table = table();
        let toolboxes: BTreeSet<&str> = table.routes().filter_map(|route| route.toolbox()).collect();
        for toolbox in toolboxes {
            assert!(OWN_TOOLBOXES.contains(&toolbox), "{toolbox}");
            // A full name is split at its first `__`.
            assert!(!toolbox.contains('_'), "{toolbox}");
        }
    }

    #[test]
    fn only_reads_are_left_out_of_the_audit_log() {
        let table = table();
        let left_out = table.routes().filter(|route| !route.audited && !route.method.is_safe());
        let left_out: Vec<&str> = left_out.map(|route| route.operation_id).collect();
        assert_eq!(
            left_out,
            ["lookUpFiles", "fetchGit", "batchLfs", "fetchGitByName", "batchLfsByName", "useMcp"]
        );
    }

    #[test]
    fn the_table_has_no_defects() {
        assert_eq!(table().defects(), Vec::<String>::new());
    }
}
