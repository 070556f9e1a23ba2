//! The one way in which an upload joins a tree, for both planes: the host of a live connection and the data plane
//! itself apply the same change by the same code, whether it waits for others or not.

pub mod state;

use auth::actor::{Actor, ProjectWrite};
use auth::grant::GrantTerms;
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::upload::{Attached, Attachment, ObjectMap};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::access::call::{Call, CallContext};
use crate::db::config::Store;
use crate::db::transaction::Tx;
use crate::resources::content::attachments::{self, Contended, Group, Place};

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
    /// Applies uploads to the branch of their grant's session, all of them or none, and each at most once, whoever calls this
    /// how often. The user's access is checked as of now.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the session is closed or the key revoked; `NOT_FOUND` where the project is not
    /// reached any more or a parent is not in the tree; `FORBIDDEN`, `INSUFFICIENT_SCOPE`; `INTERNAL_ERROR` where they don't
    /// have the same terms.
    pub async fn attach(&self, uploads: &[&FinishedUpload], now: Timestamp) -> Result<Vec<Attached>> {
        let groups = [group(uploads, now)?];
        self.retrying(async |tx| {
            let mut attached = attachments::apply_all(tx, &groups, Contended::Wait).await?;
            attached.pop().ok_or_else(|| Error::internal("uploads have no result"))?
        })
        .await
    }

    /// The same for uploads of several sessions in one transaction, as far as that takes no waiting for others; `None` for those
    /// of a session where it would, and for those that are refused. [`Store::attach`] does these, and says why not.
    ///
    /// # Errors
    /// `UNAVAILABLE`; `INTERNAL_ERROR`; `BRANCH_CONFLICT` where one of the branches would hold too much. None is attached then.
    pub async fn attach_at_once(
        &self,
        sessions: &[&[FinishedUpload]],
        now: Timestamp,
    ) -> Result<Vec<Option<Vec<Attached>>>> {
        let groups: Result<Vec<Group<'_>>> =
            sessions.iter().map(|uploads| group(&uploads.iter().collect::<Vec<_>>(), now)).collect();
        let groups = groups?;
        let attach = async |tx: &mut Tx| attachments::apply_all(tx, &groups, Contended::LeaveOut).await;
        Ok(self.retrying(attach).await?.into_iter().map(Result::ok).collect())
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

/// Uploads of one session, as they are applied.
///
/// # Errors
/// `INSUFFICIENT_SCOPE`; `INTERNAL_ERROR` where there are none, or they don't have the same terms, or no session.
fn group<'a>(uploads: &[&'a FinishedUpload], now: Timestamp) -> Result<Group<'a>> {
    let first = uploads.first().ok_or_else(|| Error::internal("no uploads are attached"))?;
    if uploads.iter().any(|upload| upload.terms != first.terms) {
        return Err(Error::internal("uploads of different grants are attached together"));
    }
    let grant = &first.terms.bound_to;
    let through =
        grant.session().ok_or_else(|| Error::internal("an upload is attached without a session"))?;
    let context = CallContext { now, request_id: first.request_id.clone(), idempotency: None };
    let call = Call::<ProjectWrite>::authorise(Actor::from(first.terms.clone()), context)?;
    let attachments = uploads.iter().map(|upload| &upload.attachment).collect();
    Ok(Group { grant, through, call, attachments })
}
