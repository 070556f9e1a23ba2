//! Invitations of the calling user: those to its address, the one of a secret, and acceptance.

pub mod accept;
pub mod list;
pub mod look_up;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of the caller's invitations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(look_up::handle), endpoint(accept::handle)]
}
