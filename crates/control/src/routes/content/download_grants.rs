//! Grants to download a project's files, for callers who only read and open no session.

use api::content::downloads::{CreateDownloadGrant, CreateDownloadGrantResponse};
use api::content::previews::{ReadDerivedFile, ReadPreview, ReadThumbnail};
use api::operation::{Declaration, Operation};
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Endpoint, Reply, Request, endpoint};

use crate::app::App;

/// The endpoints of grants for downloads.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Issues a grant that reads the project's files and nothing else, for 15 minutes. Earlier ones remain valid until they
/// expire. All of them end with the API key and with the user's access to the project.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, CreateDownloadGrant>,
) -> Result<Reply<CreateDownloadGrantResponse>> {
    let call = &request.call;
    let found = app.store.find(call, &request.path.project_id).await?;
    let (project, owner_id, branch) = (found.record.id, found.record.owner_id, found.branch.name);
    let data_plane = app.grants.mint_for_downloads(call, project)?;
    let urls = app.grants.file_urls(owner_id, call.actor.user, (project, &branch), &data_plane.connection_id);
    let url = |operation: Declaration| app.grants.object_url(operation, project, &branch);
    Ok(Reply::ok(CreateDownloadGrantResponse {
        owner_id,
        download_url: urls.download_url,
        preview_url: url(ReadPreview::DECLARATION),
        thumbnail_url: url(ReadThumbnail::DECLARATION),
        derived_url: url(ReadDerivedFile::DECLARATION),
        branch,
        data_plane,
    }))
}
