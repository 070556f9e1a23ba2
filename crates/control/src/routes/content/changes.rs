//! Uncommitted changes of a branch.

pub mod discard;
pub mod get;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of uncommitted changes.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(get::handle), endpoint(discard::handle)]
}
