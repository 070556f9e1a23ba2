//! The target of a request's files.

use auth::actor::{ActorGrant, ProjectWrite};
use domain::Result;
use domain::content::object::Sha256Hash;
use domain::content::project::ProjectRef;
use domain::content::upload::ObjectMap;
use domain::id::{ObjectId, OwnerId, SessionId, UploadId};
use store::Call;
use store::content::attachments::AttachTarget;
use store::content::attachments::present::PresentUpload;

use crate::app::{self, App};
use crate::upload_id;

/// The target as the request's path names it.
#[derive(Clone, Debug)]
pub struct BulkPlace {
    /// The project's owner.
    pub owner: OwnerId,
    /// The project, with the branch of the session.
    pub project: ProjectRef,
    /// The parent of files and folders.
    pub parent: ObjectId,
    /// True if a file that its folder has from an earlier request is not added again.
    pub skips_existing: bool,
    /// Id of the operation, which keeps the idempotency keys of operations apart.
    pub operation: &'static str,
}

/// A file in its folder.
pub(super) enum Existing {
    /// It is there.
    Yes(ObjectMap),
    /// It is not there. The id under which it is to be attached.
    No(UploadId),
}

/// The target with the caller's rights.
pub struct BulkTarget<'a> {
    pub(super) app: &'a App,
    pub(super) call: &'a Call<ProjectWrite>,
    pub(super) grant: &'a ActorGrant,
    pub(super) session: SessionId,
    pub(super) place: BulkPlace,
}

impl<'a> BulkTarget<'a> {
    /// The target of a call.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `NOT_FOUND`.
    pub(super) fn new(app: &'a App, call: &'a Call<ProjectWrite>, place: BulkPlace) -> Result<Self> {
        let grant = app::presented_grant(&call.actor)?;
        let session = app::granted_session(grant)?.session;
        let place = BulkPlace { project: app::opened_project(grant, &place.project)?, ..place };
        Ok(Self { app, call, grant, session, place })
    }

    /// The recorded map of an upload that was applied. Checks the target.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
    pub(super) async fn find_applied(&self, upload: Option<UploadId>) -> Result<Option<ObjectMap>> {
        let BulkPlace { owner, project, parent, .. } = &self.place;
        let place = AttachTarget { project, owner: *owner, parent: *parent, replaces: None };
        self.app.store.find_applied_upload(self.call, &place, upload).await
    }

    /// Finds a file of this name and content in the folder `parent`, if a request that skips existing files has added it. Two
    /// such requests at once get the same new id for the same file, so that it is attached once.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
    pub(super) async fn find_existing(
        &self,
        parent: ObjectId,
        name: &str,
        sha256: Sha256Hash,
    ) -> Result<Existing> {
        let BulkPlace { owner, project, .. } = &self.place;
        let place = AttachTarget { project, owner: *owner, parent, replaces: None };
        let mut id = upload_id::of_content(project, parent, name, sha256);
        loop {
            match self.app.store.find_present_upload(self.call, &place, id).await? {
                None => return Ok(Existing::No(id)),
                Some(PresentUpload::There(map)) => return Ok(Existing::Yes(map)),
                // Each time that it was removed, the next one has another id.
                Some(PresentUpload::Removed) => id = upload_id::after(id),
            }
        }
    }
}
