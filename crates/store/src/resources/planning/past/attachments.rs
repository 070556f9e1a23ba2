//! Attachments of a card at a moment. The history has what they were; the bytes of a removed one may be gone.

use std::collections::HashMap;

use database::prelude::*;
use database::schema::users;
use domain::Result;
use domain::content::object::Sha256Hash;
use domain::id::{AttachmentId, UserId};
use domain::planning::attachment::CardAttachment;
use domain::planning::history::ATTACHMENT;
use domain::text::Name;
use serde::Deserialize;
use uuid::Uuid;

use crate::resources::planning::cards::attachments;
use crate::resources::planning::past::values::{PastCard, PastValue};
use crate::resources::store::Tx;

/// The attachments of a card at a moment, oldest first. One is left out that was removed when the history didn't have
/// its media type and hash.
pub(super) async fn list(tx: &mut Tx, card: &PastCard) -> Result<Vec<CardAttachment>> {
    let then: Vec<&PastValue> = card.elements(ATTACHMENT).collect();
    if then.is_empty() {
        return Ok(Vec::new());
    }
    let now = attachments::of_card(tx, card.id).await?;
    let mut now: HashMap<AttachmentId, CardAttachment> =
        now.into_iter().map(|attachment| (attachment.id, attachment)).collect();
    let names = author_names(tx, &then).await?;
    let mut found = Vec::with_capacity(then.len());
    for value in then {
        let told: ToldAttachment = value.read()?;
        match now.remove(&told.id) {
            Some(attachment) => found.push(attachment),
            None => found.extend(told.attachment(value, &names)),
        }
    }
    found.sort_by_key(|attachment| attachment.id);
    Ok(found)
}

async fn author_names(connection: &Connection, values: &[&PastValue]) -> Result<HashMap<Uuid, String>> {
    let rows: Vec<(Uuid, String)> = users::table
        .filter(users::id.eq_any(values.iter().map(|value| value.actor.0).collect::<Vec<_>>()))
        .select((users::id, users::display_name))
        .load(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// An attachment as the history tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldAttachment {
    id: AttachmentId,
    name: Name,
    size: u64,
    mime_type: Option<String>,
    sha256: Option<Sha256Hash>,
}

impl ToldAttachment {
    /// The attachment, whose row of the history names its author and its time.
    fn attachment(self, row: &PastValue, names: &HashMap<Uuid, String>) -> Option<CardAttachment> {
        let UserId(author) = row.actor;
        Some(CardAttachment {
            id: self.id,
            name: self.name,
            size: self.size,
            mime_type: self.mime_type?,
            sha256: self.sha256?,
            author_id: row.actor,
            author_display_name: names.get(&author).cloned().unwrap_or_default(),
            created_at: row.since,
        })
    }
}
