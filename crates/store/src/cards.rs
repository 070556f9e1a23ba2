//! Cards: create, list, change, delete. What hangs on them is below; their tags' catalog is `card_tags`.

pub mod assignees;
pub(crate) mod boards;
pub mod bulk;
pub(crate) mod clearing;
pub mod comments;
pub mod history;
pub mod objects;
pub mod placements;
pub mod relocation;
pub(crate) mod rows;
pub mod shown;
pub mod tags;

use std::collections::HashMap;

use auth::actor::{CardDelete, CardRead, CardWrite};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text as SqlText, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::card::{
    Boards, CardRecord, CardState, Effort, Resolution, SearchText, ShownCard, search_document,
};
use domain::history::{Changes, HistoryKind};
use domain::id::{CardId, HistoryId, TagId, UserId};
use domain::search::contains_pattern;
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::access::card::Card;
use crate::access::project::Project;
use crate::call::Call;
use crate::cards::assignees::Membership;
use crate::cards::history::{Entry, Recorded, Written};
use crate::cards::rows::CardStateRow;
use crate::failure::failure;
use crate::schema::cards;
use crate::statement::Statement;
use crate::transaction::Tx;

const CREATE: &str = concat!(
    "with history as (",
    include_str!("cards/append_history.sql"),
    "),",
    include_str!("cards/create.sql")
);

/// A card to be created.
#[derive(Clone, Debug)]
pub struct NewCard {
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// How it was resolved.
    pub resolution: Resolution,
    /// Estimate.
    pub effort: Effort,
    /// When it is due.
    pub deadline: Option<Timestamp>,
    /// Whom it is assigned to.
    pub assignee: Option<UserId>,
    /// Its tags, each once.
    pub tags: Vec<TagId>,
}

/// What to change about a card; `None` leaves alone.
#[derive(Clone, Debug, Default)]
pub struct CardChanges {
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// How it was resolved.
    pub resolution: Option<Resolution>,
    /// Estimate.
    pub effort: Option<Effort>,
    /// When it is due; `Some(None)` clears.
    pub deadline: Option<Option<Timestamp>>,
    /// Whether it is open.
    pub is_open: Option<bool>,
}

/// Which cards of a project to list, and from where.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CardFilter {
    /// Only open, or only closed ones.
    pub is_open: Option<bool>,
    /// Only those with this tag.
    pub tag: Option<TagId>,
    /// Only those assigned to this user.
    pub assignee: Option<UserId>,
    /// Only those whose name, resolution or description holds this text, which is folded (`domain::search`).
    pub folded_q: Option<String>,
    /// Only those that changed then or later.
    pub updated_since: Option<Timestamp>,
}

/// Creates a card with its assignment and its tags, and a history row for each.
///
/// # Errors
/// `ASSIGNEE_NOT_MEMBER`; `INVALID_REQUEST` where a tag is not an active one of the project.
pub async fn create(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewCard,
) -> Result<Recorded<CardState>> {
    let created = create_all(tx, project, call, &[new]).await?;
    created.into_iter().next().ok_or_else(|| Error::internal("a card was not created"))
}

