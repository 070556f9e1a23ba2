//! Creation of cards, in batches under load.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use auth::actor::CardWrite;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Jsonb, Text, Uuid as SqlUuid};
use domain::content::project::ProjectRef;
use domain::id::{CardId, ChecklistItemId};
use domain::key::{CardKey, ProjectKey};
use domain::planning::card::{
    BoardHeads, Boards, CardFields, CardRecord, CardState, NewCard, ShownCard, search_text,
};
use domain::planning::card_type::CardTypeDefinition;
use domain::planning::checklist::{ChecklistCount, ChecklistItem, ChecklistText};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::relation::FarParent;
use domain::position::Position;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::join;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::{Call, Outcome};
use crate::access::project::Project;
use crate::access::rows::card;
use crate::resources::planning::card_types;
use crate::resources::planning::cards::assignees::{self, MembershipRow, NEW_ASSIGNEE};
use crate::resources::planning::cards::history::{self, Entry, InsertedHistory, Recorded};
use crate::resources::planning::cards::parents::far;
use crate::resources::planning::cards::{checklist, mentions, parents, tags, view};
use crate::resources::planning::custom_fields::values;
use crate::resources::store::card_batch::CardItem;
use crate::resources::store::{Store, Tx};

impl Store {
    /// Creates a card with its assignment, tags, lines and a history row for each, at most once for the call's idempotency
    /// key. Calls with keys by one credential to one project are batched.
    ///
    /// # Errors
    /// Those of [`Store::create`]; `ASSIGNEE_NOT_MEMBER`; `INVALID_REQUEST` if a tag isn't an active one of the project.
    pub async fn create_card(
        &self,
        call: Call<CardWrite>,
        project: ProjectRef,
        new: NewCard,
    ) -> Result<Outcome<ShownCard>> {
        if call.idempotency.is_none() {
            // A batch may be repeated, which only a key makes safe.
            let create = async |tx: &mut Tx, project: &Project<CardWrite>| {
                create(tx, project, &call, &new).await?.shown(tx, &call).await
            };
            return self.create(&call, &project, create).await;
        }
        let queue = (project.project, call.actor.user);
        let item = Arc::new(CardItem { call, project, new });
        self.card_batcher.submit(queue, item, async |items| self.create_cards(items).await).await
    }

    /// Creates the cards of compatible items in one transaction, all of them or none.
    async fn create_cards(&self, items: &[&CardItem]) -> Result<Vec<Outcome<ShownCard>>> {
        let Some(CardItem { call, project, .. }) = items.first() else { return Ok(Vec::new()) };
        let (calls, new): (Vec<_>, Vec<_>) = items.iter().map(|item| (&item.call, &item.new)).unzip();
        let create = async |tx: &mut Tx, project: &Project<CardWrite>| {
            let created = create_all(tx, project, call, &new).await?;
            view::cards(tx, call, created.into_iter().map(Recorded::into_value).collect()).await
        };
        self.create_batch(&calls, project, create).await
    }
}

/// Creates a card with its assignment, tags and lines, and a history row for each.
///
/// # Errors
/// `ASSIGNEE_NOT_MEMBER`; `INVALID_REQUEST` if a tag isn't an active one of the project, or if the parent isn't a card that
/// the caller sees, of the project's owner, or already on the last level.
pub(super) async fn create(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewCard,
) -> Result<Recorded<CardState>> {
    let created = create_all(tx, project, call, &[new]).await?;
    created.into_iter().next().ok_or_else(missing_card)
}

/// Creates cards, all of them or none, and returns them in their order. An error means that the transaction must be
/// rolled back.
///
/// # Errors
/// Those of [`create`].
pub(super) async fn create_all(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &[&NewCard],
) -> Result<Vec<Recorded<CardState>>> {
    let created = create_without_mentions(tx, project, call, new).await?;
    mentions::note_new(tx, project, call, &created).await?;
    Ok(created)
}

/// As [`create_all`], but texts mention nobody: they were written elsewhere. One statement checks what the cards refer
/// to and writes them.
///
/// # Errors
/// Those of [`create`].
pub(in crate::resources::planning) async fn create_without_mentions(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &[&NewCard],
) -> Result<Vec<Recorded<CardState>>> {
    let far_parents = parents::require_for_new(tx, project, call, new).await?;
    let mut ids: Vec<CardId> = new.iter().map(|_| CardId::new(call.now)).collect();
    ids.sort_unstable();
    let (definitions, types) =
        join(values::definitions_for_new(tx, project, new), card_types::of_new(tx, project, new)).await;
    let (definitions, types) = (definitions?, types?);
    let fields = values::of_new(tx, project, &definitions, new).await?;
    let cards = ids.into_iter().zip(new).zip(fields);
    let cards: Vec<Draft<'_>> =
        cards.map(|((id, new), fields)| Draft::of(id, call.now, (new, fields), &types)).collect();
    let cards: Vec<Draft<'_>> = cards.into_iter().map(|card| card.below(&far_parents)).collect();
    let below: Vec<(CardId, FarParent)> =
        cards.iter().filter_map(|card| Some((card.id, card.far_parent?))).collect();
    let entries: Vec<Entry> = cards.iter().flat_map(Draft::entries).collect();
    let rows: Vec<Value> = cards.iter().map(Draft::row).collect();
    let history_ids = history::new_ids(call, &entries);
    let written: Vec<InsertedHistory<NewCardRow>> = history::insert_statement(
        include_str!("create.sql"),
        call,
        project.record.id,
        (&entries, &history_ids),
    )?
    .bind::<Jsonb, _>(Value::from(rows))
    .bind::<SqlUuid, _>(project.record.owner_id.0)
    .load(tx)
    .await
    .map_err(|error| {
        let missing = assignees::missing_assignee(&error).or_else(|| tags::missing_tag(&error, new));
        missing.unwrap_or_else(|| history::append_failure(error))
    })?;
    let mut written: HashMap<CardId, Recorded<NewCardRow>> =
        written.into_iter().map(InsertedHistory::recorded).collect();
    let indexed: Vec<_> = cards.iter().map(|card| (card.id, &card.fields.fields)).collect();
    card::index_fields(tx, &indexed).await?;
    let mut created = Vec::with_capacity(cards.len());
    for draft in cards {
        let recorded = written.remove(&draft.id).ok_or_else(missing_card)?;
        let new = draft.new;
        let NewCardRow { active_tags, assignee, .. } = recorded.value();
        let is_member = new.assignee.map_or(Ok(()), |user| assignee.require(project, user, NEW_ASSIGNEE));
        Error::all([tags::require_active(new, active_tags), is_member])?;
        let head = recorded.head();
        let search_text = search_text(&draft.document);
        let total = u32::try_from(draft.lines.len()).map_err(Error::internal)?;
        let checklist = ChecklistCount { total, done: 0 };
        let far_parent = draft.far_parent;
        created.push(recorded.map(|created| CardState {
            card: draft.record(project, call.now, created),
            head,
            board_heads: BoardHeads::default(),
            tag_ids: new.tags.clone(),
            user_ids: new.assignee.into_iter().collect(),
            checklist,
            far_parent,
            boards: Boards::default(),
            search_text,
        }));
    }
    history::publish(tx, call, project.record.id, (&entries, &history_ids))?;
    far::write_new(tx, call, project.record.id, &below).await?;
    Ok(created)
}

