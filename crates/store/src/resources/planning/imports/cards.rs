//! Cards of an import, many in few statements.

use std::collections::{BTreeSet, HashMap, HashSet};

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::{card_sources, cards};
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ChecklistItemId, CommentId, TagId, UserId};
use domain::planning::card::{CardFields, CardState, NewCard};
use domain::planning::checklist::ChecklistItem;
use domain::planning::custom_field::FieldValues;
use domain::planning::history::{CHECKLIST_ITEM, FieldChanges, HistoryHead, HistoryKind};
use domain::planning::import::{ImportNote, ImportTool, ImportedCard};
use domain::position::Position;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::cards::comments::comment_value;
use crate::resources::planning::cards::creation;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::keys;
use crate::resources::planning::imports::people::Members;
use crate::resources::planning::imports::tags::Tags;
use crate::resources::planning::imports::values::ImportedFields;
use crate::resources::store::Tx;

/// The result of making cards.
#[derive(Debug, Default)]
pub(super) struct MadeCards {
    pub(super) created: usize,
    pub(super) existing: usize,
    pub(super) notes: Vec<ImportNote>,
}

/// Makes the cards that no earlier import has made. They need nothing of each other.
pub(super) async fn make(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    tool: ImportTool,
    cards: &[&ImportedCard],
) -> Result<MadeCards> {
    if cards.is_empty() {
        return Ok(MadeCards::default());
    }
    // Another import into the project may be making the same cards.
    keys::hold_counter(tx, project.record.id).await?;
    let ids = cards.iter().flat_map(|card| [Some(&card.source_id), card.parent.as_ref()]).flatten();
    let known = by_source(tx, project, tool, ids.map(String::as_str).collect()).await?;
    let new: Vec<&ImportedCard> =
        cards.iter().copied().filter(|card| !known.contains_key(&card.source_id)).collect();
    let mut made = MadeCards { created: new.len(), existing: cards.len() - new.len(), notes: Vec::new() };
    if new.is_empty() {
        return Ok(made);
    }
    let members = Members::of(tx, project, &new).await?;
    // Tags come before cards in the order of locks, as in the deletion of a tag.
    let tags = Tags::of(tx, project, call, &new).await?;
    let parents = held(tx, new.iter().filter_map(|card| known.get(card.parent.as_ref()?)).copied()).await?;
    let fields = ImportedFields::of(tx, project, &new).await?;
    let losing = fields.losing(&new, &members, &mut made.notes);
    let new: Vec<&ImportedCard> =
        new.into_iter().map(|card| losing.get(&card.source_id).unwrap_or(card)).collect();
    let new_cards: Vec<NewCard> = new
        .iter()
        .map(|card| {
            let parent = card.parent.as_ref().and_then(|parent| known.get(parent)).copied();
            let parent = parent.filter(|parent| parents.contains(parent));
            if let (Some(lost), None) = (&card.parent, parent) {
                made.notes.push(ImportNote {
                    line: None,
                    issue: Some(card.source_key.clone()),
                    field: "Parent".to_owned(),
                    value: lost.clone(),
                    reason: "the parent's card was deleted here; left out".to_owned(),
                });
            }
            let tags = card.tags.iter().filter_map(|tag| tags.find(tag, card, &mut made.notes)).collect();
            let mut new = new_card(card, parent, members.find(card.assignee.as_ref()), tags);
            new.fields.fields = fields.of_card(card, &members);
            new
        })
        .collect();
    let created =
        creation::create_without_mentions(tx, project, call, &new_cards.iter().collect::<Vec<_>>()).await?;
    let created: Vec<CardState> = created.into_iter().map(history::Recorded::into_value).collect();
    settle(tx, project, call, &members, &created.iter().zip(&new).collect::<Vec<_>>()).await?;
    let rows = created.iter().zip(&new).map(|(made, card)| {
        (
            card_sources::project_id.eq(project.record.id.0),
            card_sources::tool.eq(tool.as_str()),
            card_sources::source_id.eq(&card.source_id),
            card_sources::card_id.eq(made.card.id.0),
            card_sources::source_key.eq(&card.source_key),
        )
    });
    diesel::insert_into(card_sources::table)
        .values(rows.collect::<Vec<_>>())
        // Of two long ids with one beginning the first card is known again.
        .on_conflict_do_nothing()
        .execute(tx)
        .await?;
    Ok(made)
}

/// The cards that were made of issues, by the issues' ids.
pub(super) async fn by_source(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    tool: ImportTool,
    ids: Vec<&str>,
) -> Result<HashMap<String, CardId>> {
    let rows: Vec<(String, Uuid)> = card_sources::table
        .filter(card_sources::project_id.eq(project.record.id.0))
        .filter(card_sources::tool.eq(tool.as_str()))
        .filter(card_sources::source_id.eq_any(ids))
        .select((card_sources::source_id, card_sources::card_id))
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|(source, card)| (source, CardId(card))).collect())
}

/// Those of the cards that are still there. Until the transaction ends, nobody deletes them.
async fn held(tx: &mut Tx, ids: impl Iterator<Item = CardId>) -> Result<HashSet<CardId>> {
    let ids: BTreeSet<Uuid> = ids.map(|id| id.0).collect();
    let found: Vec<Uuid> = cards::table
        .filter(cards::id.eq_any(ids))
        .order(cards::id)
        .select(cards::id)
        .for_key_share()
        .load(tx)
        .await?;
    Ok(found.into_iter().map(CardId).collect())
}

