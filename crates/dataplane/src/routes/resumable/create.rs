//! Begin an upload in pieces to a tree, optionally with the first piece.

use crate::routes::place;
use api::content::uploads::resumable::{CreateResumableUpload, ResumableUploadResponse};
use auth::actor::ProjectWrite;
use domain::{Result, Rule};
use store::content::attachments;
use store::content::resumable::UploadDestination;
use store::{Outcome, Project, Tx};
use wire::{Created, OffsetBytes, Reply, Request};

use crate::app::{self, App};
use crate::resumable::headers;
use crate::routes::resumable::begin::{BeginHeaders, BeginPlace, BegunUpload, begin};
use crate::routes::resumable::{WithHeaders, answer};

/// Begins an upload to a tree.
///
/// # Errors
/// `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`, `INVALID_CONNECTION_ID`, `RATE_LIMITED`; those of [`begin`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateResumableUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<Created<ResumableUploadResponse>>> {
    let Request { call, path, body, head, .. } = request;
    headers::require_version(&head)?;
    let connection = place::connection(&path)?;
    let sent = BeginHeaders::of(&head, body.is_some())?;
    let replaces = sent.metadata.replaces.clone();
    if replaces.as_ref().is_some_and(|(object, _)| *object != path.parent_id) {
        let message = "must replace the file of the object in the path";
        return Err(headers::invalid("Upload-Metadata", Rule::conflict("parentId"), message));
    }
    let grant = app::presented_grant(&call.actor)?;
    let session = app::granted_session(grant)?.session;
    let _slot = app.slots.take(session)?;
    let place = BeginPlace {
        project: app::opened_project(grant, &path.project_id)?,
        destination: UploadDestination::Tree { session, connection, parent: path.parent_id },
    };
    let permit = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        place::require(&path, tx, project).await?;
        match &replaces {
            Some((object, replacement)) => {
                attachments::require_replaceable(tx, project, *object, replacement).await
            }
            None => Ok(()),
        }
    };
    let BegunUpload { upload, headers } = begin(&app, &call, (&head, sent, body), place, permit).await?;
    let Outcome { value, replayed } = upload;
    let created = Outcome { value: answer(&value)?, replayed };
    Ok(WithHeaders { answer: Reply::created(created), headers })
}