/// A card to be written.
struct Draft<'a> {
    id: CardId,
    new: &'a NewCard,
    /// The new card's fields, with the values of custom ones.
    fields: CardFields,
    /// Its parent, if that is of another project. The fields have none then.
    far_parent: Option<FarParent>,
    /// The lines of its checklist.
    lines: Vec<ChecklistItem>,
    /// The searchable text.
    document: String,
}

impl<'a> Draft<'a> {
    /// The card with the parts of its type's preset that it lacks.
    fn of(
        id: CardId,
        now: Timestamp,
        (new, mut fields): (&'a NewCard, CardFields),
        types: &[CardTypeDefinition],
    ) -> Self {
        let preset = types.iter().find(|defined| defined.name == fields.card_type);
        if let Some(preset) = preset.filter(|_| new.takes_description) {
            fields.description = preset.description.clone();
        }
        let of_type = || preset.map(|preset| preset.checklist.as_slice());
        let texts = new.checklist.as_deref().or_else(of_type).unwrap_or_default().iter();
        let line = |text: &ChecklistText| ChecklistItem {
            id: ChecklistItemId::new(now),
            text: text.clone(),
            is_done: false,
        };
        let (lines, document) = (texts.map(line).collect(), fields.search_document());
        Self { id, new, lines, document, fields, far_parent: None }
    }

    /// The card below its parent, which may be of another project.
    fn below(mut self, far: &BTreeMap<CardId, FarParent>) -> Self {
        self.far_parent = self.fields.parent_id.and_then(|parent| far.get(&parent)).copied();
        self.fields.parent_id = self.fields.parent_id.filter(|_| self.far_parent.is_none());
        self
    }

    /// The JSON that `cards/create.sql` reads.
    fn row(&self) -> Value {
        let positions = Position::in_a_row(self.lines.len());
        let lines = self.lines.iter().zip(positions);
        let lines: Vec<Value> = lines
            .map(|(line, position)| json!({ "id": line.id, "position": position, "text": line.text }))
            .collect();
        json!({
            "id": self.id,
            "number": self.new.number,
            "fields": self.fields,
            "tag_ids": self.new.tags,
            "user_ids": self.new.assignee.as_slice(),
            "checklist": lines,
            "search_document": self.document,
        })
    }

    fn record(self, project: &Project<CardWrite>, now: Timestamp, created: NewCardRow) -> CardRecord {
        let key = |project: &ProjectKey| CardKey { project: project.clone(), number: created.number };
        CardRecord {
            id: self.id,
            key: project.record.key.as_ref().map(key),
            number: Some(created.number),
            fields: self.fields,
            created_by_user: project.user,
            created_at: now,
            updated_at: now,
            is_open: true,
            project_id: project.record.id,
            author_display_name: created.author_display_name,
            closed_at: None,
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let (id, new) = (self.id, self.new);
        let fields = self.fields.creation().and("is_open", None, Some(true));
        let assigned = new.assignee.map(|user| {
            Entry::new(id, HistoryKind::Assigned, FieldChanges::of_element("user_id", None, Some(user)))
        });
        let tagged = new.tags.iter().map(|tag| {
            Entry::new(id, HistoryKind::Tagged, FieldChanges::of_element("tag_id", None, Some(tag)))
        });
        let lines = self.lines.iter().map(|line| checklist::entry(id, None, Some(line)));
        let created = Entry::new(id, HistoryKind::Created, fields);
        std::iter::once(created).chain(assigned).chain(tagged).chain(lines).collect()
    }
}

fn missing_card() -> Error {
    Error::internal("a card was not created")
}

/// Row of a new card from `cards/create.sql`.
#[derive(QueryableByName)]
struct NewCardRow {
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Text)]
    author_display_name: String,
    #[diesel(sql_type = Array<SqlUuid>)]
    active_tags: Vec<Uuid>,
    #[diesel(embed)]
    assignee: MembershipRow,
}
