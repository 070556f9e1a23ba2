//! List a branch's objects.

use api::content::objects::{ListObjects, ListObjectsQuery, ListObjectsResponse};
use auth::actor::ProjectRead;
use domain::error::Location;
use domain::id::ObjectId;
use domain::search::fold;
use domain::text::Name;
use domain::{Error, Result, Rule};
use store::content::objects::{self, ObjectFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// Lists a branch's objects with their data and their uncommitted state, oldest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListObjects>,
) -> Result<Reply<ListObjectsResponse>> {
    let at = &request.path.project_id;
    let ListObjectsQuery { object_type, parent, name, path, q, limit, cursor } = request.query;
    let name = name.map(|text| Name::sanitize(&text).ok_or_else(|| not_named("name"))).transpose()?;
    let path = path.as_deref().map(names).transpose()?;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let filter = ("objects", at, &object_type, parent, (&name, &path), &folded_q);
    let page: PageRequest<_, ObjectId> = PageRequest::open(&app.cursors, filter, limit, cursor)?;
    let query = ObjectFilter {
        object_type: object_type.as_deref(),
        parent,
        name: name.as_ref(),
        path: path.as_deref(),
        folded_q: folded_q.as_deref(),
        after: page.from,
        rows: page.rows(),
    };
    let found = app
        .store
        .read(&request.call, at, async |tx, project| objects::list(tx, project, &query).await)
        .await?;
    let (objects, meta) = page.cut(found, |object| object.id)?;
    Ok(Reply::ok(ListObjectsResponse { objects, meta }))
}

/// The names of a path; the first slash may be left out.
fn names(path: &str) -> Result<Vec<Name>> {
    let names = path.strip_prefix('/').unwrap_or(path).split('/');
    names.map(|name| Name::sanitize(name).ok_or_else(|| not_named("path"))).collect()
}

fn not_named(field: &'static str) -> Error {
    Error::broken(field, Rule::format("name")).at(Location::Query)
}
