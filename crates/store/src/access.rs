//! Resolves what a request names, for the caller: absent or hidden is 404, visible without the role is 403.
//!
//! The result is a witness. Witnesses are the only way to the resources' data.

pub(crate) mod api_key;
pub(crate) mod board_card;
pub(crate) mod call;
pub(crate) mod card;
pub(crate) mod card_type;
pub(crate) mod execution;
pub(crate) mod field;
pub(crate) mod import;
pub(crate) mod linked_projects;
pub(crate) mod organization;
pub(crate) mod organization_export;
pub(crate) mod owner;
pub(crate) mod project;
pub(crate) mod reachable;
pub(crate) mod resumable_upload;
pub(crate) mod rows;
pub(crate) mod saved_view;
pub(crate) mod service_account;
pub(crate) mod session;
pub(crate) mod sprint;
pub(crate) mod status;
pub(crate) mod tag;
pub(crate) mod team;
pub(crate) mod team_project;
pub(crate) mod trail;
pub(crate) mod user;
pub(crate) mod visible_teams;

use auth::actor::Requirement;
use database::prelude::*;
use domain::people::permission::Permissions;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;

/// A resource as a request names it.
pub trait Target<P: Requirement> {
    /// Proof that the caller may do `P` with the resource, and what was read to prove it.
    type Witness;

    /// Finds the resource and decides 404 or 403.
    fn resolve(&self, connection: &Connection, call: &Call<P>)
    -> impl Future<Output = Result<Self::Witness>>;
}

/// A resource that others are created under.
pub trait Parent<P: Requirement>: Target<P> {
    /// The id of the resource, which is part of idempotency keys.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the credential has to name the resource and doesn't.
    fn id(&self, call: &Call<P>) -> Result<Uuid>;
}

/// The one place that tells 404 from 403. `allowed` are the permissions of the caller's roles on the resource; `None`
/// if it does not see the resource. Returns those that the credential also has.
fn decide<P: Requirement>(call: &Call<P>, allowed: Option<Permissions>) -> Result<Permissions> {
    let allowed = allowed.ok_or_else(Error::not_found)?.intersection(call.actor.ceiling);
    match P::PERMISSION {
        Some(permission) if !allowed.contains(permission) => Err(Error::forbidden()),
        _ => Ok(allowed),
    }
}
