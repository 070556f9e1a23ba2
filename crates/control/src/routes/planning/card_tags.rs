//! The catalog of a project's card tags.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of card tags.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
    ]
}
