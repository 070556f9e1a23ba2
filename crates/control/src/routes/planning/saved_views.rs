//! Saved views of cards.

use api::planning::saved_views::{
    CreateView, DeleteView, DeleteViewResponse, GetView, ListViews, ListViewsResponse, UpdateView,
    ViewResponse,
};
use auth::actor::{CardRead, CardWrite};
use domain::Result;
use domain::id::ViewId;
use store::planning::saved_views;
use store::{KnownView, Me, ViewRef};
use wire::{Endpoint, Reply, Request, TaggedCreated, TaggedReply, endpoint};

use crate::app::App;
use crate::routes::page::PageRequest;

/// The endpoints of saved views.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list), endpoint(create), endpoint(get), endpoint(update), endpoint(delete)]
}

/// A person sees few views, so that all are read for each page.
async fn list(app: App, request: Request<CardRead, ListViews>) -> Result<Reply<ListViewsResponse>> {
    let (call, query) = (&request.call, request.query.clone());
    let project = query.project_id;
    let page: PageRequest<_, ViewId> =
        PageRequest::open(&app.cursors, ("views", project), query.limit, query.cursor)?;
    let list = async |tx: &mut store::Tx, me: &_| saved_views::list(tx, me, call, project).await;
    let found = app.store.read(call, &Me, list).await?;
    let (views, meta) = page.cut_sorted(found, |view| view.id)?;
    Ok(Reply::ok(ListViewsResponse { views, meta }))
}

async fn create(app: App, request: Request<CardWrite, CreateView>) -> Result<TaggedCreated<ViewResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let created = app
        .store
        .create(call, &Me, async |tx, me| saved_views::create(tx, me, call, body.clone()).await)
        .await?;
    Ok(Reply::created(created.map(|view| ViewResponse { view })).etag_of_body())
}

async fn get(app: App, request: Request<CardRead, GetView>) -> Result<TaggedReply<ViewResponse>> {
    let get = async |_: &mut store::Tx, known: &KnownView<CardRead>| Ok(known.view.clone());
    let view = app.store.read(&request.call, &ViewRef(request.path.view_id), get).await?;
    Ok(Reply::ok(ViewResponse { view }).etag_of_body())
}

/// A merge patch: absent properties stay, and `null` clears. With `If-Match` only if the view's `ETag` matches.
async fn update(app: App, request: Request<CardWrite, UpdateView>) -> Result<TaggedReply<ViewResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let expected = request.head.if_match()?;
    let view = app
        .store
        .mutate(call, &ViewRef(request.path.view_id), async |tx, known| {
            wire::check_if_match(expected.as_ref(), &ViewResponse { view: known.view.clone() })?;
            saved_views::update(tx, known, call, body.clone()).await
        })
        .await?;
    Ok(Reply::ok(ViewResponse { view }).etag_of_body())
}

/// With `If-Match` only if the view's `ETag` matches.
async fn delete(app: App, request: Request<CardWrite, DeleteView>) -> Result<Reply<DeleteViewResponse>> {
    let expected = request.head.if_match()?;
    app.store
        .mutate(&request.call, &ViewRef(request.path.view_id), async |tx, known| {
            wire::check_if_match(expected.as_ref(), &ViewResponse { view: known.view.clone() })?;
            saved_views::delete(tx, known).await
        })
        .await?;
    Ok(Reply::ok(DeleteViewResponse { deleted: true, view_id: request.path.view_id }))
}
