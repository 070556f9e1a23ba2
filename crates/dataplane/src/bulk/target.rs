//! The target of a request's files.

use auth::actor::{ActorGrant, ProjectWrite};
use domain::Result;
use domain::id::{ObjectId, OwnerId, SessionId, UploadId};
use domain::project::ProjectRef;
use domain::session::ConnectionId;
use domain::upload::ObjectMap;
use store::Call;
use store::content::attachments::AttachTarget;

use crate::app::{self, App};

/// The target as the request's path names it.
#[derive(Clone, Debug)]
pub struct BulkPlace {
    /// The project's owner.
    pub owner: OwnerId,
    /// The project, with the branch of the session.
    pub project: ProjectRef,
    /// The connection through which files are applied.
    pub connection: ConnectionId,
    /// The parent of files and folders.
    pub parent: ObjectId,
    /// Id of the operation, which keeps the idempotency keys of operations apart.
    pub operation: &'static str,
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
}
