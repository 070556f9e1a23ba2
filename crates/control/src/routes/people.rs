//! Handlers on people: accounts, organizations, invitations, keys, the audit log.

pub(super) mod api_keys;
pub(super) mod audit;
pub(super) mod invitations;
pub(super) mod me;
pub(super) mod organizations;
pub(super) mod pictures;

use wire::Endpoint;

use crate::app::App;

/// These handlers, in the order of a session's tools within a toolbox.
pub(super) fn endpoints() -> Vec<Endpoint<App>> {
    [
        me::endpoints(),
        pictures::endpoints(),
        organizations::endpoints(),
        invitations::endpoints(),
        api_keys::endpoints(),
        audit::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
