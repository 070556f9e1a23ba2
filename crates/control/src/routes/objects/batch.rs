//! Edit many objects at once: all of the operations or none.

use std::collections::HashMap;

use auth::actor::ProjectWrite;
use domain::edit::{
    BATCH_MAX_OPERATIONS, Edit, EditAction, IfMatch, NewObject, ObjectChanges, ObjectType, within_batch,
};
use domain::id::{ObjectId, ProjectId};
use domain::patch::Patch;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::content::objects;
use wire::{Created, NoQuery, Reply, Request, UnreadJson};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// What marks the name that the batch gives an object, where an id could stand.
const MARK: char = '#';

/// Operations, applied in their order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BatchObjectsRequest")]
pub struct Body {
    /// At most 10,000.
    #[schemars(length(min = 1, max = 10_000))]
    operations: Vec<Operation>,
}

/// One operation. Where an id stands, `#` and the `ref` of an object that an earlier operation creates may, too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ObjectOperation")]
enum Operation {
    /// Creates an object.
    Create {
        /// What later operations call it.
        #[serde(rename = "ref")]
        reference: Option<String>,
        /// Name.
        name: Name,
        /// Type; `Object` unless said.
        #[serde(rename = "type", default)]
        object_type: ObjectType,
        /// The object to hang it under; the project's own id unless said.
        parent: Option<String>,
        /// Free properties.
        #[serde(default)]
        data: Map<String, Value>,
    },
    /// Changes or moves an object.
    Update {
        /// The object.
        id: String,
        /// Name.
        #[serde(default)]
        name: Patch<Name>,
        /// Type.
        #[serde(rename = "type", default)]
        object_type: Patch<ObjectType>,
        /// The object to move it under.
        #[serde(default)]
        parent: Patch<String>,
        /// Merged into its properties (RFC 7396).
        #[serde(default)]
        data: Patch<Map<String, Value>>,
        /// The `ETag` that the object is expected to have.
        if_match: Option<String>,
    },
    /// Deletes an object with everything under it.
    Delete {
        /// The object.
        id: String,
        /// The `ETag` that the object is expected to have.
        if_match: Option<String>,
    },
}

/// What the operations came to.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BatchObjectsResponse")]
pub struct Answer {
    /// The object of each operation, in their order.
    results: Vec<OperationResult>,
    /// How many objects were created.
    created: usize,
    /// How many changes were made to objects.
    updated: usize,
    /// How many objects were deleted, those under others included.
    deleted: usize,
}

/// What an operation was about.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct OperationResult {
    /// The object.
    id: ObjectId,
    /// What the batch calls it.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

/// Creates, changes, moves and deletes up to 10,000 objects of a branch: all of it or nothing.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, UnreadJson<Body>>,
) -> Result<Created<Answer>> {
    let (call, at) = (&request.call, &request.path.project_id);
    let Body { operations } = request.body.read(app.batch_body_bytes).await?;
    let batch = Batch::read(operations, at.project, call.now)?;
    let done = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            Ok(batch.answer(&objects::edit(tx, project, call, &batch.edits).await?))
        })
        .await?;
    Ok(Reply::created(done))
}

/// A checked batch.
struct Batch {
    edits: Vec<Edit>,
    /// What the batch calls the object of each edit.
    references: Vec<Option<String>>,
}

impl Batch {
    fn read(operations: Vec<Operation>, project: ProjectId, now: Timestamp) -> Result<Self> {
        if operations.is_empty() {
            return Err(Error::invalid("operations", "minItems", "must not be empty"));
        }
        if operations.len() > BATCH_MAX_OPERATIONS {
            let message = format!("must be at most {BATCH_MAX_OPERATIONS}");
            return Err(Error::invalid("operations", "maxItems", message));
        }
        // Ids of one millisecond are in no order; siblings are shown in that of their ids.
        let mut fresh: Vec<ObjectId> = operations.iter().map(|_| ObjectId::new(now)).collect();
        fresh.sort_unstable_by(|one, other| other.cmp(one));
        let mut reader = Reader { project, fresh, made: HashMap::new() };
        let (mut edits, mut references) = (Vec::new(), Vec::new());
        for (number, operation) in operations.into_iter().enumerate() {
            let (edit, reference) =
                reader.read(number, operation).map_err(|error| within_batch(Some(number), error))?;
            edits.push(edit);
            references.push(reference);
        }
        Ok(Self { edits, references })
    }

    fn answer(&self, edited: &objects::Edited) -> Answer {
        let ids = self.edits.iter().map(|edit| edit.object);
        let results = ids.zip(&self.references);
        let mut answer = Answer {
            results: results
                .map(|(id, reference)| OperationResult { id, reference: reference.clone() })
                .collect(),
            created: 0,
            updated: 0,
            deleted: 0,
        };
        for (edit, count) in self.edits.iter().zip(&edited.counts) {
            match edit.action {
                EditAction::Create(_) => answer.created += count,
                EditAction::Change(..) => answer.updated += count,
                EditAction::Delete(_) => answer.deleted += count,
            }
        }
        answer
    }
}

/// Turns operations into edits.
struct Reader {
    project: ProjectId,
    /// Ids for objects to be created, the least last.
    fresh: Vec<ObjectId>,
    /// The objects that the batch has given names.
    made: HashMap<String, ObjectId>,
}

impl Reader {
    fn read(&mut self, number: usize, operation: Operation) -> Result<(Edit, Option<String>)> {
        let mut named = None;
        let (object, action) = match operation {
            Operation::Create { reference, name, object_type, parent, data } => {
                let parent = match parent {
                    Some(parent) => self.object("parent", &parent)?,
                    None => self.project.into(),
                };
                let id = self.fresh.pop().ok_or_else(|| Error::internal("a batch ran out of ids"))?;
                if let Some(reference) = reference {
                    if self.made.insert(reference.clone(), id).is_some() {
                        let message = "must be another than those of the operations before";
                        return Err(Error::invalid("ref", "unique", message));
                    }
                    named = Some(reference);
                }
                (id, EditAction::Create(NewObject { name, object_type, parent, data }))
            }
            Operation::Update { id, name, object_type, parent, data, if_match } => {
                let parent = parent.not_cleared("parent")?;
                let changes = ObjectChanges {
                    name: name.not_cleared("name")?,
                    object_type: object_type.not_cleared("type")?,
                    parent: parent.map(|parent| self.object("parent", &parent)).transpose()?,
                    data,
                };
                if changes.is_empty() {
                    return Err(Error::invalid("", "minProperties", "must change something"));
                }
                let expected = if_match.as_deref().map(IfMatch::parse);
                (self.object("id", &id)?, EditAction::Change(changes, expected))
            }
            Operation::Delete { id, if_match } => {
                let expected = if_match.as_deref().map(IfMatch::parse);
                (self.object("id", &id)?, EditAction::Delete(expected))
            }
        };
        Ok((Edit { operation: Some(number), object, action }, named))
    }

    /// The object that an operation names by its id, or by the name that the batch gave it.
    fn object(&self, field: &str, text: &str) -> Result<ObjectId> {
        match text.strip_prefix(MARK) {
            Some(reference) => self.made.get(reference).copied().ok_or_else(|| {
                Error::invalid(field, "ref", "names no object that an earlier operation creates")
            }),
            None => {
                text.parse().map_err(|_| Error::invalid(field, "format", "must be an id, or `#` and a `ref`"))
            }
        }
    }
}
