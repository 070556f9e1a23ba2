//! Pictures of people: those of the caller, and those of others whom the caller knows.

mod delete;
mod form;
mod get;
mod look_up;
mod put;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of pictures.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(put::handle), endpoint(delete::handle), endpoint(look_up::handle), endpoint(get::handle)]
}