/// Creates cards, all of them or none; returns them in their order. One statement looks at what they refer to and
/// writes it all: where something is wrong, the transaction is lost with what was written.
///
/// # Errors
/// Those of [`create`].
async fn create_all(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &[&NewCard],
) -> Result<Vec<Recorded<CardState>>> {
    let mut ids: Vec<CardId> = new.iter().map(|_| CardId::new(call.now)).collect();
    ids.sort_unstable();
    let cards: Vec<(CardId, &NewCard, String)> =
        ids.into_iter().zip(new).map(|(id, new)| (id, *new, new.document())).collect();
    let entries: Vec<Entry> = cards.iter().flat_map(|(id, new, _)| new.history(*id)).collect();
    let rows: Vec<Value> = cards.iter().map(|(id, new, document)| new.row(*id, document)).collect();
    let written: Vec<Written<Created>> = history::insertion(CREATE, call, project.record.id, &entries)?
        .bind::<Jsonb, _>(Value::from(rows))
        .bind::<SqlUuid, _>(project.record.owner_id.0)
        .load(tx.connection()?)
        .await
        .map_err(|error| {
            let gone = assignees::gone(&error).or_else(|| tags::gone(&error));
            gone.unwrap_or_else(|| history::append_failure(error))
        })?;
    let mut written: HashMap<CardId, Recorded<Created>> =
        written.into_iter().map(Written::recorded).collect();
    let mut created = Vec::with_capacity(cards.len());
    for (id, new, document) in &cards {
        let recorded = written.remove(id).ok_or_else(|| Error::internal("a card was not written"))?;
        tags::require_active(&new.tags, recorded.value().active_tags)?;
        if let Some(assignee) = new.assignee {
            recorded.value().assignee.require(project, assignee)?;
        }
        let head = recorded.head();
        created.push(recorded.map(|created| CardState {
            card: new.record(*id, project, call.now, created.author_display_name),
            head,
            tag_ids: new.tags.clone(),
            user_ids: new.assignee.into_iter().collect(),
            boards: Boards::default(),
            search_text: SearchText::cut(document),
        }));
    }
    Ok(created)
}

/// The project's cards that a filter leaves, newest first, from before `before`; each as the caller sees it.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    filter: &CardFilter,
    before: Option<CardId>,
    rows: u32,
) -> Result<Vec<ShownCard>> {
    let rows: Vec<CardStateRow> = Statement::new(include_str!("cards/list.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<Bool>, _>(filter.is_open)
        .bind::<Nullable<SqlUuid>, _>(filter.tag.map(|id| id.0))
        .bind::<Nullable<SqlUuid>, _>(filter.assignee.map(|id| id.0))
        .bind::<Nullable<SqlText>, _>(filter.folded_q.as_deref().map(contains_pattern))
        .bind::<Nullable<Timestamptz>, _>(filter.updated_since.map(|time| time.0))
        .bind::<Nullable<SqlUuid>, _>(before.map(|id| id.0))
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    let states: Result<Vec<CardState>> = rows.into_iter().map(CardStateRow::state).collect();
    shown::cards(tx, call, states?).await
}

/// Changes a card's own fields. What is the same already is no change, and nothing but changes is recorded.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` where one of the fields moved since the expected head.
pub async fn update(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    changes: &CardChanges,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let before = &card.state.card;
    let after = changes.applied_to(before, call.now);
    let fields = Changes::none()
        .and("name", &before.name, &after.name)
        .and("description", &before.description, &after.description)
        .and("resolution", &before.resolution, &after.resolution)
        .and("effort", before.effort, after.effort)
        .and("deadline", before.deadline, after.deadline);
    let transition = if after.is_open { HistoryKind::Reopened } else { HistoryKind::Closed };
    let openness = Changes::none().and("is_open", before.is_open, after.is_open);
    let entries =
        [Entry::new(card.id(), HistoryKind::Updated, fields), Entry::new(card.id(), transition, openness)];
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| !entry.changes.is_empty()).collect();
    history::expect(tx, card, expected, &entries).await?;
    history::record(tx, card, call, entries, |state| state.card = after).await
}

/// Deletes a card with its comments, links and places on boards. Its history stays, and gets a row for the end of each
/// link and place and one for its own.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` where the card changed since the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardDelete>,
    call: &Call<CardDelete>,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    history::expect_unchanged(card, expected)?;
    let (id, state) = (card.id(), &card.state);
    let ended = |kind, field, element: uuid::Uuid| {
        Entry::new(id, kind, Changes::of_element(field, Some(element), None))
    };
    let mut entries = Vec::new();
    entries.extend(state.user_ids.iter().map(|user| ended(HistoryKind::Unassigned, "user_id", user.0)));
    entries.extend(state.tag_ids.iter().map(|tag| ended(HistoryKind::Untagged, "tag_id", tag.0)));
    let linked = objects::list(tx, card).await?;
    entries.extend(linked.iter().map(|object| ended(HistoryKind::Unlinked, "object_id", object.0)));
    let placed = placements::list(tx.pipeline().await?, &[id]).await?;
    entries.extend(placed.iter().map(|(card, place)| placements::removal(*card, place)));
    let fields = Changes::none()
        .and("name", Some(&state.card.name), None)
        .and("effort", Some(state.card.effort), None)
        .and("is_open", Some(state.card.is_open), None);
    entries.push(Entry::new(id, HistoryKind::Deleted, fields));
    let written = history::write(tx, call, card.project.record.id, entries).await?;
    let deleted = diesel::delete(cards::table.find(id.0)).execute(tx.connection()?).await.map_err(failure)?;
    if deleted == 1 { Ok(written) } else { Err(Error::internal("a locked card is gone")) }
}

