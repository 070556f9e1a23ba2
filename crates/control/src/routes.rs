//! The control plane's endpoints: the handlers of the operations that `api` declares. Each resource lists its own in
//! `routes/{area}/{resource}.rs`, and the table is their sum.

mod body_part;
mod change_events;
mod content;
mod event_stream;
mod page;
mod people;
mod planning;
mod target;
pub mod work;

use api::content::git::ADDRESS;
use api::{control, dataplane};
use domain::work::mcp_server::OWN_TOOLBOXES;
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
    let resources = [people::endpoints(), content::endpoints(), work::endpoints(), planning::endpoints()];
    Table::new(&control::PLANE, EXAMPLES, resources.into_iter().flatten())
        .with_tools(&OWN_TOOLBOXES)
        .elsewhere(&ELSEWHERE)
        .unknown_speak(&content::git::UNKNOWN)
}
