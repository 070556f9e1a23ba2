//! Read a card.

use api::planning::cards::{CardResponse, GetCard, GetCardResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::{attachments, mentions, objects, parents, relations, view};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::card_names;

/// Reads a card with its history head, its linked objects, its attachments, its relations, the progress of its children
/// and the users whom it mentions.
pub async fn handle(app: App, request: Request<CardRead, GetCard>) -> Result<TaggedReply<GetCardResponse>> {
    let call = &request.call;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let (shown, (object_ids, attachments), relations, (children, mentions)) = app
        .store
        .read(call, &at, async |tx, card| {
            let shown = view::card(tx, call, card.state.clone(), None).await?;
            let linked = (objects::list(tx, card).await?, attachments::list(tx, card).await?);
            let relations = relations::list(tx, card, call).await?;
            let without_head = (parents::progress(tx, card).await?, mentions::list(tx, card).await?);
            Ok((shown, linked, relations, without_head))
        })
        .await?;
    let CardResponse { card, history_head_id, history_head_sequence, index_card } = CardResponse::from(shown);
    let etag = if relations.is_empty() && children.total == 0 && mentions.is_empty() {
        ETag::strong(&history_head_id.to_string())
    } else {
        // Other cards, and the members of the project, change without this one.
        let others = ETag::of_json(&(&relations, &children, &mentions))?;
        ETag::strong(&format!("{history_head_id}.{}", others.as_str().trim_matches('"')))
    };
    let answer = GetCardResponse {
        card,
        history_head_id,
        history_head_sequence,
        index_card,
        object_ids,
        attachments,
        relations,
        children,
        mentions,
    };
    Ok(Reply::ok(answer).etag(etag))
}
