//! Cards of an import, many in few statements.

use std::collections::{BTreeSet, HashMap, HashSet};

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::{card_sources, cards};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, TagId, UserId};
use domain::planning::card::{CardFields, CardState, NewCard};
use domain::planning::custom_field::FieldValues;
use domain::planning::history::{FieldChanges, HistoryHead, HistoryKind};
use domain::planning::import::{ImportNote, ImportTool, ImportedCard};
use domain::time::Timestamp;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::cards::creation;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::keys;
use crate::resources::planning::imports::exact::{self, ExactCards, LaterParts};
use crate::resources::planning::imports::notes::note;
use crate::resources::planning::imports::parts::{CommentRows, LineRows};
use crate::resources::planning::imports::people::Members;
use crate::resources::planning::imports::tags::{CardTag, Tags};
use crate::resources::planning::imports::values::ImportedFields;
use crate::resources::store::Tx;

/// The result of making cards.
#[derive(Debug, Default)]
pub(super) struct MadeCards {
    pub(super) created: usize,
    pub(super) existing: usize,
    pub(super) notes: Vec<ImportNote>,
}

/// A new card with the record that it was made of.
struct WholeCard<'a> {
    state: &'a CardState,
    card: &'a ImportedCard,
    later: &'a LaterParts,
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
    let mut exact = ExactCards::of(tx, project, &new).await?;
    let parents = held(tx, new.iter().filter_map(|card| known.get(card.parent.as_ref()?)).copied()).await?;
    let fields = ImportedFields::of(tx, project, &new).await?;
    let losing = fields.losing(&new, &members, &mut made.notes);
    let new: Vec<&ImportedCard> =
        new.into_iter().map(|card| losing.get(&card.source_id).unwrap_or(card)).collect();
    let mut new_cards = Vec::with_capacity(new.len());
    let mut later = Vec::with_capacity(new.len());
    for card in &new {
        let parent = card.parent.as_ref().and_then(|parent| known.get(parent)).copied();
        let parent = parent.filter(|parent| parents.contains(parent));
        if let (Some(lost), None) = (&card.parent, parent) {
            made.notes.push(note(card, "Parent", lost, "the parent's card was deleted here; left out"));
        }
        let tags = tags.of_card(card, &mut made.notes);
        let assignees = exact.assignees(card, &members, &mut made.notes);
        let mut new_card = new_card(card, parent, assignees.as_slice().first().copied(), &tags);
        new_card.number = exact.number(card, &mut made.notes);
        new_card.fields.fields = match card.exact {
            Some(_) => exact.values(card, &members, &mut made.notes),
            None => fields.of_card(card, &members),
        };
        new_cards.push(new_card);
        later.push(LaterParts { tags, assignees });
    }
    let created =
        creation::create_without_mentions(tx, project, call, &new_cards.iter().collect::<Vec<_>>()).await?;
    let created: Vec<CardState> = created.into_iter().map(history::Recorded::into_value).collect();
    let whole = created.iter().zip(&new).zip(&later);
    let whole: Vec<WholeCard<'_>> =
        whole.map(|((state, card), later)| WholeCard { state, card, later }).collect();
    settle(tx, project, call, &members, &whole).await?;
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
    tags: &[CardTag],
) -> NewCard {
    let tags: Vec<TagId> = tags.iter().filter(|tag| tag.is_active).map(|tag| tag.id).collect();
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
    NewCard {
        fields,
        assignee,
        tags,
        tag_positions,
        // A card of another tool is as it was there.
        checklist: Some(Vec::new()),
        takes_description: false,
        field_inputs: None,
        number: None,
    }
}

/// The rest of new cards: comments, lines, the end of closed ones, and the times and authors that the file has.
async fn settle(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    members: &Members,
    cards: &[WholeCard<'_>],
) -> Result<()> {
    let (mut entries, mut comments, mut lines) = (Vec::new(), CommentRows::default(), LineRows::default());
    for WholeCard { state, card, later } in cards {
        let id = state.card.id;
        entries.extend(later.entries(id));
        entries.extend(comments.add(id, card, members, call));
        entries.extend(lines.add(id, card, call)?);
        if !card.is_open {
            let closed = FieldChanges::none().and("is_open", true, false);
            entries.push(Entry::new(id, HistoryKind::Closed, closed));
        }
    }
    let mut heads: HashMap<CardId, HistoryHead> =
        cards.iter().map(|card| (card.state.card.id, card.state.head)).collect();
    if !entries.is_empty() {
        let written = history::append(tx, call, project.record.id, &entries).await?;
        heads.extend(entries.iter().map(|entry| entry.card).zip(written));
    }
    comments.insert(tx).await?;
    lines.insert(tx).await?;
    let added = cards.iter().map(|card| (card.state.card.id, card.later));
    exact::add_later_parts(tx, call, added.filter(|(_, later)| later.is_needed())).await?;
    let head = |state: &CardState| heads.get(&state.card.id).copied().unwrap_or(state.head);
    let count = |count: usize| i32::try_from(count).map_err(Error::internal);
    let totals: Result<Vec<i32>> = cards.iter().map(|whole| count(whole.card.checklist.len())).collect();
    let done = |card: &ImportedCard| card.checklist.iter().filter(|line| line.is_done).count();
    let done = cards.iter().map(|whole| count(done(whole.card)));
    let done: Result<Vec<i32>> = done.collect();
    // No card is older than the file says, or younger than now.
    let time = |time: Option<Timestamp>| time.unwrap_or(call.now).min(call.now).0;
    let closed_at = |card: &ImportedCard| (!card.is_open).then(|| time(card.closed_at));
    let author = |card: &ImportedCard| members.author(card.author.as_ref()).unwrap_or(project.user).0;
    let written = Statement::new(include_str!("settle.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.state.card.id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| head(card.state).id.0).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(cards.iter().map(|card| head(card.state).sequence.0).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(
            cards.iter().map(|whole| time(whole.card.created_at)).collect::<Vec<_>>(),
        )
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|whole| author(whole.card)).collect::<Vec<_>>())
        .bind::<Array<Nullable<Timestamptz>>, _>(
            cards.iter().map(|whole| closed_at(whole.card)).collect::<Vec<_>>(),
        )
        .bind::<Array<Integer>, _>(totals?)
        .bind::<Array<Integer>, _>(done?)
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a new card is gone")) }
}
