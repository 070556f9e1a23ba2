//! Calendar feeds of the calling user, and the calendars at their addresses. Feeds are managed with a browser token
//! only.

pub mod create;
pub mod list;
pub mod read;
pub mod revoke;

use wire::{Endpoint, capability_get, endpoint};

use crate::app::App;

/// The endpoints of calendar feeds.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(revoke::handle),
        capability_get(read::handle),
    ]
}
