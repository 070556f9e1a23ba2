//! Access to an upload in pieces, for the user who began it: to a tree with any grant of the same session, to a card
//! with any grant that may change it.

use auth::actor::{ActorCredential, Requirement};
use database::prelude::*;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::content::project::ProjectRef;
use domain::id::{CardId, UploadId};
use domain::{Error, Result};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::resumable_upload::{UploadRecord, UploadRow};

/// An upload in pieces as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct ResumableUploadRef {
    /// The project.
    pub project: ProjectRef,
    /// The upload.
    pub upload: UploadId,
    /// The card to which it is attached; `None` of an upload to the tree of the caller's session.
    pub card: Option<CardId>,
}

/// An upload in pieces that the caller began, in a project on which it may do `P`. It has not expired.
#[derive(Debug)]
pub struct StartedUpload<P> {
    /// The upload's record.
    pub record: UploadRecord,
    /// The upload's project, of an upload to a tree at the session's branch.
    pub project: Project<P>,
}

impl<P: Requirement> Target<P> for ResumableUploadRef {
    type Witness = StartedUpload<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<StartedUpload<P>> {
        let project = self.project.resolve(connection, call).await?;
        let ActorCredential::Grant(grant) = &call.actor.credential else { return Err(Error::not_found()) };
        let session = match self.card {
            Some(_) => None,
            None => Some(grant.session().ok_or_else(Error::not_found)?.session),
        };
        let rows: Vec<UploadRow> = Statement::new(include_str!("resumable_upload.sql"))
            .bind::<SqlUuid, _>(self.upload.0)
            .bind::<SqlUuid, _>(project.record.id.0)
            .bind::<Nullable<SqlUuid>, _>(session.map(|session| session.0))
            .bind::<SqlUuid, _>(call.actor.user.0)
            .bind::<Nullable<SqlUuid>, _>(self.card.map(|card| card.0))
            .load(connection)
            .await?;
        let record = rows.into_iter().next().ok_or_else(Error::not_found)?.record()?;
        Ok(StartedUpload { record, project })
    }
}
