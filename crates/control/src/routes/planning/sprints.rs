//! Sprints of a team.

pub mod complete;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod report;
pub mod start;
pub mod update;

use api::planning::sprints::SprintResponse;
use store::Sprint;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of sprints.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
        endpoint(start::handle),
        endpoint(complete::handle),
        endpoint(report::handle),
    ]
}

/// The answer for a locked sprint.
fn answer<P>(sprint: &Sprint<P>) -> SprintResponse {
    SprintResponse { sprint: sprint.record.clone() }
}
