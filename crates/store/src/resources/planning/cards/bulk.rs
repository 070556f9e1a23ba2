//! Bulk operations on a project's cards, in one transaction. Each follows the rules of its single operation.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use auth::actor::{CardDelete, CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::card_tags;
use domain::content::project::ProjectRef;
use domain::error::Failure;
use domain::id::{CardId, HistoryId, ObjectId, TagId, TeamId, UserId};
use domain::planning::card::{CardChanges, CardState, NewCard};
use domain::planning::history::HistoryHead;
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::Target;
use crate::access::board_card::{BoardCard, HeldBoard};
use crate::access::call::Call;
use crate::access::card::{self, Card};
use crate::access::project::Project;
use crate::access::team::TeamRef;
use crate::resources::planning::cards::creation;
use crate::resources::planning::cards::history::Recorded;
use crate::resources::planning::cards::placements::{self, Move};
use crate::resources::planning::cards::{self, assignees, objects, tags};
use crate::resources::store::Tx;

/// Most operations of one request.
pub const MAX_OPERATIONS: usize = 500;

/// A bulk request.
#[derive(Debug)]
pub struct Bulk {
    /// The operations, in their order.
    pub operations: Vec<BulkOperation>,
    /// One failure reverts all operations.
    pub atomic: bool,
    /// The call with the right to delete cards; present if an operation deletes one.
    pub delete_call: Option<Call<CardDelete>>,
    /// The call with the right to work on boards; present if an operation places a card.
    pub place_call: Option<Call<TeamWrite>>,
}

/// One operation.
#[derive(Clone, Debug)]
pub enum BulkOperation {
    /// Creates a card, and places it on a board.
    Create(NewCard, Option<BoardMove>),
    /// Changes a card.
    Change {
        /// The card.
        card: CardId,
        /// The change.
        change: BulkChange,
        /// The history head that the client has seen.
        expected: Option<HistoryId>,
    },
}

/// A change of a card.
#[derive(Clone, Debug)]
pub enum BulkChange {
    /// Changes the card's own fields.
    Update(CardChanges),
    /// Deletes the card.
    Delete,
    /// Assigns the card.
    Assign(UserId),
    /// Ends an assignment.
    Unassign(UserId),
    /// Adds a tag.
    Tag(TagId),
    /// Removes a tag.
    Untag(TagId),
    /// Links the card to an object.
    Link(ObjectId),
    /// Ends a link.
    Unlink(ObjectId),
    /// Places the card on a board, or moves it there.
    Place(BoardMove),
}

/// A move of a card on a team's board.
#[derive(Clone, Copy, Debug)]
pub struct BoardMove {
    /// The team.
    pub team: TeamRef,
    /// The target.
    pub to: Move,
}

/// The result of one operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BulkOutcome {
    /// The card was created.
    Created(WrittenCard),
    /// The card was changed, or already had the values.
    Changed(WrittenCard),
    /// The card was deleted.
    Deleted(WrittenCard),
    /// The operation was not applied.
    Refused(Failure),
}

/// A card after an operation. Its content is left out: hundreds of cards may have tens of megabytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WrittenCard {
    /// The card.
    pub card: CardId,
    /// Its head for the caller.
    pub head: HistoryHead,
}

/// Applies operations in their order; an atomic bulk all or none. All named cards are locked first, in the order of their ids,
/// so that two bulks can't deadlock.
///
/// # Errors
/// `FORBIDDEN` if an operation deletes a card and the caller may not. An atomic bulk fails as its first failed operation, whose
/// position is `details.operation`.
pub async fn apply(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    bulk: &Bulk,
) -> Result<Vec<BulkOutcome>> {
    let mut deletes = None;
    if let Some(delete_call) = &bulk.delete_call {
        let branch = Some(project.branch.name.clone());
        let target = ProjectRef { project: project.record.id, branch };
        deletes = Some((delete_call, target.resolve(tx, delete_call).await?));
    }
    hold_tags(tx, project, &bulk.operations).await?;
    let boards = hold_boards(tx, project, bulk).await?;
    let cards = lock(tx, project, &bulk.operations).await?;
    let batch = BulkState { project, call, deletes, place_call: bulk.place_call.as_ref(), boards, cards };
    batch.run(tx, bulk).await
}

