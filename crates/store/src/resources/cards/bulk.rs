//! Many operations on a project's cards in one transaction, by the rules of the single ones.

use std::collections::{BTreeSet, HashMap};

use auth::actor::{CardDelete, CardWrite};
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::card::{CardChanges, CardState, NewCard};
use domain::error::Failure;
use domain::history::HistoryHead;
use domain::id::{CardId, HistoryId, ObjectId, TagId, UserId};
use domain::project::ProjectRef;
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::card::{Card, FIND_AND_LOCK};
use crate::access::project::Project;
use crate::access::rows::card::CardStateRow;
use crate::db::prelude::*;
use crate::db::schema::card_tags;
use crate::resources::cards::creation;
use crate::resources::cards::{self, assignees, objects, tags};
use crate::resources::store::Tx;

/// Most operations of one request.
pub const MAX_OPERATIONS: usize = 500;

/// What to do, in this order.
#[derive(Debug)]
pub struct Bulk {
    /// The operations.
    pub operations: Vec<BulkOperation>,
    /// Whether one failure undoes them all.
    pub atomic: bool,
    /// The call as one that may delete cards; there where an operation does.
    pub delete_call: Option<Call<CardDelete>>,
}

/// One operation.
#[derive(Clone, Debug)]
pub enum BulkOperation {
    /// Creates a card.
    Create(NewCard),
    /// Does something with one.
    Change {
        /// The card.
        card: CardId,
        /// What to do.
        change: BulkChange,
        /// The history head that the client has seen.
        expected: Option<HistoryId>,
    },
}

/// What to do with a card.
#[derive(Clone, Debug)]
pub enum BulkChange {
    /// Changes its own fields.
    Update(CardChanges),
    /// Deletes it.
    Delete,
    /// Assigns it.
    Assign(UserId),
    /// Ends an assignment.
    Unassign(UserId),
    /// Puts a tag on it.
    Tag(TagId),
    /// Takes a tag off it.
    Untag(TagId),
    /// Links it to an object.
    Link(ObjectId),
    /// Ends a link.
    Unlink(ObjectId),
}

/// What became of one operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Applied {
    /// The card was created.
    Created(WrittenCard),
    /// The card was changed, or was like that before.
    Changed(WrittenCard),
    /// The card is gone.
    Deleted(WrittenCard),
    /// Nothing was applied of this one.
    Refused(Failure),
}

/// A card that an operation was applied to. No more of it: hundreds of them may hold tens of megabytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WrittenCard {
    /// The card.
    pub card: CardId,
    /// Its last history row.
    pub head: HistoryHead,
}

/// Applies operations in their order; of an atomic bulk all or none. The cards that they name are locked before the
/// first is applied, in the order of their ids, so that two bulks never wait for each other.
///
/// # Errors
/// `FORBIDDEN` where a card is to be deleted and the caller may not; of an atomic bulk, the failure of the first
/// operation that fails, whose position `details.operation` says.
pub async fn apply(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    bulk: &Bulk,
) -> Result<Vec<Applied>> {
    let mut deletes = None;
    if let Some(delete_call) = &bulk.delete_call {
        let branch = Some(project.branch.name.clone());
        let target = ProjectRef { project: project.record.id, branch };
        deletes = Some((delete_call, target.resolve(tx, delete_call).await?));
    }
    keep_tags(tx, project, &bulk.operations).await?;
    let cards = lock(tx, project, &bulk.operations).await?;
    let batch = BulkState { project, call, deletes, cards };
    batch.run(tx, bulk).await
}

/// Keeps the tags that operations put on cards from being deleted, as far as the project has them. Before the cards:
/// whoever deletes a tag holds it first, and then the cards that have it.
async fn keep_tags(tx: &mut Tx, project: &Project<CardWrite>, operations: &[BulkOperation]) -> Result<()> {
    let named: BTreeSet<Uuid> = operations.iter().flat_map(BulkOperation::tags).map(|tag| tag.0).collect();
    if named.is_empty() {
        return Ok(());
    }
    let _kept: Vec<Uuid> = card_tags::table
        .filter(card_tags::project_id.eq(project.record.id.0).and(card_tags::id.eq_any(named)))
        .order(card_tags::id)
        .select(card_tags::id)
        .for_key_share()
        .load(tx)
        .await?;
    Ok(())
}

