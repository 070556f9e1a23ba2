//! The state shared by all handlers of the data plane, and its authentication by grants.

use std::sync::Arc;

use auth::actor::{Actor, ActorCredential, ActorGrant, GrantedSession};
use auth::credential::{Credential, CredentialKind};
use auth::grant::GrantVerifier;
use domain::content::project::ProjectRef;
use domain::time::{Clock, Timestamp};
use domain::{Code, Error, Result};
use link::Link;
use store::{AuditJournal, Store};
use wire::{Authenticate, Bounds};

use crate::attach::queue::AttachQueue;
use crate::blobs::Blobs;
use crate::convert::Converter;
use crate::preview::Previews;
use crate::slots::Slots;
use crate::stored_bytes::StoredBytes;
use crate::unpack::Unpacker;

/// The state of a data-plane process; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// Dates what happens outside of requests.
    pub clock: Clock,
    /// PostgreSQL.
    pub store: Store,
    /// Redis; announces events, and counts requests.
    pub link: Link,
    /// The object store.
    pub blobs: Blobs,
    /// Constants that tests change.
    pub bounds: Bounds,
    /// Concurrent uploads per session, and per user without one, in this process.
    pub slots: Slots,
    /// The limit on the bytes of an owner.
    pub stored_bytes: StoredBytes,
    /// Finished uploads on their way into trees.
    pub attach_queue: AttachQueue,
    /// Converts files into objects.
    pub converter: Arc<Converter>,
    /// Makes previews of files.
    pub previews: Arc<Previews>,
    /// Unpacks archives into files.
    pub unpacker: Arc<Unpacker>,
    /// Verifies grants with the public keys.
    pub grants: Arc<GrantVerifier>,
}

impl Authenticate for App {
    const ACCEPTS: &'static [CredentialKind] = &[CredentialKind::Grant];

    async fn authenticate(&self, credential: &Credential, now: Timestamp) -> Result<Actor> {
        let grant = self.grants.verify(credential.reveal(), now)?;
        self.store.check_grant(grant.terms.user, &grant.terms.bound_to).await?;
        Ok(Actor::from(grant.terms))
    }

    fn journal(&self) -> &AuditJournal {
        self.store.journal()
    }
}

/// The caller's grant, the only credential that this plane accepts.
///
/// # Errors
/// `INTERNAL_ERROR` if the caller has another credential.
pub fn presented_grant(actor: &Actor) -> Result<&ActorGrant> {
    match &actor.credential {
        ActorCredential::Grant(grant) => Ok(grant),
        ActorCredential::ApiKey(_) | ActorCredential::Browser(_) | ActorCredential::Job => {
            Err(Error::internal("the caller presented no grant"))
        }
    }
}

/// The session of a grant.
///
/// # Errors
/// `CREDENTIAL_NOT_PERMITTED` for a grant for downloads or attachments, which belongs to no session.
pub fn granted_session(grant: &ActorGrant) -> Result<&GrantedSession> {
    let refused =
        || Error::new(Code::CredentialNotPermitted, "A grant without a session is not accepted here.");
    grant.session().ok_or_else(refused)
}

/// The branch of the grant's session, which is the only one that a path may name (docs/api.md, section 9). A bare
/// project id stands for it.
///
/// # Errors
/// `NOT_FOUND` for any other project or branch; `CREDENTIAL_NOT_PERMITTED` for a grant without a session.
pub fn opened_project(grant: &ActorGrant, path: &ProjectRef) -> Result<ProjectRef> {
    let opened = &granted_session(grant)?.branch;
    let same_branch = path.branch.as_ref().is_none_or(|branch| branch == opened);
    if path.project == grant.project && same_branch {
        Ok(ProjectRef { project: grant.project, branch: Some(opened.clone()) })
    } else {
        Err(Error::not_found())
    }
}

/// The branch whose files a grant may read: that of its session, or the one that the path names if the grant belongs to
/// no session.
///
/// # Errors
/// `NOT_FOUND` for any other project or branch.
pub fn readable_project(grant: &ActorGrant, path: &ProjectRef) -> Result<ProjectRef> {
    match grant.session() {
        Some(_) => opened_project(grant, path),
        None if path.project == grant.project => Ok(path.clone()),
        None => Err(Error::not_found()),
    }
}