/// Protects the project's tags that operations name from deletion. Tags come before cards in the order of locks, as in the
/// deletion of a tag.
async fn hold_tags(tx: &mut Tx, project: &Project<CardWrite>, operations: &[BulkOperation]) -> Result<()> {
    let named: BTreeSet<Uuid> = operations.iter().flat_map(BulkOperation::tags).map(|tag| tag.0).collect();
    if named.is_empty() {
        return Ok(());
    }
    let _held: Vec<Uuid> = card_tags::table
        .filter(card_tags::project_id.eq(project.record.id.0).and(card_tags::id.eq_any(named)))
        .order(card_tags::id)
        .select(card_tags::id)
        .for_key_share()
        .load(tx)
        .await?;
    Ok(())
}

/// Holds the boards that operations name, in the order of their teams, with their links to the project. One that is absent,
/// hidden, forbidden or not linked has the code with which its operations are refused.
async fn hold_boards(tx: &mut Tx, project: &Project<CardWrite>, bulk: &Bulk) -> Result<HeldBoards> {
    let Some(call) = &bulk.place_call else { return Ok(HeldBoards::new()) };
    let named: BTreeMap<TeamId, TeamRef> =
        bulk.operations.iter().filter_map(BulkOperation::board).map(|at| (at.team.team, at.team)).collect();
    let mut boards = HeldBoards::new();
    for (team, at) in named {
        let held = match HeldBoard::hold(tx, &at, call).await {
            Ok(board) if board.hold_link(tx, project.record.id).await? => Ok(board),
            Ok(_) => Err(Code::NotFound),
            Err(error) if matches!(error.code, Code::NotFound | Code::Forbidden) => Err(error.code),
            Err(error) => return Err(error),
        };
        boards.insert(team, held);
    }
    Ok(boards)
}

/// Locks the project's cards that operations name.
async fn lock(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    operations: &[BulkOperation],
) -> Result<HashMap<CardId, CardState>> {
    let named = operations.iter().filter_map(|operation| match operation {
        BulkOperation::Create(..) => None,
        BulkOperation::Change { card, .. } => Some(card.0),
    });
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let locked = card::lock(tx, project, named).await?;
    Ok(locked.into_iter().map(|state| (state.card.id, state)).collect())
}

/// The boards by team, or the codes with which they are refused.
type HeldBoards = HashMap<TeamId, Result<Arc<HeldBoard>, Code>>;

/// The cards and rights that operations work with.
#[derive(Clone)]
struct BulkState<'a> {
    project: &'a Project<CardWrite>,
    call: &'a Call<CardWrite>,
    deletes: Option<(&'a Call<CardDelete>, Project<CardDelete>)>,
    place_call: Option<&'a Call<TeamWrite>>,
    boards: HeldBoards,
    cards: HashMap<CardId, CardState>,
}