/// The cards that operations name, as far as the project has them; the transaction holds them.
async fn lock(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    operations: &[BulkOperation],
) -> Result<HashMap<CardId, CardState>> {
    let named = operations.iter().filter_map(|operation| match operation {
        BulkOperation::Create(_) => None,
        BulkOperation::Change { card, .. } => Some(card.0),
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<CardStateRow> = Statement::new(FIND_AND_LOCK.as_str())
        .bind::<Array<SqlUuid>, _>(named)
        .bind::<SqlUuid, _>(project.record.id.0)
        .load(tx)
        .await?;
    rows.into_iter().map(|row| row.state().map(|state| (state.card.id, state))).collect()
}

/// The state in which operations find the cards.
#[derive(Clone)]
struct BulkState<'a> {
    project: &'a Project<CardWrite>,
    call: &'a Call<CardWrite>,
    deletes: Option<(&'a Call<CardDelete>, Project<CardDelete>)>,
    cards: HashMap<CardId, CardState>,
}

impl BulkState<'_> {
    /// Applies all operations, or those of them that don't fail.
    async fn run(self, tx: &mut Tx, bulk: &Bulk) -> Result<Vec<Applied>> {
        // Mostly nothing fails, so they are first applied without a way back for each: that takes fewer statements, and many
        // open subtransactions would slow down everybody's view of the database.
        tx.batch_execute("savepoint bulk").await?;
        match self.clone().apply_together(tx, &bulk.operations).await {
            Ok(applied) => return Ok(applied),
            Err(error) if !is_refusal(&error) => return Err(error),
            Err(_) => {}
        }
        tx.batch_execute("rollback to savepoint bulk").await?;
        self.apply_one_by_one(tx, bulk).await
    }

    /// Applies all operations; cards that are created one after the other in one statement. After a failure the
    /// transaction is to be rolled back to where it was.
    async fn apply_together(mut self, tx: &mut Tx, operations: &[BulkOperation]) -> Result<Vec<Applied>> {
        let mut applied = Vec::with_capacity(operations.len());
        let both_create = |one: &BulkOperation, next: &BulkOperation| {
            matches!((one, next), (BulkOperation::Create(_), BulkOperation::Create(_)))
        };
        for run in operations.chunk_by(both_create) {
            if let [operation @ BulkOperation::Change { .. }] = run {
                applied.push(self.apply(tx, operation).await?);
                continue;
            }
            let new: Vec<&NewCard> = run.iter().filter_map(BulkOperation::new_card).collect();
            let created = creation::create_all(tx, self.project, self.call, &new).await?;
            applied.extend(created.iter().map(|card| Applied::Created(WrittenCard::of(card.value()))));
        }
        Ok(applied)
    }

    /// Applies each operation with a way back of its own.
    async fn apply_one_by_one(mut self, tx: &mut Tx, bulk: &Bulk) -> Result<Vec<Applied>> {
        let mut applied = Vec::with_capacity(bulk.operations.len());
        for (position, operation) in bulk.operations.iter().enumerate() {
            tx.batch_execute("savepoint operation").await?;
            let (end, result) = match self.apply(tx, operation).await {
                Ok(result) => ("release savepoint operation", result),
                Err(error) if !is_refusal(&error) => return Err(error),
                Err(error) => {
                    let error = error.within(&format!("operations[{position}]"));
                    if bulk.atomic {
                        return Err(error.with_detail("operation", position));
                    }
                    ("rollback to savepoint operation", Applied::Refused(Failure::from(error)))
                }
            };
            tx.batch_execute(end).await?;
            applied.push(result);
        }
        Ok(applied)
    }

    async fn apply(&mut self, tx: &mut Tx, operation: &BulkOperation) -> Result<Applied> {
        let (id, change, expected) = match operation {
            BulkOperation::Create(new) => {
                let created = creation::create(tx, self.project, self.call, new).await?;
                return Ok(Applied::Created(WrittenCard::of(created.value())));
            }
            BulkOperation::Change { card, change, expected } => (*card, change, *expected),
        };
        let state = self.cards.get(&id).cloned().ok_or_else(Error::not_found)?;
        if let BulkChange::Delete = change {
            let (call, project) = self.deletes.as_ref().ok_or_else(Error::forbidden)?;
            let card = Card { state, project: project.clone() };
            let head = cards::delete(tx, &card, call, expected).await?.head();
            self.cards.remove(&id);
            return Ok(Applied::Deleted(WrittenCard { card: id, head }));
        }
        let call = self.call;
        let card = Card { state, project: self.project.clone() };
        let changed = match change {
            BulkChange::Update(changes) => cards::update(tx, &card, call, changes, expected).await,
            BulkChange::Assign(user) => assignees::add(tx, &card, call, *user, expected).await,
            BulkChange::Unassign(user) => assignees::remove(tx, &card, call, *user, expected).await,
            BulkChange::Tag(tag) => tags::add(tx, &card, call, *tag, expected).await,
            BulkChange::Untag(tag) => tags::remove(tx, &card, call, *tag, expected).await,
            BulkChange::Link(object) => objects::link(tx, &card, call, *object, expected).await,
            BulkChange::Unlink(object) => objects::unlink(tx, &card, call, *object, expected).await,
            BulkChange::Delete => Err(Error::internal("a deletion is none of the other changes")),
        };
        let state = changed?.into_value();
        let written = WrittenCard::of(&state);
        self.cards.insert(id, state);
        Ok(Applied::Changed(written))
    }
}

impl WrittenCard {
    fn of(state: &CardState) -> Self {
        Self { card: state.card.id, head: state.head }
    }
}

impl BulkOperation {
    /// The tags that it puts on a card.
    fn tags(&self) -> &[TagId] {
        match self {
            Self::Create(new) => &new.tags,
            Self::Change { change: BulkChange::Tag(tag), .. } => std::slice::from_ref(tag),
            Self::Change { .. } => &[],
        }
    }

    fn new_card(&self) -> Option<&NewCard> {
        match self {
            Self::Create(new) => Some(new),
            Self::Change { .. } => None,
        }
    }
}

/// Whether a failure is about the operation, and not about the service or its database.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.code, Code::InternalError | Code::Unavailable)
}
