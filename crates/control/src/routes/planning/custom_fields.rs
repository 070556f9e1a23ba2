//! The custom fields of a project's cards.

use api::planning::custom_fields::{
    CreateField, DeleteField, DeleteFieldResponse, FieldResponse, GetField, ListFields, ListFieldsResponse,
    UpdateField,
};
use auth::actor::{CardDelete, CardRead, CardWrite};
use domain::Result;
use store::planning::custom_fields;
use wire::{Endpoint, Reply, Request, TaggedCreated, TaggedReply, endpoint};

use crate::app::App;
use crate::routes::target::PathTarget;

/// The endpoints of custom fields.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list), endpoint(create), endpoint(get), endpoint(update), endpoint(delete)]
}

async fn list(app: App, request: Request<CardRead, ListFields>) -> Result<Reply<ListFieldsResponse>> {
    let list =
        async |tx: &mut store::Tx, project: &store::Project<CardRead>| custom_fields::list(tx, project).await;
    let fields = app.store.read(&request.call, &request.path.project_id, list).await?;
    Ok(Reply::ok(ListFieldsResponse { fields }))
}

async fn create(app: App, request: Request<CardWrite, CreateField>) -> Result<TaggedCreated<FieldResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let created = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            custom_fields::create(tx, project, call, body.clone()).await
        })
        .await?;
    Ok(Reply::created(created.map(|field| FieldResponse { field })).etag_of_body())
}

async fn get(app: App, request: Request<CardRead, GetField>) -> Result<TaggedReply<FieldResponse>> {
    let get = async |tx: &mut store::Tx, field: &_| custom_fields::get(tx, field).await;
    let field = app.store.read(&request.call, &request.path.target(), get).await?;
    Ok(Reply::ok(FieldResponse { field }).etag_of_body())
}

/// A merge patch: absent properties stay, and `null` clears. With `If-Match` only if the field's `ETag` matches.
async fn update(app: App, request: Request<CardWrite, UpdateField>) -> Result<TaggedReply<FieldResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let expected = request.head.if_match()?;
    let field = app
        .store
        .mutate(call, &request.path.target(), async |tx, field| {
            wire::check_if_match(
                expected.as_ref(),
                &FieldResponse { field: custom_fields::get(tx, field).await? },
            )?;
            custom_fields::update(tx, field, call, body.clone()).await
        })
        .await?;
    Ok(Reply::ok(FieldResponse { field }).etag_of_body())
}

/// With `If-Match` only if the field's `ETag` matches.
async fn delete(app: App, request: Request<CardDelete, DeleteField>) -> Result<Reply<DeleteFieldResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &request.path.target(), async |tx, field| {
            wire::check_if_match(
                expected.as_ref(),
                &FieldResponse { field: custom_fields::get(tx, field).await? },
            )?;
            custom_fields::delete(tx, field, call).await
        })
        .await?;
    Ok(Reply::ok(DeleteFieldResponse { deleted: true, field_id: request.path.field_id }))
}
