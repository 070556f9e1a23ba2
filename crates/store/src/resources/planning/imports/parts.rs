//! Comments and lines of checklists of imported cards.

use auth::actor::CardWrite;
use database::prelude::*;
use diesel::sql_types::{Array, Bool, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ChecklistItemId, CommentId, UserId};
use domain::planning::checklist::ChecklistItem;
use domain::planning::history::{CHECKLIST_ITEM, FieldChanges, HistoryKind};
use domain::planning::import::{ImportedCard, ImportedComment};
use domain::position::Position;
use domain::{Error, Result};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::resources::planning::cards::comments::comment_value;
use crate::resources::planning::cards::history::Entry;
use crate::resources::planning::imports::people::Members;
use crate::resources::store::Tx;

/// Comments to insert.
#[derive(Default)]
pub(super) struct CommentRows {
    ids: Vec<Uuid>,
    cards: Vec<Uuid>,
    authors: Vec<Uuid>,
    bodies: Vec<String>,
    times: Vec<OffsetDateTime>,
    changes: Vec<OffsetDateTime>,
}

impl CommentRows {
    /// Adds those of a card; returns their history. An author who is found has written the text alone.
    pub(super) fn add(
        &mut self,
        id: CardId,
        card: &ImportedCard,
        members: &Members,
        call: &Call<CardWrite>,
    ) -> Vec<Entry> {
        let written: Vec<(&ImportedComment, Option<UserId>)> = card
            .comments
            .iter()
            .map(|comment| (comment, members.author(comment.author.as_ref())))
            .filter(|(comment, author)| author.is_none() || !comment.is_signature)
            .collect();
        // Comments are listed in the order of their ids.
        let mut ids: Vec<CommentId> = written.iter().map(|_| CommentId::new(call.now)).collect();
        ids.sort_unstable();
        let mut entries = Vec::with_capacity(ids.len());
        for (comment, (made, author)) in ids.into_iter().zip(written) {
            let own = made.own_body.as_ref().filter(|_| author.is_some());
            let body = own.unwrap_or(&made.body);
            let created_at = made.created_at.unwrap_or(call.now).min(call.now);
            let created = FieldChanges::of_element("comment", None, Some(comment_value(comment, body)));
            entries.push(Entry::new(id, HistoryKind::Commented, created));
            self.ids.push(comment.0);
            self.cards.push(id.0);
            self.authors.push(author.unwrap_or(call.actor.user).0);
            self.bodies.push(body.as_str().to_owned());
            self.times.push(created_at.0);
            self.changes.push(made.updated_at.unwrap_or(created_at).min(call.now).0);
        }
        entries
    }

    /// Writes them.
    pub(super) async fn insert(self, tx: &mut Tx) -> Result<()> {
        if !self.ids.is_empty() {
            Statement::new(include_str!("comments.sql"))
                .bind::<Array<SqlUuid>, _>(self.ids)
                .bind::<Array<SqlUuid>, _>(self.cards)
                .bind::<Array<SqlUuid>, _>(self.authors)
                .bind::<Array<Text>, _>(self.bodies)
                .bind::<Array<Timestamptz>, _>(self.times)
                .bind::<Array<Timestamptz>, _>(self.changes)
                .execute(tx)
                .await?;
        }
        Ok(())
    }
}

/// Lines of checklists to insert.
#[derive(Default)]
pub(super) struct LineRows {
    ids: Vec<Uuid>,
    cards: Vec<Uuid>,
    positions: Vec<String>,
    texts: Vec<String>,
    done: Vec<bool>,
    times: Vec<OffsetDateTime>,
}

impl LineRows {
    /// Adds those of a card; returns their history.
    pub(super) fn add(
        &mut self,
        id: CardId,
        card: &ImportedCard,
        call: &Call<CardWrite>,
    ) -> Result<Vec<Entry>> {
        let mut before: Option<Position> = None;
        let mut entries = Vec::with_capacity(card.checklist.len());
        for line in &card.checklist {
            let position = Position::between(before.as_ref(), None)
                .ok_or_else(|| Error::internal("a checklist has no more places"))?;
            let item = ChecklistItem {
                id: ChecklistItemId::new(call.now),
                text: line.text.clone(),
                is_done: line.is_done,
            };
            self.ids.push(item.id.0);
            self.cards.push(id.0);
            self.positions.push(position.as_str().to_owned());
            self.texts.push(item.text.as_str().to_owned());
            self.done.push(item.is_done);
            self.times.push(call.now.0);
            before = Some(position);
            let added = FieldChanges::of_element(CHECKLIST_ITEM, None, Some(json!(item)));
            entries.push(Entry::new(id, HistoryKind::Updated, added));
        }
        Ok(entries)
    }

    /// Writes them.
    pub(super) async fn insert(self, tx: &mut Tx) -> Result<()> {
        if !self.ids.is_empty() {
            Statement::new(include_str!("lines.sql"))
                .bind::<Array<SqlUuid>, _>(self.ids)
                .bind::<Array<SqlUuid>, _>(self.cards)
                .bind::<Array<Text>, _>(self.positions)
                .bind::<Array<Text>, _>(self.texts)
                .bind::<Array<Bool>, _>(self.done)
                .bind::<Array<Timestamptz>, _>(self.times)
                .execute(tx)
                .await?;
        }
        Ok(())
    }
}
