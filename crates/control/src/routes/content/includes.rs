//! Includes: packages of other projects in a project.

pub mod create;
pub mod get;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of includes.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(create::handle), endpoint(get::handle), endpoint(update::handle)]
}
