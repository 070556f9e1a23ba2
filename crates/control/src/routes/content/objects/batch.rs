//! Edit many objects at once, atomically.

use std::collections::HashMap;

use api::content::objects::{
    BatchObjects, BatchObjectsRequest, BatchObjectsResponse, ObjectOperation, OperationResult,
};
use auth::actor::ProjectWrite;
use domain::content::edit::{
    BATCH_MAX_OPERATIONS, Edit, EditAction, IfMatch, NewObject, ObjectChanges, within_batch,
};
use domain::id::{ObjectId, ProjectId};
use domain::time::Timestamp;
use domain::{Error, Result, Rule, patch};
use store::content::objects;
use wire::{Created, Reply, Request, UnreadJson, aside};

use crate::app::App;

/// Prefix of a reference to an object of the batch, in place of an id.
const MARK: char = '#';

/// Creates, changes, moves and deletes up to 10,000 objects of a branch, atomically.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, BatchObjects, UnreadJson<BatchObjectsRequest>>,
) -> Result<Created<BatchObjectsResponse>> {
    let (call, at) = (&request.call, &request.path.project_id);
    let BatchObjectsRequest { operations } = request.body.read(app.bounds.batch_body_bytes).await?;
    let (project, now) = (at.project, call.now);
    let batch = aside::run(move || ValidatedBatch::read(operations, project, now)).await??;
    let done = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            Ok(batch.answer(&objects::edit(tx, project, call, &batch.edits).await?))
        })
        .await?;
    Ok(Reply::created(done))
}

/// A validated batch.
struct ValidatedBatch {
    edits: Vec<Edit>,
    /// The reference of each edit's object.
    references: Vec<Option<String>>,
}

impl ValidatedBatch {
    fn read(operations: Vec<ObjectOperation>, project: ProjectId, now: Timestamp) -> Result<Self> {
        if operations.is_empty() {
            return Err(Error::broken("operations", Rule::MinItems(1)));
        }
        if operations.len() > BATCH_MAX_OPERATIONS {
            return Err(Error::broken("operations", Rule::MaxItems(BATCH_MAX_OPERATIONS)));
        }
        // Ids of one millisecond have no order, and siblings are shown in the order of their ids.
        let mut fresh: Vec<ObjectId> = operations.iter().map(|_| ObjectId::new(now)).collect();
        fresh.sort_unstable_by(|one, other| other.cmp(one));
        let mut builder = EditBuilder { project, fresh, made: HashMap::new() };
        let read = operations.into_iter().enumerate().map(|(number, operation)| {
            let reference = operation.reference();
            let read = builder.read(number, operation);
            if let (Err(_), Some(reference)) = (&read, reference) {
                // Later operations that name its object break no rule.
                builder.made.entry(reference).or_insert(project.into());
            }
            read.map_err(|error| within_batch(Some(number), error))
        });
        let (edits, references) = Error::all(read)?.into_iter().unzip();
        Ok(Self { edits, references })
    }

    fn answer(&self, edited: &objects::EditResult) -> BatchObjectsResponse {
        let ids = self.edits.iter().map(|edit| edit.object);
        let results = ids.zip(&self.references);
        let mut answer = BatchObjectsResponse {
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
struct EditBuilder {
    project: ProjectId,
    /// Ids for new objects, the smallest last.
    fresh: Vec<ObjectId>,
    /// The objects by their reference.
    made: HashMap<String, ObjectId>,
}

impl EditBuilder {
    fn read(&mut self, number: usize, operation: ObjectOperation) -> Result<(Edit, Option<String>)> {
        let mut named = None;
        let (object, action) = match operation {
            ObjectOperation::Create { reference, name, object_type, parent, data } => {
                let parent = match parent {
                    Some(parent) => self.object("parent", &parent)?,
                    None => self.project.into(),
                };
                let id = self.fresh.pop().ok_or_else(|| Error::internal("a batch ran out of ids"))?;
                if let Some(reference) = reference {
                    if self.made.insert(reference.clone(), id).is_some() {
                        let message = "must be another than those of the operations before";
                        return Err(Error::invalid("ref", Rule::Duplicate, message));
                    }
                    named = Some(reference);
                }
                (id, EditAction::Create(NewObject { name, object_type, parent, data }))
            }
            ObjectOperation::Update { id, name, object_type, parent, data, if_match } => {
                let parent = parent.not_cleared("parent")?;
                let changes = patch::not_empty(ObjectChanges {
                    name: name.not_cleared("name")?,
                    object_type: object_type.not_cleared("type")?,
                    parent: parent.map(|parent| self.object("parent", &parent)).transpose()?,
                    data,
                })?;
                let expected = if_match.map(|text| IfMatch::parse("ifMatch", &text)).transpose()?;
                (self.object("id", &id)?, EditAction::Change(changes, expected))
            }
            ObjectOperation::Delete { id, if_match } => {
                let expected = if_match.map(|text| IfMatch::parse("ifMatch", &text)).transpose()?;
                (self.object("id", &id)?, EditAction::Delete(expected))
            }
        };
        Ok((Edit { operation: Some(number), object, action }, named))
    }

    /// Resolves an id or a reference of the batch.
    fn object(&self, field: &str, text: &str) -> Result<ObjectId> {
        match text.strip_prefix(MARK) {
            Some(reference) => self.made.get(reference).copied().ok_or_else(|| {
                Error::invalid(field, Rule::Exists, "names no object that an earlier operation creates")
            }),
            None => text.parse().map_err(|_| {
                Error::invalid(field, Rule::format("object-reference"), "must be an id, or `#` and a `ref`")
            }),
        }
    }
}
