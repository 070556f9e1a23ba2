//! The types of cards that a project defines.

use api::planning::card_types::{
    CardTypeResponse, CreateCardType, DeleteCardType, DeleteCardTypeResponse, GetCardType, ListCardTypes,
    ListCardTypesResponse, UpdateCardType,
};
use auth::actor::{CardDelete, CardRead, CardWrite};
use domain::Result;
use store::planning::card_types;
use wire::{Endpoint, Reply, Request, TaggedCreated, TaggedReply, endpoint};

use crate::app::App;
use crate::routes::target::PathTarget;

/// The endpoints of types of cards.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list), endpoint(create), endpoint(get), endpoint(update), endpoint(delete)]
}

async fn list(app: App, request: Request<CardRead, ListCardTypes>) -> Result<Reply<ListCardTypesResponse>> {
    let list =
        async |tx: &mut store::Tx, project: &store::Project<CardRead>| card_types::list(tx, project).await;
    let card_types = app.store.read(&request.call, &request.path.project_id, list).await?;
    Ok(Reply::ok(ListCardTypesResponse { card_types }))
}

async fn create(
    app: App,
    request: Request<CardWrite, CreateCardType>,
) -> Result<TaggedCreated<CardTypeResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let created = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            card_types::create(tx, project, call, body.clone()).await
        })
        .await?;
    Ok(Reply::created(created.map(|card_type| CardTypeResponse { card_type })).etag_of_body())
}

async fn get(app: App, request: Request<CardRead, GetCardType>) -> Result<TaggedReply<CardTypeResponse>> {
    let get = async |tx: &mut store::Tx, defined: &_| card_types::get(tx, defined).await;
    let card_type = app.store.read(&request.call, &request.path.target(), get).await?;
    Ok(Reply::ok(CardTypeResponse { card_type }).etag_of_body())
}

/// A merge patch: absent properties stay, and `null` clears. With `If-Match` only if the type's `ETag` matches.
async fn update(
    app: App,
    request: Request<CardWrite, UpdateCardType>,
) -> Result<TaggedReply<CardTypeResponse>> {
    let (call, body) = (&request.call, &request.body.0);
    let expected = request.head.if_match()?;
    let card_type = app
        .store
        .mutate(call, &request.path.target(), async |tx, defined| {
            let before = CardTypeResponse { card_type: card_types::get(tx, defined).await? };
            wire::check_if_match(expected.as_ref(), &before)?;
            card_types::update(tx, defined, call, body.clone()).await
        })
        .await?;
    Ok(Reply::ok(CardTypeResponse { card_type }).etag_of_body())
}

/// With `If-Match` only if the type's `ETag` matches.
async fn delete(
    app: App,
    request: Request<CardDelete, DeleteCardType>,
) -> Result<Reply<DeleteCardTypeResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &request.path.target(), async |tx, defined| {
            let before = CardTypeResponse { card_type: card_types::get(tx, defined).await? };
            wire::check_if_match(expected.as_ref(), &before)?;
            card_types::delete(tx, defined, call).await
        })
        .await?;
    Ok(Reply::ok(DeleteCardTypeResponse { deleted: true, card_type_id: request.path.card_type_id }))
}
