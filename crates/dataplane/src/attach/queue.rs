//! The queue of finished uploads, which attaches them in batches.
//!
//! 1. Small uploads share a transaction, whichever sessions they belong to. It waits for no lock, and leaves out those
//!    that would have to wait or are refused.
//! 2. An upload that was left out, or is larger, joins the others of its session. Their transaction waits for its
//!    locks.
//!
//! An upload's id makes it happen once, however often it is tried. `docs/design/batching.md` has the reasons.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use batching::Batcher;
use domain::content::upload::Attached;
use domain::id::SessionId;
use domain::time::Clock;
use domain::{Error, Result};
use link::Link;
use store::Store;
use store::content::uploads::FinishedUpload;

/// Longest wait for the batch before: twice the default time of a statement.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most objects of an upload that shares its transaction. A larger one would delay the others.
const SHARING_MAX_OBJECTS: usize = 32;

/// Most bytes of these objects as JSON. A full batch stays below the room that the store requires on a branch.
const SHARING_MAX_BYTES: usize = 32 * 1024;

/// Uploads that wait for a transaction: one at a time that is shared, and one for each session, whose changes would
/// wait for each other on their branch.
#[derive(Clone)]
pub struct AttachQueue {
    store: Store,
    link: Link,
    clock: Clock,
    shared: Arc<Batcher<(), PendingUpload, Option<Attached>>>,
    by_session: Arc<Batcher<SessionId, PendingUpload, Attached>>,
}

/// A finished upload on its way into a tree.
pub(super) struct PendingUpload {
    pub(super) upload: FinishedUpload,
    session: SessionId,
    /// True if it is small and replaces no file.
    is_shareable: bool,
    /// Transactions with this upload that may have been committed, and whose end is not known.
    open_transactions: AtomicUsize,
}

impl AttachQueue {
    /// An empty queue.
    pub fn new(store: Store, link: Link, clock: Clock) -> Self {
        Self {
            store,
            link,
            clock,
            shared: Arc::new(Batcher::new(1, PATIENCE, PendingUpload::differs_from)),
            by_session: Arc::new(Batcher::new(1, PATIENCE, PendingUpload::may_share_with)),
        }
    }

    /// Attaches an upload, and tells the followers of its session.
    ///
    /// # Errors
    /// Those of [`Store::attach`].
    pub(super) async fn attach(&self, upload: &Arc<PendingUpload>) -> Result<Attached> {
        if upload.is_shareable {
            let attach = async |uploads: &[&PendingUpload]| self.attach_shared(uploads).await;
            match self.shared.submit((), Arc::clone(upload), attach).await {
                Ok(Some(attached)) => return Ok(attached),
                Ok(None) => {}
                // Finds out if it was attached.
                Err(error) if error.is_outcome_unknown() => {}
                Err(error) => return Err(error),
            }
        }
        let attach = async |uploads: &[&PendingUpload]| self.attach_session(uploads).await;
        let attached = self.by_session.submit(upload.session, Arc::clone(upload), attach).await;
        attached.map_err(|error| match error.is_server_fault() && upload.may_be_attached() {
            true => error.outcome_unknown(),
            false => error,
        })
    }

    /// Attaches those uploads of several sessions that need not wait.
    async fn attach_shared(&self, uploads: &[&PendingUpload]) -> Result<Vec<Option<Attached>>> {
        let finished = finished_uploads(uploads);
        let attached = track(uploads, Box::pin(self.store.try_attach(&finished, self.clock.now()))).await?;
        for (upload, _) in uploads.iter().zip(&attached).filter(|(_, attached)| attached.is_some()) {
            self.link.announce_events(upload.session);
        }
        Ok(attached)
    }

    /// Attaches uploads of one session, all of them or none.
    async fn attach_session(&self, uploads: &[&PendingUpload]) -> Result<Vec<Attached>> {
        let finished = finished_uploads(uploads);
        let attached = track(uploads, Box::pin(self.store.attach(&finished, self.clock.now()))).await?;
        uploads.iter().for_each(|upload| self.link.announce_events(upload.session));
        Ok(attached)
    }
}

impl PendingUpload {
    /// The upload, not yet attached.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it has no session, or its objects can't be written as JSON.
    pub(super) fn new(upload: FinishedUpload) -> Result<Self> {
        let session = upload.terms.bound_to.session().map(|through| through.session);
        let session = session.ok_or_else(|| Error::internal("an upload is attached without a session"))?;
        let objects = &upload.attachment.objects;
        let is_shareable = upload.attachment.replaces.is_none()
            && objects.len() <= SHARING_MAX_OBJECTS
            && serde_json::to_vec(objects).map_err(Error::internal)?.len() <= SHARING_MAX_BYTES;
        Ok(Self { upload, session, is_shareable, open_transactions: AtomicUsize::new(0) })
    }

    /// True if a transaction whose end is not known may have attached it, or may do so yet.
    pub(super) fn may_be_attached(&self) -> bool {
        self.open_transactions.load(Ordering::Relaxed) > 0
    }

    /// False if both are the same upload, sent twice.
    fn differs_from(&self, other: &Self) -> bool {
        self.upload.attachment.upload != other.upload.attachment.upload
    }

