//! Creation of cards, many at a time where many are asked for.

use std::collections::HashMap;

use auth::actor::CardWrite;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Jsonb, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::card::{
    Boards, CardRecord, CardState, Effort, Resolution, SearchText, ShownCard, search_document,
};
use domain::history::{Changes, HistoryKind};
use domain::id::{CardId, ProjectId, TagId, UserId};
use domain::project::ProjectRef;
use domain::text::{Description, Name};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::{Value, json};

use crate::access::call::{Call, Outcome};
use crate::access::project::Project;
use crate::db::config::Store;
use crate::db::transaction::Tx;
use crate::resources::cards::assignees::{self, Membership};
use crate::resources::cards::history::{self, Entry, Recorded, Written};
use crate::resources::cards::{shown, tags};
use crate::resources::sharing::Queues;

const CREATE: &str =
    concat!("with history as (", include_str!("append_history.sql"), "),", include_str!("create.sql"));

/// Transactions of one queue at a time: one uses the processors while the other waits for the disk.
pub(crate) const TRANSACTIONS: usize = 2;

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

/// Creations that wait to share a transaction: of one user in one project.
pub(crate) type Queue = Queues<(ProjectId, UserId), Asked, Outcome<ShownCard>>;

/// A card that is asked for.
pub(crate) struct Asked {
    call: Call<CardWrite>,
    project: ProjectRef,
    new: NewCard,
}

impl Store {
    /// Creates a card with its assignment and its tags, and a history row for each, at most once for the call's idempotency
    /// key. Those that come with keys at the same time, by one credential to one project, share a transaction.
    ///
    /// # Errors
    /// As [`Store::create`]; `ASSIGNEE_NOT_MEMBER`; `INVALID_REQUEST` where a tag is not an active one of the project.
    pub async fn create_card(
        &self,
        call: Call<CardWrite>,
        project: ProjectRef,
        new: NewCard,
    ) -> Result<Outcome<ShownCard>> {
        let asked = Asked { call, project, new };
        let create = async |all: &[&Asked]| self.create_cards(all).await;
        if asked.call.idempotency.is_none() {
            // What is shared may have to be repeated, which only a key makes safe.
            let created = create(&[&asked]).await?.pop();
            return created.ok_or_else(|| Error::internal("a card was not created"));
        }
        let queue = (asked.project.project, asked.call.actor.user);
        self.creating.share(queue, asked, Asked::goes_with, create).await
    }

    async fn create_cards(&self, all: &[&Asked]) -> Result<Vec<Outcome<ShownCard>>> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let calls: Vec<&Call<CardWrite>> = all.iter().map(|asked| &asked.call).collect();
        let work = async |tx: &mut Tx, project: &Project<CardWrite>, open: &[usize]| {
            let new: Vec<&NewCard> =
                open.iter().filter_map(|position| all.get(*position)).map(|asked| &asked.new).collect();
            let created = create_all(tx, project, &first.call, &new).await?;
            let states = created.into_iter().map(Recorded::into_value).collect();
            shown::cards(tx, &first.call, states).await
        };
        self.create_each(&calls, &first.project, work).await
    }
}

impl Asked {
    /// Whether both may be created in one transaction: what one may the other may as well, and neither repeats the other.
    fn goes_with(&self, other: &Self) -> bool {
        self.project == other.project
            && self.call.actor == other.call.actor
            && self.call.idempotency != other.call.idempotency
    }
}

/// Creates a card with its assignment and its tags, and a history row for each.
///
/// # Errors
/// `ASSIGNEE_NOT_MEMBER`; `INVALID_REQUEST` where a tag is not an active one of the project.
pub(super) async fn create(
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
pub(super) async fn create_all(
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

/// What `cards/create.sql` says of a new card.
#[derive(QueryableByName)]
struct Created {
    #[diesel(sql_type = Text)]
    author_display_name: String,
    #[diesel(sql_type = BigInt)]
    active_tags: i64,
    #[diesel(embed)]
    assignee: Membership,
}