fn new_card(
    card: &ImportedCard,
    parent: Option<CardId>,
    assignee: Option<UserId>,
    tags: Vec<TagId>,
) -> NewCard {
    let fields = CardFields {
        name: card.name.clone(),
        parent_id: parent,
        fields: FieldValues::default(),
        description: card.description.clone(),
        resolution: card.resolution.clone(),
        effort: card.effort,
        priority: card.priority,
        card_type: card.card_type.clone(),
        start_date: card.start_date,
        deadline: card.deadline,
    };
    let tag_positions = (0..tags.len()).collect();
    NewCard { field_inputs: None, fields, assignee, tags, tag_positions }
}

/// The rest of new cards: comments, lines, the end of closed ones, and the times and authors that the file has.
async fn settle(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    members: &Members,
    cards: &[(&CardState, &&ImportedCard)],
) -> Result<()> {
    let (mut entries, mut comments, mut lines) = (Vec::new(), CommentRows::default(), LineRows::default());
    for (state, card) in cards {
        let id = state.card.id;
        entries.extend(comments.add(id, card, members, call));
        entries.extend(lines.add(id, card, call)?);
        if !card.is_open {
            let closed = FieldChanges::none().and("is_open", true, false);
            entries.push(Entry::new(id, HistoryKind::Closed, closed));
        }
    }
    let mut heads: HashMap<CardId, HistoryHead> =
        cards.iter().map(|(state, _)| (state.card.id, state.head)).collect();
    if !entries.is_empty() {
        let written = history::append(tx, call, project.record.id, &entries).await?;
        heads.extend(entries.iter().map(|entry| entry.card).zip(written));
    }
    comments.insert(tx).await?;
    lines.insert(tx).await?;
    let head = |state: &CardState| heads.get(&state.card.id).copied().unwrap_or(state.head);
    let count = |count: usize| i32::try_from(count).map_err(Error::internal);
    let totals: Result<Vec<i32>> = cards.iter().map(|(_, card)| count(card.checklist.len())).collect();
    let done = cards.iter().map(|(_, card)| count(card.checklist.iter().filter(|line| line.is_done).count()));
    let done: Result<Vec<i32>> = done.collect();
    // No card is older than the file says, or younger than now.
    let time = |time: Option<Timestamp>| time.unwrap_or(call.now).min(call.now).0;
    let closed_at = |card: &ImportedCard| (!card.is_open).then(|| time(card.closed_at));
    let author = |card: &ImportedCard| members.author(card.author.as_ref()).unwrap_or(project.user).0;
    let written = Statement::new(include_str!("settle.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(state, _)| state.card.id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(state, _)| head(state).id.0).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(cards.iter().map(|(state, _)| head(state).sequence.0).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(
            cards.iter().map(|(_, card)| time(card.created_at)).collect::<Vec<_>>(),
        )
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(_, card)| author(card)).collect::<Vec<_>>())
        .bind::<Array<Nullable<Timestamptz>>, _>(
            cards.iter().map(|(_, card)| closed_at(card)).collect::<Vec<_>>(),
        )
        .bind::<Array<Integer>, _>(totals?)
        .bind::<Array<Integer>, _>(done?)
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a new card is gone")) }
}

/// Comments to insert.
#[derive(Default)]
struct CommentRows {
    ids: Vec<Uuid>,
    cards: Vec<Uuid>,
    authors: Vec<Uuid>,
    bodies: Vec<String>,
    times: Vec<OffsetDateTime>,
}

impl CommentRows {
    fn add(
        &mut self,
        id: CardId,
        card: &ImportedCard,
        members: &Members,
        call: &Call<CardWrite>,
    ) -> Vec<Entry> {
        // Comments are listed in the order of their ids.
        let mut ids: Vec<CommentId> = card.comments.iter().map(|_| CommentId::new(call.now)).collect();
        ids.sort_unstable();
        let mut entries = Vec::with_capacity(ids.len());
        for (comment, made) in ids.into_iter().zip(&card.comments) {
            let created = FieldChanges::of_element("comment", None, Some(comment_value(comment, &made.body)));
            entries.push(Entry::new(id, HistoryKind::Commented, created));
            self.ids.push(comment.0);
            self.cards.push(id.0);
            self.authors.push(members.author(made.author.as_ref()).unwrap_or(call.actor.user).0);
            self.bodies.push(made.body.as_str().to_owned());
            self.times.push(made.created_at.unwrap_or(call.now).min(call.now).0);
        }
        entries
    }

    async fn insert(self, tx: &mut Tx) -> Result<()> {
        if !self.ids.is_empty() {
            Statement::new(include_str!("comments.sql"))
                .bind::<Array<SqlUuid>, _>(self.ids)
                .bind::<Array<SqlUuid>, _>(self.cards)
                .bind::<Array<SqlUuid>, _>(self.authors)
                .bind::<Array<Text>, _>(self.bodies)
                .bind::<Array<Timestamptz>, _>(self.times)
                .execute(tx)
                .await?;
        }
        Ok(())
    }
}

/// Lines of checklists to insert.
#[derive(Default)]
struct LineRows {
    ids: Vec<Uuid>,
    cards: Vec<Uuid>,
    positions: Vec<String>,
    texts: Vec<String>,
    done: Vec<bool>,
    times: Vec<OffsetDateTime>,
}

impl LineRows {
    fn add(&mut self, id: CardId, card: &ImportedCard, call: &Call<CardWrite>) -> Result<Vec<Entry>> {
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

    async fn insert(self, tx: &mut Tx) -> Result<()> {
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
