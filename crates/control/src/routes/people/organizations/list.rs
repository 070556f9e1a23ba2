//! List the caller's organizations.

use api::people::organizations::{ListOrganizations, ListOrganizationsResponse};
use auth::actor::Authenticated;
use domain::Result;
use domain::id::OrganizationId;
use domain::people::organization::OrganizationRecord;
use store::Me;
use store::people::organizations;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the organizations of which the caller is a member, by name in byte order.
pub async fn handle(
    app: App,
    request: Request<Authenticated, ListOrganizations>,
) -> Result<Reply<ListOrganizationsResponse>> {
    let page: PageRequest<_, (String, OrganizationId)> =
        PageRequest::of(request.query, &app.cursors, ("organizations", request.call.actor.user))?;
    let found = app.store.read(&request.call, &Me, async |tx, me| organizations::list(tx, me).await).await?;
    let position = |one: &OrganizationRecord| (one.name.as_str().to_owned(), one.id);
    let (organizations, meta) = page.cut_sorted(found, position)?;
    Ok(Reply::ok(ListOrganizationsResponse { organizations, meta }))
}
