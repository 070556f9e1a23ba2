//! The MCP servers whose tools a project's sessions can use. The project's managers maintain them.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of MCP servers.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(get::handle), endpoint(put::handle), endpoint(delete::handle)]
}
