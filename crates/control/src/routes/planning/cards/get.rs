//! Read a card.

use api::planning::cards::{CardResponse, GetCard, GetCardResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::{objects, parents, relations, view};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::card_names;

/// Reads a card with its history head, its linked objects, its relations and the progress of its children.
pub async fn handle(app: App, request: Request<CardRead, GetCard>) -> Result<TaggedReply<GetCardResponse>> {
    let call = &request.call;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let (shown, object_ids, relations, children) = app
        .store
        .read(call, &at, async |tx, card| {
            let shown = view::card(tx, call, card.state.clone(), None).await?;
            let (objects, relations) =
                (objects::list(tx, card).await?, relations::list(tx, card, call).await?);
            Ok((shown, objects, relations, parents::progress(tx, card).await?))
        })
        .await?;
    let CardResponse { card, history_head_id, history_head_sequence, index_card } = CardResponse::from(shown);
    let etag = if relations.is_empty() && children.total == 0 {
        ETag::strong(&history_head_id.to_string())
    } else {
        // Other cards changed without this one.
        let others = ETag::of_json(&(&relations, &children))?;
        ETag::strong(&format!("{history_head_id}.{}", others.as_str().trim_matches('"')))
    };
    let answer = GetCardResponse {
        card,
        history_head_id,
        history_head_sequence,
        index_card,
        object_ids,
        relations,
        children,
    };
    Ok(Reply::ok(answer).etag(etag))
}
