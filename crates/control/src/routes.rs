//! The control plane's endpoints: the handlers of the operations that `api` declares. Each resource lists its own in
//! `routes/{resource}.rs`; the table is their sum.

mod api_keys;
mod approvals;
mod audit;
mod boards;
mod body_part;
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
mod history_head;
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
mod target;
mod teams;
mod usage;

use api::git::ADDRESS;
use api::{control, dataplane};
use domain::mcp_server::OWN_TOOLBOXES;
use wire::Table;

use crate::app::App;

/// Hints for paths that are not found here.
const ELSEWHERE: [(&str, &str); 2] = [
    (dataplane::PLANE.root(), "Files go to the data plane, whose address a session answers."),
    (ADDRESS, "Git and Git LFS read a project here. Files have no locks: content changes through the API."),
];
/// Examples for the OpenAPI document, which a test writes.
const EXAMPLES: &str = include_str!("../generated/examples.json");

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
    Table::new(&control::PLANE, EXAMPLES, resources.into_iter().flatten())
        .with_tools(&OWN_TOOLBOXES)
        .elsewhere(&ELSEWHERE)
        .unknown_speak(&git::UNKNOWN)
}
