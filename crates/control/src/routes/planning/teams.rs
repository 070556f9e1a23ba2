//! Teams of an organization, with the columns of their boards and their linked projects.

pub mod available_cards;
pub mod create;
pub mod delete;
pub mod events;
pub mod get;
pub mod list;
pub mod members;
pub mod projects;
pub mod statuses;
pub mod update;

use api::planning::teams::TeamResponse;
use store::Team;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of teams, their columns and their projects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
        endpoint(statuses::list::handle),
        endpoint(statuses::create::handle),
        endpoint(statuses::get::handle),
        endpoint(statuses::update::handle),
        endpoint(statuses::delete::handle),
        endpoint(events::handle),
        endpoint(members::list::handle),
        endpoint(members::put::handle),
        endpoint(members::remove::handle),
        endpoint(available_cards::handle),
        endpoint(projects::list::handle),
        endpoint(projects::link::handle),
        endpoint(projects::unlink::handle),
    ]
}

/// The answer for a locked team.
fn answer<P>(team: &Team<P>) -> TeamResponse {
    TeamResponse { team: team.record.clone() }
}
