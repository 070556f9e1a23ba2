//! List the versions of an object's file.

use api::content::objects::{ListObjectVersions, ListObjectVersionsResponse, ListedObjectVersion};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::upload::FileName;
use domain::work::session::ConnectionId;
use store::content::versions::{self, VersionPosition};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the versions of an object's file on a branch, newest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListObjectVersions>,
) -> Result<Reply<ListObjectVersionsResponse>> {
    let Request { call, path, query, .. } = request;
    let page: PageRequest<_, VersionPosition> =
        PageRequest::of(query, &app.cursors, ("objectVersions", &path.project_id, path.object_id))?;
    let rows = page.size()?;
    let (found, place) = app
        .store
        .read(&call, &path.project_id, async |tx, project| {
            let found = versions::list(tx, project, path.object_id, page.from, rows).await?;
            let place = (project.record.owner_id, project.record.id, project.branch.name.clone());
            Ok((found, place))
        })
        .await?;
    let (owner, project, branch) = place;
    let connection = ConnectionId::of_downloads();
    let urls = app.grants.file_urls(owner, call.actor.user, (project, &branch), &connection);
    let listed = found.versions.into_iter().map(|version| {
        let extension = version.file.extension.clone();
        let name = FileName { object: path.object_id, extension };
        let url = urls.download_url.replace("{fileName}", &name.to_string());
        let at = version.commit_hash.map_or_else(String::new, |commit| format!("?commit={commit}"));
        ListedObjectVersion { version, download_url: format!("{url}{at}") }
    });
    let versions = listed.collect();
    let meta = page.meta(found.next.as_ref())?;
    Ok(Reply::ok(ListObjectVersionsResponse { versions, meta }))
}
