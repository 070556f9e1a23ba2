//! Boards of teams, and the placement of cards on them.

pub mod changes;
mod current;
mod difference;
pub mod get;
pub mod place;
pub mod place_all;
pub mod remove;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of boards.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(get::handle),
        endpoint(changes::handle),
        endpoint(place::handle),
        endpoint(place_all::handle),
        endpoint(remove::handle),
    ]
}