impl NewCard {
    fn document(&self) -> String {
        search_document(&self.name, &self.resolution, &self.description)
    }

    /// The card as `cards/create.sql` reads it.
    fn row(&self, id: CardId, document: &str) -> Value {
        json!({
            "id": id,
            "name": self.name,
            "description": self.description,
            "resolution": self.resolution,
            "effort": self.effort,
            "deadline": self.deadline,
            "tag_ids": self.tags,
            "user_ids": self.assignee.as_slice(),
            "search_document": document,
        })
    }

    fn record(
        &self,
        id: CardId,
        project: &Project<CardWrite>,
        now: Timestamp,
        author_display_name: String,
    ) -> CardRecord {
        CardRecord {
            id,
            name: self.name.clone(),
            description: self.description.clone(),
            resolution: self.resolution.clone(),
            created_by_user: project.user,
            created_at: now,
            updated_at: now,
            deadline: self.deadline,
            is_open: true,
            project_id: project.record.id,
            effort: self.effort,
            author_display_name,
            closed_at: None,
        }
    }

    fn history(&self, id: CardId) -> Vec<Entry> {
        let fields = Changes::none()
            .and("name", None, Some(&self.name))
            .and("description", "", self.description.as_str())
            .and("resolution", "", self.resolution.as_str())
            .and("effort", Effort::default(), self.effort)
            .and("deadline", None, self.deadline)
            .and("is_open", None, Some(true));
        let assigned = self.assignee.map(|user| {
            Entry::new(id, HistoryKind::Assigned, Changes::of_element("user_id", None, Some(user)))
        });
        let tagged = self
            .tags
            .iter()
            .map(|tag| Entry::new(id, HistoryKind::Tagged, Changes::of_element("tag_id", None, Some(tag))));
        let created = Entry::new(id, HistoryKind::Created, fields);
        std::iter::once(created).chain(assigned).chain(tagged).collect()
    }
}

impl CardChanges {
    /// Whether everything is left alone.
    pub fn is_empty(&self) -> bool {
        let Self { name, description, resolution, effort, deadline, is_open } = self;
        name.is_none()
            && description.is_none()
            && resolution.is_none()
            && effort.is_none()
            && deadline.is_none()
            && is_open.is_none()
    }

    fn applied_to(&self, card: &CardRecord, now: Timestamp) -> CardRecord {
        let is_open = self.is_open.unwrap_or(card.is_open);
        let closed_at = match (card.is_open, is_open) {
            (true, false) => Some(now),
            (_, true) => None,
            (false, false) => card.closed_at,
        };
        CardRecord {
            name: self.name.clone().unwrap_or_else(|| card.name.clone()),
            description: self.description.clone().unwrap_or_else(|| card.description.clone()),
            resolution: self.resolution.clone().unwrap_or_else(|| card.resolution.clone()),
            effort: self.effort.unwrap_or(card.effort),
            deadline: self.deadline.unwrap_or(card.deadline),
            is_open,
            closed_at,
            ..card.clone()
        }
    }
}

/// What `cards/create.sql` says of a new card.
#[derive(QueryableByName)]
struct Created {
    #[diesel(sql_type = SqlText)]
    author_display_name: String,
    #[diesel(sql_type = BigInt)]
    active_tags: i64,
    #[diesel(embed)]
    assignee: Membership,
}
