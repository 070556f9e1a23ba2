//! Imports of cards from other planning tools.

mod create;
mod form;
mod get;
mod list;
mod notes;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of imports.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(create::handle), endpoint(get::handle), endpoint(notes::handle)]
}
