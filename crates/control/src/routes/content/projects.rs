//! Projects and their trees.

pub mod create;
pub mod delete;
pub mod events;
pub mod get;
pub mod list;
pub mod members;
pub mod transfer;
pub mod tree;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of projects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
        endpoint(events::handle),
        endpoint(members::list::handle),
        endpoint(members::put::handle),
        endpoint(members::remove::handle),
        endpoint(transfer::handle),
        endpoint(tree::handle),
    ]
}
