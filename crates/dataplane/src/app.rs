//! What every handler of the data plane has at hand, and which credentials the plane takes.

use std::sync::Arc;

use auth::actor::{Actor, GrantedSession, Presented, PresentedGrant};
use auth::credential::{Credential, CredentialKind};
use auth::grant::GrantVerifier;
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use link::Link;
use store::Store;
use wire::Authenticate;

use crate::attach::Attaching;
use crate::blobs::Blobs;
use crate::convert::Converter;
use crate::settings::UploadSettings;
use crate::slots::Slots;

/// The state of a data-plane process; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The truth.
    pub store: Store,
    /// The way to sessions' hosts.
    pub link: Link,
    /// The bytes of files.
    pub blobs: Blobs,
    /// What uploads may take.
    pub uploads: UploadSettings,
    /// The uploads that this process receives.
    pub slots: Slots,
    /// The uploads that are about to join a tree.
    pub attaching: Attaching,
    /// Makes objects of files.
    pub converter: Arc<Converter>,
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

/// The session of a grant.
///
/// # Errors
/// `CREDENTIAL_NOT_PERMITTED` where it belongs to none: a clone's reads the files of a clone alone.
pub fn granted_session(grant: &PresentedGrant) -> Result<&GrantedSession> {
    let refused = || Error::new(Code::CredentialNotPermitted, "A grant of a clone is not accepted here.");
    grant.session().ok_or_else(refused)
}

/// What a path's project means to the bearer of a grant: the one that its session opened, at the session's branch,
/// or nothing (specification, "Data plane"). A bare project id stands for that branch.
///
/// # Errors
/// `NOT_FOUND` for any other project or branch; `CREDENTIAL_NOT_PERMITTED` where the grant belongs to no session.
pub fn opened_project(grant: &PresentedGrant, path: &ProjectRef) -> Result<ProjectRef> {
    let opened = &granted_session(grant)?.branch;
    let same_branch = path.branch.as_ref().is_none_or(|branch| branch == opened);
    if path.project == grant.project && same_branch {
        Ok(ProjectRef { project: grant.project, branch: Some(opened.clone()) })
    } else {
        Err(Error::not_found())
    }
}
