//! List a branch's objects.

use api::content::objects::{ListObjects, ListObjectsQuery, ListObjectsResponse};
use auth::actor::ProjectRead;
use domain::error::Location;
use domain::search::SearchTerms;
use domain::text::Name;
use domain::{Error, Result, Rule};
use store::content::objects::listing::{self, ObjectFilter, ObjectPosition};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// Lists a branch's objects with their data and their uncommitted state, oldest first. A search lists those with the
/// text after those with the name.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListObjects>,
) -> Result<Reply<ListObjectsResponse>> {
    let at = &request.path.project_id;
    let ListObjectsQuery { object_type, parent, name, path, q, limit, cursor } = request.query;
    let name = name.map(|text| Name::sanitize(&text).ok_or_else(|| not_named("name"))).transpose()?;
    let path = path.as_deref().map(names).transpose()?;
    let terms = page::search_text(q)?.map(|q| SearchTerms::parse(&q));
    let folded_q = terms.as_ref().map(SearchTerms::folded);
    let filter = ("objects", at, &object_type, parent, (&name, &path), &folded_q);
    let page: PageRequest<_, ObjectPosition> = PageRequest::open(&app.cursors, filter, limit, cursor)?;
    let query = ObjectFilter {
        object_type: object_type.as_deref(),
        parent,
        name: name.as_ref(),
        path: path.as_deref(),
        terms: terms.as_ref(),
        after: page.from,
        rows: page.rows(),
    };
    let list = app
        .store
        .read(&request.call, at, async |tx, project| listing::list(tx, project, &query).await)
        .await?;
    let (listed, meta) = match list.next {
        Some(next) => (list.objects, page.meta(Some(&next))?),
        None => page.cut(list.objects, |listed| listed.position)?,
    };
    let (objects, matches): (Vec<_>, Vec<_>) = listed.into_iter().map(|one| (one.object, one.found)).unzip();
    Ok(Reply::ok(ListObjectsResponse { objects, matches: matches.into_iter().flatten().collect(), meta }))
}

/// The names of a path; the first slash may be left out.
fn names(path: &str) -> Result<Vec<Name>> {
    let names = path.strip_prefix('/').unwrap_or(path).split('/');
    names.map(|name| Name::sanitize(name).ok_or_else(|| not_named("path"))).collect()
}

fn not_named(field: &'static str) -> Error {
    Error::broken(field, Rule::format("name")).at(Location::Query)
}
