//! Create, change and delete many cards in one request.

use api::cards::{CardOperationResult, ChangeCardsRequest, ChangeCardsResponse, HistoryHeadRequest};
use auth::actor::CardWrite;
use domain::card::{CreateCard, UpdateCard};
use domain::error::{Location, Refusal};
use domain::{Error, Result, Rule};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use store::cards::bulk::{self, Bulk, BulkChange, BulkOutcome, MAX_OPERATIONS, WrittenCard};
use wire::{IdempotentReply, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// The values of `op`.
const OPERATIONS: [&str; 9] =
    ["create", "update", "delete", "assign", "unassign", "tag", "untag", "link", "unlink"];

/// The operations are read by their parts, so that failures name their place.
type Body = ChangeCardsRequest<Map<String, Value>>;

/// Applies up to 500 operations in one transaction, in their order. Without `atomic`, a failed operation reports its
/// failure and doesn't affect the others. With it, one failure rolls back all of them and becomes the answer, with its
/// position in `details.operation`. A request with a deletion needs `cards:manage`.
pub async fn handle(
    app: App,
    request: Request<CardWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<IdempotentReply<ChangeCardsResponse>> {
    let call = &request.call;
    let ChangeCardsRequest { atomic, operations } = request.body.0;
    let operations = read(operations)?;
    let deletes = operations
        .iter()
        .any(|operation| matches!(operation, bulk::BulkOperation::Change { change: BulkChange::Delete, .. }));
    let delete_call = deletes.then(|| call.also()).transpose()?;
    let bulk = Bulk { operations, atomic, delete_call };
    let applied = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            bulk::apply(tx, project, call, &bulk).await
        })
        .await?;
    Ok(Reply::idempotent(applied.map(answer)))
}

/// Reads the operations of a request.
fn read(operations: Vec<Map<String, Value>>) -> Result<Vec<bulk::BulkOperation>> {
    if operations.is_empty() {
        return Err(Error::broken("operations", Rule::MinItems(1)));
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(Error::broken("operations", Rule::MaxItems(MAX_OPERATIONS)));
    }
    let operations = operations.into_iter().enumerate();
    Error::all(operations.map(|(position, fields)| OperationFields::new(position, fields).read()))
}

/// An operation of a body, whose fields are removed as they are read.
struct OperationFields {
    place: String,
    fields: Map<String, Value>,
}

impl OperationFields {
    fn new(position: usize, fields: Map<String, Value>) -> Self {
        Self { place: format!("operations[{position}]"), fields }
    }

    fn read(mut self) -> Result<bulk::BulkOperation> {
        let op: String = self.take("op")?;
        if op == "create" {
            let new = wire::parse_part::<CreateCard>(&self.place, self.fields)?.validate();
            return new.map(bulk::BulkOperation::Create).map_err(|error| error.within(&self.place));
        }
        if op == "update" {
            let card = self.take("cardId")?;
            let body: UpdateCard = wire::parse_part(&self.place, self.fields)?;
            let expected = body.expected_history_head_id;
            let changes = body.validate().map_err(|error| error.within(&self.place))?;
            return Ok(bulk::BulkOperation::Change { card, change: BulkChange::Update(changes), expected });
        }
        let change = match op.as_str() {
            "delete" => BulkChange::Delete,
            "assign" => BulkChange::Assign(self.take("userId")?),
            "unassign" => BulkChange::Unassign(self.take("userId")?),
            "tag" => BulkChange::Tag(self.take("tagId")?),
            "untag" => BulkChange::Untag(self.take("tagId")?),
            "link" => BulkChange::Link(self.take("objectId")?),
            "unlink" => BulkChange::Unlink(self.take("objectId")?),
            _ => {
                let known = OPERATIONS.iter().map(|op| Value::from(*op)).collect();
                return Err(Error::broken(format!("{}.op", self.place), Rule::Enum(known)));
            }
        };
        let card = self.take("cardId")?;
        let HistoryHeadRequest { expected_history_head_id: expected } =
            wire::parse_part(&self.place, self.fields)?;
        Ok(bulk::BulkOperation::Change { card, change, expected })
    }

    /// Reads a required field.
    fn take<T: DeserializeOwned>(&mut self, field: &str) -> Result<T> {
        let place = format!("{}.{field}", self.place);
        match self.fields.remove(field) {
            Some(value) => wire::parse_part(&place, value),
            None => Err(Error::broken(place, Rule::Required)),
        }
    }
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
