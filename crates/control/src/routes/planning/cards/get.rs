//! Read a card, as it is or as it was.

use api::planning::cards::{CardResponse, GetCard, GetCardResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::planning::past::PastMoment;
use domain::time::Timestamp;
use store::planning::cards::details::{self, CardDetails};
use store::planning::past;
use store::{Call, CardRef};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::card_names;

/// Reads a card with its history head, its linked objects, its attachments, its relations, its parent, the progress of its
/// children and the users whom it mentions: now, or at a moment of the past.
pub async fn handle(app: App, request: Request<CardRead, GetCard>) -> Result<TaggedReply<GetCardResponse>> {
    let call = &request.call;
    let named = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let details = match request.query.at {
        None => app.store.read(call, &named, async |tx, card| details::get(tx, card, call).await).await?,
        Some(at) => past_card(&app, call, &named, at).await?,
    };
    let CardDetails { shown, object_ids, attachments, relations, parent, children, mentions } = details;
    let CardResponse { card, history_head_id, history_head_sequence, index_card } = CardResponse::from(shown);
    let etag = if relations.is_empty() && parent.is_none() && children.total == 0 && mentions.is_empty() {
        ETag::strong(&history_head_id.to_string())
    } else {
        // Other cards, and the members of the project, change without this one.
        let others = ETag::of_json(&(&relations, &parent, &children, &mentions))?;
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
        parent,
        children,
        mentions,
    };
    Ok(Reply::ok(answer).etag(etag))
}

/// The card as it was. It may be deleted now, so the project alone decides on access.
async fn past_card(app: &App, call: &Call<CardRead>, named: &CardRef, at: Timestamp) -> Result<CardDetails> {
    let at = PastMoment::new(at, call.now)?;
    let read = app.store.read(call, &named.project, async |tx, project| {
        past::cards::get(tx, project, call, named.card, at).await
    });
    read.await
}
