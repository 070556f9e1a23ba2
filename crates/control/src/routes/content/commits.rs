//! Commits of a project.

pub mod create;
pub mod get;
pub mod list;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of commits.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(create::handle), endpoint(get::handle)]
}
