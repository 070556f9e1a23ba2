//! The one way in which an upload joins a tree, for both planes: the host of a live connection and the data plane
//! itself call the same function with the same change.

use auth::actor::{Actor, ProjectWrite};
use auth::grant::GrantTerms;
use domain::Result;
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::upload::{Attached, Attachment};
use serde::{Deserialize, Serialize};

use crate::call::{Call, CallContext};
use crate::connect::Store;
use crate::content::attachments;

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
    /// user's access is checked as of now.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` where the session is closed or the key revoked; `NOT_FOUND` where the project is not
    /// reached any more or the parent is not in the tree; `FORBIDDEN`, `INSUFFICIENT_SCOPE`.
    pub async fn attach(&self, upload: &FinishedUpload, now: Timestamp) -> Result<Attached> {
        let grant = &upload.terms.bound_to;
        let branch = grant.session().map(|session| session.branch.clone());
        let at = ProjectRef { project: grant.project, branch };
        let context = CallContext { now, request_id: upload.request_id.clone(), idempotency: None };
        let call = Call::<ProjectWrite>::authorise(Actor::from(upload.terms.clone()), context)?;
        self.mutate(&call, &at, async |tx, project| {
            attachments::apply(tx, project, &call, &upload.attachment).await
        })
        .await
    }
}
