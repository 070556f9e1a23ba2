//! The one way in which an upload joins a tree, for both planes: the host of a live connection and the data plane
//! itself call the same function with the same change.

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
        let Some(first) = uploads.first() else { return Ok(Vec::new()) };
        if uploads.iter().any(|upload| upload.terms != first.terms) {
            return Err(Error::internal("uploads of different grants are attached together"));
        }
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
