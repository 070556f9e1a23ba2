//! Invitations of the calling user: those to its address, and acceptance.

pub mod accept;
pub mod list;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of the caller's invitations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(accept::handle)]
}
