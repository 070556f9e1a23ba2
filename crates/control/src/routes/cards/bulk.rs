//! Create, change and delete many cards in one request.

use auth::actor::CardWrite;
use domain::card::{CreateCard, UpdateCard};
use domain::error::{Location, Refusal};
use domain::history::Sequence;
use domain::id::{CardId, HistoryId, ObjectId, TagId, UserId};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::cards::bulk::{self, Bulk, BulkChange, BulkOutcome, MAX_OPERATIONS, WrittenCard};
use wire::{IdempotentReply, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::Expectation;
use crate::routes::projects::ProjectPath;

/// The values of `op`.
const OPERATIONS: [&str; 9] =
    ["create", "update", "delete", "assign", "unassign", "tag", "untag", "link", "unlink"];

/// Operations on cards, applied in their order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ChangeCardsRequest")]
pub struct Body {
    /// Let one failure roll back all operations. By default, each one succeeds or fails alone.
    #[serde(default)]
    atomic: bool,
    /// The operations: `op`, with the fields of the single operation's path and body.
    #[schemars(with = "Vec<CardOperation>", length(min = 1, max = 500))]
    operations: Vec<Map<String, Value>>,
}

/// One operation.
#[derive(JsonSchema)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[schemars(rename = "CardOperation")]
#[expect(
    dead_code,
    reason = "it is read by its parts, so that failures name their place; the document needs the whole"
)]
enum CardOperation {
    /// Creates a card.
    Create(CreateCard),
    /// Changes, closes or reopens a card.
    #[schemars(extend("additionalProperties" = false))]
    Update {
        card_id: CardId,
        #[serde(flatten)]
        changes: UpdateCard,
    },
    /// Deletes a card.
    #[schemars(extend("additionalProperties" = false))]
    Delete {
        card_id: CardId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Assigns a card to a user.
    #[schemars(extend("additionalProperties" = false))]
    Assign {
        card_id: CardId,
        user_id: UserId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Ends an assignment.
    #[schemars(extend("additionalProperties" = false))]
    Unassign {
        card_id: CardId,
        user_id: UserId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Puts a tag on a card.
    #[schemars(extend("additionalProperties" = false))]
    Tag {
        card_id: CardId,
        tag_id: TagId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Removes a tag from a card.
    #[schemars(extend("additionalProperties" = false))]
    Untag {
        card_id: CardId,
        tag_id: TagId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Links a card to an object of the project's tree.
    #[schemars(extend("additionalProperties" = false))]
    Link {
        card_id: CardId,
        object_id: ObjectId,
        #[serde(flatten)]
        expectation: Expectation,
    },
    /// Ends a card's link to an object.
    #[schemars(extend("additionalProperties" = false))]
    Unlink {
        card_id: CardId,
        object_id: ObjectId,
        #[serde(flatten)]
        expectation: Expectation,
    },
}

/// The results of the operations.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChangeCardsResponse")]
pub struct Answer {
    /// One result for each operation, in the same order.
    results: Vec<CardOperationResult>,
    /// Number of applied operations.
    applied: usize,
}

/// The result of one operation.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CardOperationResult {
    /// The HTTP status of the single operation: 201, 200, or that of its failure.
    status: u16,
    /// The created, changed or deleted card.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_id: Option<CardId>,
    /// The card's latest history row after this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_head_id: Option<HistoryId>,
    /// The sequence of that row.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_head_sequence: Option<Sequence>,
    /// Present and true if the card was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    /// The failure of this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal>,
}

/// Applies up to 500 operations in one transaction, in their order. Without `atomic`, a failed operation reports its
/// failure and doesn't affect the others. With it, one failure rolls back all of them and becomes the answer, with its
/// position in `details.operation`. A request with a deletion needs `cards:manage`.
pub async fn handle(
    app: App,
    request: Request<CardWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<IdempotentReply<Answer>> {
    let call = &request.call;
    let operations = request.body.0.operations()?;
    let deletes = operations
        .iter()
        .any(|operation| matches!(operation, bulk::BulkOperation::Change { change: BulkChange::Delete, .. }));
    let delete_call = deletes.then(|| call.also()).transpose()?;
    let bulk = Bulk { operations, atomic: request.body.0.atomic, delete_call };
    let applied = app
        .store
        .create(call, &request.path.project_id, async |tx, project| {
            bulk::apply(tx, project, call, &bulk).await
        })
        .await?;
    Ok(Reply::idempotent(applied.map(Answer::from)))
}

impl Body {
    fn operations(&self) -> Result<Vec<bulk::BulkOperation>> {
        if self.operations.is_empty() {
            return Err(Error::broken("operations", Rule::MinItems(1)));
        }
        if self.operations.len() > MAX_OPERATIONS {
            return Err(Error::broken("operations", Rule::MaxItems(MAX_OPERATIONS)));
        }
        let operations = self.operations.iter().enumerate();
        Error::all(operations.map(|(position, fields)| OperationFields::new(position, fields.clone()).read()))
    }
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
        let Expectation { expected_history_head_id: expected } = wire::parse_part(&self.place, self.fields)?;
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

impl From<Vec<BulkOutcome>> for Answer {
    fn from(applied: Vec<BulkOutcome>) -> Self {
        let results: Vec<CardOperationResult> = applied.into_iter().map(CardOperationResult::from).collect();
        let applied = results.iter().filter(|result| result.error.is_none()).count();
        Self { results, applied }
    }
}

impl From<BulkOutcome> for CardOperationResult {
    fn from(applied: BulkOutcome) -> Self {
        match applied {
            BulkOutcome::Created(written) => Self { status: 201, ..Self::of(written) },
            BulkOutcome::Changed(written) => Self { status: 200, ..Self::of(written) },
            BulkOutcome::Deleted(written) => Self { status: 200, deleted: Some(true), ..Self::of(written) },
            BulkOutcome::Refused(failure) => {
                let error = Error::from(failure).at(Location::Body);
                Self {
                    status: wire::status_of(error.code),
                    error: Some(Refusal::from(&error)),
                    ..Self::default()
                }
            }
        }
    }
}

impl CardOperationResult {
    fn of(WrittenCard { card, head }: WrittenCard) -> Self {
        Self {
            card_id: Some(card),
            history_head_id: Some(head.id),
            history_head_sequence: Some(head.sequence),
            ..Self::default()
        }
    }
}
