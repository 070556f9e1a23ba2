//! The one way in which an upload joins a tree, for both planes: the host of a live connection and the data plane
//! itself call the same function with the same change.

pub(crate) mod queue;
pub mod state;

use auth::actor::{Actor, ProjectWrite};
use auth::grant::GrantTerms;
use domain::id::UploadId;
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::upload::{Attached, Attachment, ObjectMap};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::call::{Call, CallContext};
use crate::connect::Store;
use crate::content::attachments::{self, Place};
use crate::uploads::queue::Turn;

/// A finished upload: what is to be applied, and by whose authority.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinishedUpload {
    /// What the verified grant said.
    pub terms: GrantTerms,
    /// The change.
    pub attachment: Attachment,
    /// The request that brought it.
    pub request_id: String,
}

impl Store {
    /// Applies an upload to the branch of its grant's session, at most once, whoever calls this how often. The
    /// user's access is checked as of now. Uploads through one session that come at the same time share a transaction.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the session is closed or the key revoked; `NOT_FOUND` where the project is not
    /// reached any more or the parent is not in the tree; `FORBIDDEN`, `INSUFFICIENT_SCOPE`.
    pub async fn attach(&self, upload: &FinishedUpload, now: Timestamp) -> Result<Attached> {
        let Some(through) = upload.terms.bound_to.session() else {
            return self.attach_alone(upload, now).await;
        };
        let leader = match self.attaching.join(through.session, upload, now) {
            Ok(leader) => leader,
            Err(waits) => match waits.await {
                Ok(Turn::Done(done)) => return done,
                Ok(Turn::Lead(leader)) => leader,
                // Whoever led was given up in mid-way; nobody knows what it did, and to repeat it does no harm.
                Err(_) => return self.attach_alone(upload, now).await,
            },
        };
        let followers = leader.followers(upload);
        if followers.is_empty() {
            return self.attach_alone(upload, now).await;
        }
        let all: Vec<&FinishedUpload> =
            std::iter::once(upload).chain(followers.iter().map(|follower| &follower.upload)).collect();
        match self.attach_all(&all, now).await {
            Ok(attached) => {
                let mut attached = attached.into_iter();
                let own = attached.next().ok_or_else(|| Error::internal("an upload was not attached"));
                followers.into_iter().zip(attached).for_each(|(follower, done)| follower.answer(Ok(done)));
                own
            }
            // One that fails takes back all: each learns by itself whether it is the one.
            Err(_) => {
                for follower in followers {
                    let done = self.attach_alone(&follower.upload, follower.now).await;
                    follower.answer(done);
                }
                self.attach_alone(upload, now).await
            }
        }
    }

    async fn attach_alone(&self, upload: &FinishedUpload, now: Timestamp) -> Result<Attached> {
        let attached = self.attach_all(&[upload], now).await?.pop();
        attached.ok_or_else(|| Error::internal("an upload was not attached"))
    }

    /// Applies uploads of the same terms in one transaction: all of them or none.
    async fn attach_all(&self, uploads: &[&FinishedUpload], now: Timestamp) -> Result<Vec<Attached>> {
        let Some(first) = uploads.first() else { return Ok(Vec::new()) };
        let grant = &first.terms.bound_to;
        let branch = grant.session().map(|session| session.branch.clone());
        let at = ProjectRef { project: grant.project, branch };
        let context = CallContext { now, request_id: first.request_id.clone(), idempotency: None };
        let call = Call::<ProjectWrite>::authorise(Actor::from(first.terms.clone()), context)?;
        let attachments: Vec<_> = uploads.iter().map(|upload| &upload.attachment).collect();
        self.retrying(async |tx| attachments::apply_all(tx, &at, &call, &attachments).await).await
    }

    /// What an upload answered when it was applied; `None` where it was not, and can be attached as it seems. Attaching it
    /// checks again.
    ///
    /// # Errors
    /// `NOT_FOUND` where the project is not reached, is not the owner's, or does not have the parent in its tree;
    /// `FORBIDDEN`.
    pub async fn find_applied_upload(
        &self,
        call: &Call<ProjectWrite>,
        place: &Place<'_>,
        upload: Option<UploadId>,
    ) -> Result<Option<ObjectMap>> {
        self.look(async |tx| attachments::find_applied(tx, place, call, upload).await).await
    }
}
