//! The credentials of a plane: the one step of a request's checks in which the two planes differ.

use auth::actor::Actor;
use auth::credential::{Credential, CredentialKind};
use domain::Result;
use domain::time::Timestamp;
use store::AuditJournal;

/// A plane's application state, which checks the plane's credentials. Each request gets a clone, so cloning is cheap.
pub trait Authenticate: Clone + Send + Sync + 'static {
    /// The kinds of credential that this plane accepts. Any other kind is 403 `CREDENTIAL_NOT_PERMITTED`, judged by
    /// its prefix before it is verified. An operation for executions accepts their grants instead.
    const ACCEPTS: &'static [CredentialKind];

    /// Verifies a credential of an accepted kind and returns its user.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if it is invalid; an invalid credential is never treated as absent. `UNAVAILABLE`.
    fn authenticate(&self, credential: &Credential, now: Timestamp) -> impl Future<Output = Result<Actor>>;

    /// The journal of the process's requests for the audit log.
    fn journal(&self) -> &AuditJournal;
}
