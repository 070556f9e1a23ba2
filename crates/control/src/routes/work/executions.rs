//! Executions of Code objects in a session.

pub mod create;
pub mod get;
pub mod list;
pub mod stop;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of executions.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(create::handle), endpoint(get::handle), endpoint(stop::handle)]
}
