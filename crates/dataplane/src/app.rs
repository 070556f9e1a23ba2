//! What every handler of the data plane has at hand, and which credentials the plane takes.

use std::sync::Arc;

use auth::actor::{Actor, Presented, PresentedGrant};
use auth::credential::{Credential, CredentialKind};
use auth::grant::GrantVerifier;
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::{Error, Result};
use link::Link;
use store::Store;
use wire::Authenticate;

use crate::blobs::Blobs;

/// The state of a data-plane process; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The truth.
    pub store: Store,
    /// The way to sessions' hosts.
    pub link: Link,
    /// The bytes of files.
    pub blobs: Blobs,
    /// Verifies grants with public keys alone.
    pub grants: Arc<GrantVerifier>,
}

impl Authenticate for App {
    const ACCEPTS: &'static [CredentialKind] = &[CredentialKind::Grant];

    async fn authenticate(&self, credential: &Credential, now: Timestamp) -> Result<Actor> {
        let grant = self.grants.verify(credential.reveal(), now)?;
        self.store.check_grant(&grant.terms.bound_to).await?;
        Ok(Actor::from(grant.terms))
    }
}

/// The grant that a caller presented; the plane takes nothing else.
///
/// # Errors
/// `INTERNAL_ERROR` where there is none.
pub fn presented_grant(actor: &Actor) -> Result<&PresentedGrant> {
    match &actor.credential {
        Presented::Grant(grant) => Ok(grant),
        Presented::ApiKey(_) | Presented::Browser => Err(Error::internal("the caller presented no grant")),
    }
}

/// What a path's project means to the bearer of a grant: the one that its session opened, at the session's branch,
/// or nothing (specification, "Data plane"). A bare project id stands for that branch.
///
/// # Errors
/// `NOT_FOUND` for any other project or branch.
pub fn opened_project(grant: &PresentedGrant, path: &ProjectRef) -> Result<ProjectRef> {
    let same_branch = path.branch.as_ref().is_none_or(|branch| *branch == grant.branch);
    if path.project == grant.project && same_branch {
        Ok(ProjectRef { project: grant.project, branch: Some(grant.branch.clone()) })
    } else {
        Err(Error::not_found())
    }
}
