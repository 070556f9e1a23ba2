//! Evaluation runs: sandboxes that running executions request, each with its own grant.

pub mod create;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of evaluation runs.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(create::handle)]
}
