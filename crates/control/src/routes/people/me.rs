//! The calling user: its account, and the end of its browser tokens.

pub mod get;
pub mod sign_out;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of the calling user.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(get::handle), endpoint(update::handle), endpoint(sign_out::handle)]
}