    /// Decides if one transaction, which attaches all or none, may hold both: they have the same authority.
    fn may_share_with(&self, other: &Self) -> bool {
        let are_small = self.is_shareable && other.is_shareable;
        are_small && self.upload.terms == other.upload.terms && self.differs_from(other)
    }
}

fn finished_uploads<'a>(uploads: &[&'a PendingUpload]) -> Vec<&'a FinishedUpload> {
    uploads.iter().map(|pending| &pending.upload).collect()
}

/// Runs a transaction that attaches uploads. It stays open for them if its outcome is unknown, and if the request that
/// leads their batch disappears before its end.
async fn track<T>(uploads: &[&PendingUpload], attaching: impl Future<Output = Result<T>>) -> Result<T> {
    for upload in uploads {
        upload.open_transactions.fetch_add(1, Ordering::Relaxed);
    }
    let attached = attaching.await;
    if !attached.as_ref().is_err_and(Error::is_outcome_unknown) {
        for upload in uploads {
            upload.open_transactions.fetch_sub(1, Ordering::Relaxed);
        }
    }
    attached
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use auth::actor::{ActorGrant, GrantedSession, Purpose};
    use auth::grant::GrantTerms;
    use domain::content::object::Object;
    use domain::content::project::BranchName;
    use domain::content::upload::{Attachment, Replacement};
    use domain::id::{ObjectId, ProjectId, UploadId, UserId};
    use domain::people::permission::Permissions;
    use domain::work::session::ConnectionId;
    use futures_util::FutureExt;
    use serde_json::json;

    use super::*;

    fn terms() -> GrantTerms {
        let now = Clock::system().now();
        let session = SessionId::new(now);
        let connection = ConnectionId::of_session(session);
        let purpose = Purpose::Session(GrantedSession { branch: BranchName::main(), session, connection });
        let bound_to = ActorGrant { key: None, project: ProjectId::new(now), purpose };
        GrantTerms { user: UserId::new(now), permissions: Permissions::all(), bound_to }
    }

    /// An upload with this number of objects, and this number of bytes in the text of each.
    fn upload(terms: &GrantTerms, objects: usize, bytes: usize) -> FinishedUpload {
        let now = Clock::system().now();
        let parent = ObjectId::from(terms.bound_to.project);
        let object = |_| {
            let object = json!({ "id": ObjectId::new(now), "name": "gear", "type": "File", "parent": parent,
                "data": { "text": "x".repeat(bytes) } });
            serde_json::from_value::<Object>(object).unwrap()
        };
        let attachment = Attachment {
            upload: UploadId::new(now),
            parent,
            owner: None,
            objects: (0..objects).map(object).collect(),
            files: Vec::new(),
            replaces: None,
        };
        FinishedUpload { terms: terms.clone(), attachment, request_id: "test".to_owned() }
    }

    fn small(terms: &GrantTerms) -> PendingUpload {
        PendingUpload::new(upload(terms, 1, 0)).unwrap()
    }

    #[test]
    fn an_upload_shares_its_transaction_if_it_is_small_and_replaces_no_file() {
        let is_shareable =
            |objects, bytes| PendingUpload::new(upload(&terms(), objects, bytes)).unwrap().is_shareable;
        assert!(is_shareable(SHARING_MAX_OBJECTS, 0));
        assert!(!is_shareable(SHARING_MAX_OBJECTS + 1, 0));
        assert!(is_shareable(1, SHARING_MAX_BYTES - 1024));
        assert!(!is_shareable(1, SHARING_MAX_BYTES));
        assert!(!is_shareable(2, SHARING_MAX_BYTES / 2));
        let mut replacement = upload(&terms(), 1, 0);
        replacement.attachment.replaces = Some(Replacement { expected: None });
        assert!(!PendingUpload::new(replacement).unwrap().is_shareable);
    }

    #[test]
    fn uploads_of_one_grant_share_a_transaction_unless_one_is_large_or_repeats_another() {
        let terms = terms();
        let one = small(&terms);
        assert!(one.may_share_with(&small(&terms)));
        assert!(!one.may_share_with(&small(&self::terms())), "another grant");
        assert!(!one.may_share_with(&PendingUpload::new(one.upload.clone()).unwrap()), "the same upload");
        assert!(!one.may_share_with(&PendingUpload::new(upload(&terms, 33, 0)).unwrap()), "a large one");
    }

    #[test]
    fn an_upload_may_be_attached_until_the_end_of_each_of_its_transactions_is_known() {
        let attach = |upload: &PendingUpload, outcome: Result<()>| {
            let _outcome = track(&[upload], ready(outcome)).now_or_never().unwrap();
        };
        let (refused, unknown, orphan) = (small(&terms()), small(&terms()), small(&terms()));
        attach(&refused, Err(Error::not_found()));
        attach(&refused, Err(Error::unavailable("no connection")));
        assert!(!refused.may_be_attached());
        attach(&unknown, Err(Error::unavailable("lost").outcome_unknown()));
        attach(&unknown, Err(Error::not_found()));
        assert!(unknown.may_be_attached());
        assert!(track::<()>(&[&orphan], pending()).now_or_never().is_none());
        attach(&orphan, Err(Error::not_found()));
        assert!(orphan.may_be_attached());
    }
}