impl BulkState<'_> {
    /// Applies all operations, or those that succeed.
    async fn run(self, tx: &mut Tx, bulk: &Bulk) -> Result<Vec<BulkOutcome>> {
        // Most bulks succeed, so the first attempt has one savepoint. A savepoint for each operation takes more statements, and
        // many subtransactions slow down snapshots of all transactions.
        let published = tx.published();
        tx.batch_execute("savepoint bulk").await?;
        match self.clone().apply_together(tx, &bulk.operations).await {
            Ok(applied) => return Ok(applied),
            Err(error) if !is_refusal(&error) => return Err(error),
            Err(_) => {}
        }
        tx.batch_execute("rollback to savepoint bulk").await?;
        tx.unpublish(published);
        self.apply_one_by_one(tx, bulk).await
    }

    /// Applies all operations. Consecutive creations share one statement. After a failure, the caller must roll back to the
    /// savepoint.
    async fn apply_together(mut self, tx: &mut Tx, operations: &[BulkOperation]) -> Result<Vec<BulkOutcome>> {
        let mut applied = Vec::with_capacity(operations.len());
        let both_create = |one: &BulkOperation, next: &BulkOperation| {
            matches!((one, next), (BulkOperation::Create(_, None), BulkOperation::Create(_, None)))
        };
        for run in operations.chunk_by(both_create) {
            if let [operation @ (BulkOperation::Change { .. } | BulkOperation::Create(_, Some(_)))] = run {
                applied.push(self.apply(tx, operation).await?);
                continue;
            }
            let new: Vec<&NewCard> = run.iter().filter_map(BulkOperation::new_card).collect();
            let created = creation::create_all(tx, self.project, self.call, &new).await?;
            applied.extend(created.iter().map(|card| BulkOutcome::Created(WrittenCard::of(card))));
        }
        Ok(applied)
    }

    /// Applies each operation with its own savepoint.
    async fn apply_one_by_one(mut self, tx: &mut Tx, bulk: &Bulk) -> Result<Vec<BulkOutcome>> {
        let mut applied = Vec::with_capacity(bulk.operations.len());
        for (position, operation) in bulk.operations.iter().enumerate() {
            let published = tx.published();
            tx.batch_execute("savepoint operation").await?;
            let (end, result) = match self.apply(tx, operation).await {
                Ok(result) => ("release savepoint operation", result),
                Err(error) if !is_refusal(&error) => return Err(error),
                Err(error) => {
                    let error = error.within(&format!("operations[{position}]"));
                    if bulk.atomic {
                        return Err(error.with_detail("operation", position));
                    }
                    tx.unpublish(published);
                    ("rollback to savepoint operation", BulkOutcome::Refused(Failure::from(error)))
                }
            };
            tx.batch_execute(end).await?;
            applied.push(result);
        }
        Ok(applied)
    }

    async fn apply(&mut self, tx: &mut Tx, operation: &BulkOperation) -> Result<BulkOutcome> {
        let (id, change, expected) = match operation {
            BulkOperation::Create(new, placement) => {
                let mut created = creation::create(tx, self.project, self.call, new).await?;
                if let Some(at) = placement {
                    let placed = self.place(tx, created.into_value(), at, None).await;
                    created = placed.map_err(|error| error.within("placement"))?;
                }
                return Ok(BulkOutcome::Created(WrittenCard::of(&created)));
            }
            BulkOperation::Change { card, change, expected } => (*card, change, *expected),
        };
        let state = self.cards.get(&id).cloned().ok_or_else(Error::not_found)?;
        if let BulkChange::Delete = change {
            let (call, project) = self.deletes.as_ref().ok_or_else(Error::forbidden)?;
            let card = Card { state, project: project.clone() };
            let head = cards::delete(tx, &card, call, expected).await?.head();
            self.cards.remove(&id);
            return Ok(BulkOutcome::Deleted(WrittenCard { card: id, head }));
        }
        if let BulkChange::Place(at) = change {
            let placed = self.place(tx, state, at, expected).await?;
            let written = WrittenCard::of(&placed);
            self.cards.insert(id, placed.into_value());
            return Ok(BulkOutcome::Changed(written));
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
            BulkChange::Delete | BulkChange::Place(_) => Err(Error::internal("it was handled before")),
        };
        let changed = changed?;
        let written = WrittenCard::of(&changed);
        self.cards.insert(id, changed.into_value());
        Ok(BulkOutcome::Changed(written))
    }
}

impl BulkState<'_> {
    /// Places a card on a board that the request holds.
    async fn place(
        &self,
        tx: &mut Tx,
        state: CardState,
        BoardMove { team, to }: &BoardMove,
        expected: Option<HistoryId>,
    ) -> Result<Recorded<CardState>> {
        let call = self.place_call.ok_or_else(Error::forbidden)?;
        let board = match self.boards.get(&team.team) {
            // The organization is part of the address.
            Some(Ok(board)) if board.team.record.organization_id == team.organization => board,
            Some(Err(Code::Forbidden)) => return Err(Error::forbidden()),
            _ => return Err(Error::not_found()),
        };
        let card = Card { state, project: self.project.clone() };
        let at = BoardCard::on(board, card, self.call, tx).await?;
        placements::place(tx, &at, call, to, expected).await.map(|placed| placed.card)
    }
}

impl WrittenCard {
    fn of(recorded: &Recorded<CardState>) -> Self {
        Self { card: recorded.value().card.id, head: recorded.head() }
    }
}

impl BulkOperation {
    /// The tags that the operation adds to a card.
    fn tags(&self) -> &[TagId] {
        match self {
            Self::Create(new, _) => &new.tags,
            Self::Change { change: BulkChange::Tag(tag), .. } => std::slice::from_ref(tag),
            Self::Change { .. } => &[],
        }
    }

    fn new_card(&self) -> Option<&NewCard> {
        match self {
            Self::Create(new, _) => Some(new),
            Self::Change { .. } => None,
        }
    }

    /// True if the operation places a card on a board.
    pub fn places(&self) -> bool {
        self.board().is_some()
    }

    /// The board on which the operation places a card.
    fn board(&self) -> Option<&BoardMove> {
        match self {
            Self::Create(_, at) => at.as_ref(),
            Self::Change { change: BulkChange::Place(at), .. } => Some(at),
            Self::Change { .. } => None,
        }
    }
}

/// `true` if the operation is refused, and not the service or its database failed.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.code, Code::InternalError | Code::Unavailable)
}
