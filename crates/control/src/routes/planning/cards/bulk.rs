//! Create, change and delete many cards in one request.

use api::planning::boards::PlaceCardRequest;
use api::planning::cards::HistoryHeadRequest;
use api::planning::cards::bulk::{CardOperationResult, ChangeCards, ChangeCardsRequest, ChangeCardsResponse};
use auth::actor::CardWrite;
use domain::error::{Location, Refusal};
use domain::id::{CardId, HistoryId};
use domain::key::CardIds;
use domain::planning::card::{CreateCardRequest, UpdateCardRequest};
use domain::{Error, Result, Rule};
use serde_json::{Map, Value};
use store::TeamRef;
use store::planning::cards::bulk::{
    self, BoardMove, Bulk, BulkChange, BulkOperation, BulkOutcome, MAX_OPERATIONS, WrittenCard,
};
use wire::{IdempotentReply, JsonAs, Reply, Request};

use crate::app::App;
use crate::routes::body_part::BodyPart;
use crate::routes::planning::boards::place;
use crate::routes::planning::card_names;

/// The values of `op`.
const OPERATIONS: [&str; 10] =
    ["create", "update", "delete", "assign", "unassign", "tag", "untag", "link", "unlink", "place"];

/// The operations are read by their parts, so that failures name their place.
type Body = ChangeCardsRequest<Map<String, Value>>;

/// Applies up to 500 operations in one transaction, in their order. Without `atomic`, a failed operation reports its
/// failure and doesn't affect the others. With it, one failure rolls back all of them and becomes the answer, with its
/// position in `details.operation`. A request with a deletion needs `cards:manage`, one with a placement
/// `teams:write`.
pub async fn handle(
    app: App,
    request: Request<CardWrite, ChangeCards, JsonAs<ChangeCardsRequest, Body>>,
) -> Result<IdempotentReply<ChangeCardsResponse>> {
    let call = &request.call;
    let ChangeCardsRequest { atomic, operations } = request.body.value;
    let named = card_names::in_elements(&operations);
    let ids = card_names::of_project(&app, &request.path.project_id, &named).await?;
    let operations = read(operations, &ids)?;
    let deletes = operations
        .iter()
        .any(|operation| matches!(operation, BulkOperation::Change { change: BulkChange::Delete, .. }));
    let delete_call = deletes.then(|| call.also()).transpose()?;
    let places = operations.iter().any(BulkOperation::places);
    let place_call = places.then(|| call.also()).transpose()?;
    let bulk = Bulk { operations, atomic, delete_call, place_call };
    let applied = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            bulk::apply(tx, project, call, &bulk).await
        })
        .await?;
    Ok(Reply::idempotent(applied.map(answer)))
}

/// Reads the operations of a request.
fn read(operations: Vec<Map<String, Value>>, ids: &CardIds) -> Result<Vec<BulkOperation>> {
    if operations.is_empty() {
        return Err(Error::broken("operations", Rule::MinItems(1)));
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(Error::broken("operations", Rule::MaxItems(MAX_OPERATIONS)));
    }
    let operations = operations.into_iter().enumerate();
    Error::all(
        operations
            .map(|(position, fields)| operation(BodyPart::of_list("operations", position, fields), ids)),
    )
}

/// Reads an operation.
fn operation(mut part: BodyPart, ids: &CardIds) -> Result<BulkOperation> {
    let op: String = part.take("op")?;
    if op == "create" {
        let placement =
            part.part("placement")?.map(|placement| board_move(placement, None, ids)).transpose()?;
        let place = part.place.clone();
        let new = part.rest::<CreateCardRequest>()?.validate(ids).map_err(|error| error.within(&place))?;
        return Ok(BulkOperation::Create(new, placement.map(|(at, _)| at)));
    }
    if !OPERATIONS.contains(&op.as_str()) {
        let known = OPERATIONS.iter().map(|op| Value::from(*op)).collect();
        return Err(Error::broken(format!("{}.op", part.place), Rule::Enum(known)));
    }
    let card = ids.of(&part.take("cardId")?);
    if op == "update" {
        let place = part.place.clone();
        let body: UpdateCardRequest = part.rest()?;
        let expected = body.expected_history_head_id;
        let changes = body.validate(ids).map_err(|error| error.within(&place))?;
        return Ok(BulkOperation::Change { card, change: BulkChange::Update(changes), expected });
    }
    if op == "place" {
        let missing = Error::broken(format!("{}.placement", part.place), Rule::Required);
        let placement = part.part("placement")?.ok_or(missing)?;
        part.end()?;
        let (at, expected) = board_move(placement, Some(card), ids)?;
        return Ok(BulkOperation::Change { card, change: BulkChange::Place(at), expected });
    }
    let change = match op.as_str() {
        "assign" => BulkChange::Assign(part.take("userId")?),
        "unassign" => BulkChange::Unassign(part.take("userId")?),
        "tag" => BulkChange::Tag(part.take("tagId")?),
        "untag" => BulkChange::Untag(part.take("tagId")?),
        "link" => BulkChange::Link(part.take("objectId")?),
        "unlink" => BulkChange::Unlink(part.take("objectId")?),
        _ => BulkChange::Delete,
    };
    let HistoryHeadRequest { expected_history_head_id: expected } = part.rest()?;
    Ok(BulkOperation::Change { card, change, expected })
}

/// Reads a place on a board, with the head that the client has seen. `card` is absent for one that is to be created.
fn board_move(
    mut part: BodyPart,
    card: Option<CardId>,
    ids: &CardIds,
) -> Result<(BoardMove, Option<HistoryId>)> {
    let team = TeamRef { organization: part.take("orgId")?, team: part.take("teamId")? };
    let place = part.place.clone();
    let body: PlaceCardRequest = part.rest()?;
    let expected = body.expected_history_head_id;
    if card.is_none() && expected.is_some() {
        return Err(Error::broken(format!("{place}.expectedHistoryHeadId"), Rule::Unknown));
    }
    let to = place::validate(body, card, ids).map_err(|error| error.within(&place))?;
    Ok((BoardMove { team, to }, expected))
}

/// The results of all operations.
fn answer(applied: Vec<BulkOutcome>) -> ChangeCardsResponse {
    let results: Vec<CardOperationResult> = applied.into_iter().map(result).collect();
    let applied = results.iter().filter(|result| result.error.is_none()).count();
    ChangeCardsResponse { results, applied }
}

/// The result of one operation.
fn result(applied: BulkOutcome) -> CardOperationResult {
    match applied {
        BulkOutcome::Created(written) => CardOperationResult { status: 201, ..of_written(written) },
        BulkOutcome::Changed(written) => CardOperationResult { status: 200, ..of_written(written) },
        BulkOutcome::Deleted(written) => {
            CardOperationResult { status: 200, deleted: Some(true), ..of_written(written) }
        }
        BulkOutcome::Refused(failure) => {
            let error = Error::from(failure).at(Location::Body);
            CardOperationResult {
                status: wire::status_of(error.code),
                error: Some(Refusal::from(&error)),
                ..CardOperationResult::default()
            }
        }
    }
}

/// The result of a written card.
fn of_written(WrittenCard { card, head }: WrittenCard) -> CardOperationResult {
    CardOperationResult {
        card_id: Some(card),
        history_head_id: Some(head.id),
        history_head_sequence: Some(head.sequence),
        ..CardOperationResult::default()
    }
}
