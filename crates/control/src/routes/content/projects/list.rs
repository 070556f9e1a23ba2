//! List the caller's projects.

use api::content::projects::{ListProjects, ListProjectsQuery, ListProjectsResponse, SLUG_PATTERN};
use auth::actor::ProjectRead;
use domain::content::project::{ProjectPosition, ProjectRecord};
use domain::error::Location;
use domain::text::Slug;
use domain::{Error, Result, Rule};
use store::Me;
use store::content::projects::{self, ProjectFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// Lists the projects that the caller can access as owner, as member or through an organization, in one of two orders.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListProjects>,
) -> Result<Reply<ListProjectsResponse>> {
    let ListProjectsQuery { owner_id, slug, q, sort, limit, cursor } = request.query;
    let slug = slug.map(|text| Slug::parse("slug", &text).map_err(|_| not_a_slug())).transpose()?;
    let q = page::search_text(q)?;
    let order = sort.unwrap_or_default();
    let page: PageRequest<_, ProjectPosition> =
        PageRequest::open(&app.cursors, ("projects", owner_id, &slug, &q, order), limit, cursor)?;
    let query = ProjectFilter {
        owner: owner_id,
        slug: slug.as_ref(),
        q: q.as_deref(),
        order,
        after: page.from,
        rows: page.rows(),
    };
    let found =
        app.store.read(&request.call, &Me, async |tx, me| projects::list(tx, me, &query).await).await?;
    let (projects, meta) = page.cut(found, ProjectRecord::position)?;
    Ok(Reply::ok(ListProjectsResponse { projects, meta }))
}

fn not_a_slug() -> Error {
    Error::broken("slug", Rule::Pattern(SLUG_PATTERN.to_owned())).at(Location::Query)
}
