//! The one thing about a request that the planes do differently: which credentials they take, and how they
//! check them.

use auth::actor::Actor;
use auth::credential::{Clients, Credential, CredentialKind};
use domain::time::Timestamp;
use domain::{Error, Result};

/// A plane's application state, which knows the plane's credentials. Each request gets a clone, so that
/// cloning has to be cheap.
pub trait Authenticate: Clone + Send + Sync + 'static {
    /// The kinds of credential that this plane takes; any other is 403 `CREDENTIAL_NOT_PERMITTED`, judged by
    /// its prefix before anything else about it (contract, section 2). An operation for executions takes their grants
    /// instead.
    const ACCEPTS: &'static [CredentialKind];

    /// Who presents this credential, which is of an accepted kind.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where it can't be used; it is never treated as anonymous. `UNAVAILABLE`.
    fn authenticate(&self, credential: &Credential, now: Timestamp) -> impl Future<Output = Result<Actor>>;
}

/// The caller of a request with these values of `Authorization`, to an operation that takes these kinds of credential.
pub(crate) async fn actor<'a, App: Authenticate>(
    app: &App,
    authorization: impl IntoIterator<Item = &'a [u8]>,
    clients: Clients,
    accepted: &[CredentialKind],
    now: Timestamp,
) -> Result<Actor> {
    let credential =
        Credential::from_authorization(authorization, clients)?.ok_or_else(Error::unauthenticated)?;
    credential.require(accepted)?;
    app.authenticate(&credential, now).await
}
