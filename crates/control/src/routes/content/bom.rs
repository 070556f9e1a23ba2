//! Bills of materials, and where parts and packages are used.

mod get;
mod uses;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of bills of materials.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(get::handle), endpoint(uses::of_object), endpoint(uses::of_part)]
}
