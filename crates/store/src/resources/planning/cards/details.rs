//! A card with all that belongs to it.

use auth::actor::CardRead;
use domain::Result;
use domain::id::ObjectId;
use domain::planning::attachment::CardAttachment;
use domain::planning::card::ShownCard;
use domain::planning::mention::MentionedUser;
use domain::planning::relation::{CardRelation, ChildrenProgress, RelatedCard};

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::reachable;
use crate::resources::planning::cards::{attachments, mentions, objects, parents, relations, view};
use crate::resources::store::Tx;

/// A card as the caller sees it, now or at a moment of the past.
#[derive(Debug)]
pub struct CardDetails {
    /// The card.
    pub shown: ShownCard,
    /// The objects that it is linked to.
    pub object_ids: Vec<ObjectId>,
    /// Its files.
    pub attachments: Vec<CardAttachment>,
    /// Its relations to cards that the caller sees.
    pub relations: Vec<CardRelation>,
    /// The card of which it is a part, if the caller sees it.
    pub parent: Option<RelatedCard>,
    /// The cards below it that the caller sees.
    pub children: ChildrenProgress,
    /// The users whom its texts mention.
    pub mentions: Vec<MentionedUser>,
}

/// The card as it is now.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(tx: &mut Tx, card: &Card<CardRead>, call: &Call<CardRead>) -> Result<CardDetails> {
    let connected = reachable::connected(tx, call, card.project.record.id).await?;
    let shown = view::card(tx, call, card.state.clone(), None).await?;
    let mut relations = relations::of_cards(tx, &[card.id()], &connected).await?;
    Ok(CardDetails {
        object_ids: objects::list(tx, card).await?,
        attachments: attachments::list(tx, card).await?,
        relations: relations.remove(&card.id()).unwrap_or_default(),
        parent: parents::brief(tx, shown.card().fields.parent_id).await?,
        children: parents::progress(tx, card, &connected).await?,
        mentions: mentions::list(tx, card).await?,
        shown,
    })
}
