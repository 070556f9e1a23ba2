//! Organizations of the calling user, with their members, invitations and service accounts.

pub mod create;
pub mod delete;
pub mod get;
pub mod invitations;
pub mod list;
pub mod members;
pub mod service_accounts;
pub mod update;

use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of organizations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(update::handle),
        endpoint(delete::handle),
        endpoint(members::list::handle),
        endpoint(members::get::handle),
        endpoint(members::update::handle),
        endpoint(members::remove::handle),
        endpoint(invitations::list::handle),
        endpoint(invitations::create::handle),
        endpoint(invitations::revoke::handle),
        endpoint(service_accounts::create::handle),
        endpoint(service_accounts::list_keys::handle),
        endpoint(service_accounts::create_key::handle),
        endpoint(service_accounts::revoke_key::handle),
    ]
}
