//! Grants for attachments, for callers who open no session.

use api::operation::Operation;
use api::planning::cards::attached_files::{AttachFile, DownloadAttachment, ReadAttachmentThumbnail};
use api::planning::cards::attachment_uploads::CreateAttachmentUpload;
use api::planning::cards::attachments::{CreateAttachmentGrant, CreateAttachmentGrantResponse};
use auth::actor::CardRead;
use domain::Result;
use wire::{Reply, Request};

use crate::app::App;

/// Issues a grant for the attachments of a project's cards and nothing else, for 15 minutes. What it may do is decided
/// by the caller's role at each use. All of them end with the API key and with the user's access to the project.
pub async fn handle(
    app: App,
    request: Request<CardRead, CreateAttachmentGrant>,
) -> Result<Reply<CreateAttachmentGrantResponse>> {
    let call = &request.call;
    let project = app.store.find(call, &request.path.project_id).await?.record.id;
    Ok(Reply::ok(CreateAttachmentGrantResponse {
        upload_url: app.grants.attachment_url(AttachFile::DECLARATION, project),
        resumable_url: app.grants.attachment_url(CreateAttachmentUpload::DECLARATION, project),
        download_url: app.grants.attachment_url(DownloadAttachment::DECLARATION, project),
        thumbnail_url: app.grants.attachment_url(ReadAttachmentThumbnail::DECLARATION, project),
        data_plane: app.grants.mint_for_attachments(call, project)?,
    }))
}
