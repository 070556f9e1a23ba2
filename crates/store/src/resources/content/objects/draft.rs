//! A change of a branch's objects in the making: edits are applied in memory, in their order, and written at once.

use std::collections::{BTreeSet, HashMap, HashSet};

use diesel::sql_types::{Array, Binary, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::edit::{Edit, EditAction, IfMatch, NewObject, ObjectChanges, check_data, merge, within_batch};
use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Object};
use domain::patch::Patch;
use domain::{Code, Error, Result};
use git::Files;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::project::Branch;
use crate::db::prelude::*;
use crate::resources::content::objects::{self, BranchObject, ChangeContext};
use crate::resources::content::structure::Structure;
use crate::resources::content::{git_objects, uncommitted};
use crate::resources::store::Tx;

/// Most objects that one statement writes.
const WRITTEN: usize = 1_024;

/// The objects of a locked branch that a change is about.
pub(crate) struct BranchDraft {
    project: ProjectId,
    branch: Branch,
    /// Those that the edits name or have created.
    known: HashMap<ObjectId, EditedObject>,
    /// Read where an edit moves or deletes.
    structure: Option<Structure>,
    /// Those that have to be written.
    touched: BTreeSet<ObjectId>,
    /// Those that were moved, and where the request says so.
    moved: Vec<(ObjectId, Option<usize>)>,
}

/// An object that edits are about.
struct EditedObject {
    /// What it is now; `None` where it is not in the tree.
    now: Option<Object>,
    /// What the head has of it, where no working change says.
    head: Option<Object>,
}

impl BranchDraft {
    /// Reads what `edits` are about, in a number of queries that does not depend on theirs.
    pub(crate) async fn load(
        tx: &mut Tx,
        project: ProjectId,
        branch: Branch,
        edits: &[Edit],
    ) -> Result<Self> {
        let mut named: HashSet<ObjectId> = HashSet::new();
        let mut needs_structure = false;
        for edit in edits {
            match &edit.action {
                EditAction::Create(new) => named.extend([new.parent]),
                EditAction::Change(changes, _) => {
                    named.insert(edit.object);
                    named.extend(changes.parent);
                    needs_structure |= changes.parent.is_some();
                }
                EditAction::Delete(_) => {
                    named.insert(edit.object);
                    needs_structure = true;
                }
            }
        }
        let found = objects::find_all(tx, project, &branch, named).await?;
        let known = found.into_iter().map(|(id, found)| {
            let known = match found {
                BranchObject::Uncommitted(now) => EditedObject { now, head: None },
                BranchObject::Committed(object) => {
                    EditedObject { now: Some(object.clone()), head: Some(object) }
                }
            };
            (id, known)
        });
        let known = known.collect();
        let structure =
            if needs_structure { Some(Structure::load(tx, project, &branch).await?) } else { None };
        Ok(Self { project, branch, known, structure, touched: BTreeSet::new(), moved: Vec::new() })
    }

    /// Applies an edit; returns how many objects it created, changed or deleted.
    pub(crate) fn apply(&mut self, edit: &Edit) -> Result<usize> {
        let applied = match &edit.action {
            EditAction::Create(new) => self.create(edit, new),
            EditAction::Change(changes, expected) => self.change(edit, changes, expected.as_ref()),
            EditAction::Delete(expected) => self.delete(edit, expected.as_ref()),
        };
        applied.map_err(|error| within_batch(edit.operation, error))
    }

    /// Writes everything that was applied.
    pub(crate) async fn save(mut self, tx: &mut Tx, change: &ChangeContext) -> Result<()> {
        self.refuse_cycles()?;
        let touched = std::mem::take(&mut self.touched);
        let (unread, read): (Vec<ObjectId>, Vec<ObjectId>) =
            touched.into_iter().partition(|id| self.is_unread(*id));
        let value = |object: Object| serde_json::to_value(object).map_err(Error::internal);
        for slice in read.chunks(WRITTEN) {
            let mut rows = Vec::with_capacity(slice.len());
            for id in slice {
                let EditedObject { now, head } =
                    self.known.remove(id).unwrap_or(EditedObject { now: None, head: None });
                rows.push(NewState {
                    object: *id,
                    record: now.map(value).transpose()?,
                    head: head.map(value).transpose()?,
                });
            }
            write(tx, change, rows).await?;
        }
        match self.branch.head {
            Some(head) if !unread.is_empty() => remove(tx, self.project, change, head, &unread).await,
            _ => Ok(()),
        }
    }

    /// An object as it is now.
    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        self.known.get(&id)?.now.as_ref()
    }

    fn create(&mut self, edit: &Edit, new: &NewObject) -> Result<usize> {
        self.require_parent(new.parent)?;
        check_data("data", &new.data)?;
        let object = Object {
            id: edit.object,
            name: new.name.clone(),
            object_type: new.object_type.as_str().to_owned(),
            parent: new.parent,
            kind: None,
            file: None,
            include: None,
            data: new.data.clone(),
        };
        if object.reserved(self.project).is_some() {
            return Err(reserved(&object));
        }
        self.place(object.id, Some(object.parent));
        self.touched.insert(object.id);
        self.known.insert(object.id, EditedObject { now: Some(object), head: None });
        Ok(1)
    }

    fn change(&mut self, edit: &Edit, changes: &ObjectChanges, expected: Option<&IfMatch>) -> Result<usize> {
        let old = self.expect(edit, expected)?;
        let mut object = old.clone();
        let was_reserved = old.reserved(self.project);
        let ObjectChanges { name, object_type, parent, data } = changes;
        if let Some(name) = name {
            object.name = name.clone();
        }
        if let Some(object_type) = object_type {
            object.object_type = object_type.as_str().to_owned();
        }
        match data {
            Patch::Absent => {}
            Patch::Clear => object.data.clear(),
            Patch::Set(patch) => {
                merge(&mut object.data, patch.clone());
                check_data("data", &object.data)?;
            }
        }
        if let Some(parent) = parent {
            self.require_parent(*parent)?;
            object.parent = *parent;
        }
        // A reserved package stays that one, and nothing else becomes one.
        if was_reserved != object.reserved(self.project) {
            return Err(reserved(&object));
        }
        if let Some(parent) = parent {
            self.place(object.id, Some(*parent));
            self.moved.push((object.id, edit.operation));
        }
        self.touched.insert(object.id);
        if let Some(known) = self.known.get_mut(&edit.object) {
            known.now = Some(object);
        }
        Ok(1)
    }

    fn delete(&mut self, edit: &Edit, expected: Option<&IfMatch>) -> Result<usize> {
        let object = self.expect(edit, expected)?;
        if object.reserved(self.project).is_some() {
            return Err(reserved(object));
        }
        let subtree = self.structure.as_ref().map_or_else(Vec::new, |known| known.subtree(edit.object));
        for id in &subtree {
            self.place(*id, None);
            self.touched.insert(*id);
            if let Some(known) = self.known.get_mut(id) {
                known.now = None;
            }
        }
        Ok(subtree.len())
    }

    /// The object of an edit, where it is there and as expected.
    fn expect(&self, edit: &Edit, expected: Option<&IfMatch>) -> Result<&Object> {
        let object = self.object(edit.object).ok_or_else(|| match edit.operation {
            None => Error::not_found(),
            Some(_) => Error::invalid("id", "exists", "is not in the tree"),
        })?;
        let Some(expected) = expected else { return Ok(object) };
        let etag = objects::etag(object)?;
        if expected.holds(&etag) {
            return Ok(object);
        }
        Err(Error::new(Code::PreconditionFailed, "The object is not as `If-Match` expects it.")
            .with_details(json!({ "objectId": object.id, "etag": format!("\"{etag}\"") })))
    }

    fn require_parent(&self, parent: ObjectId) -> Result<()> {
        if parent == self.project.into() || self.object(parent).is_some() {
            return Ok(());
        }
        Err(Error::invalid("parent", "exists", "is not in the tree"))
    }

    /// Objects may pass each other within a change; in the end each has to hang in the tree.
    fn refuse_cycles(&self) -> Result<()> {
        let Some(structure) = &self.structure else { return Ok(()) };
        let moved = self.moved.iter().filter(|(id, _)| self.object(*id).is_some());
        let Some(adrift) = structure.first_adrift(moved.map(|(id, _)| *id)) else { return Ok(()) };
        let operation =
            self.moved.iter().rfind(|(id, _)| *id == adrift).and_then(|(_, operation)| *operation);
        Err(within_batch(operation, Error::invalid("parent", "cycle", "hangs under the object itself")))
    }

    fn place(&mut self, id: ObjectId, parent: Option<ObjectId>) {
        if let Some(structure) = &mut self.structure {
            structure.place(id, parent);
        }
    }

    /// Whether the head's state of a touched object has still to be read: it went with the object above it.
    fn is_unread(&self, id: ObjectId) -> bool {
        let was_uncommitted = || self.structure.as_ref().is_some_and(|known| known.was_uncommitted(id));
        !self.known.contains_key(&id) && !was_uncommitted()
    }
}

/// What becomes of an object of a locked branch.
pub(crate) struct NewState {
    pub(crate) object: ObjectId,
    /// What it is now; `None` where it is deleted.
    pub(crate) record: Option<Value>,
    /// What the head has of it, where no working change says.
    pub(crate) head: Option<Value>,
}

/// Writes the states of objects into the working changes. What is as the head has it is no change any more.
pub(crate) async fn write(tx: &mut Tx, change: &ChangeContext, states: Vec<NewState>) -> Result<()> {
    let (mut ids, mut records, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    for NewState { object, record, head } in states {
        ids.push(object.0);
        records.push(record);
        heads.push(head);
    }
    Statement::new(include_str!("draft/save.sql"))
        .bind::<SqlUuid, _>(change.branch)
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Array<Nullable<Jsonb>>, _>(records)
        .bind::<Array<Nullable<Jsonb>>, _>(heads)
        .bind::<SqlUuid, _>(change.user.0)
        .bind::<Timestamptz, _>(change.now.0)
        .execute(tx)
        .await
        .map_err(uncommitted::failure)?;
    Ok(())
}

/// Deletes objects that only the head knows, without reading them: a folder may have any number of them below it.
async fn remove(
    tx: &mut Tx,
    project: ProjectId,
    change: &ChangeContext,
    head: CommitHash,
    objects: &[ObjectId],
) -> Result<()> {
    let files = git_objects::files(tx, project, Files::of(head, objects.iter().copied())).await?;
    if files.len() != objects.len() {
        return Err(Error::internal("an object of the head's tree is not in the head"));
    }
    for slice in files.chunks(WRITTEN) {
        let (ids, blobs): (Vec<Uuid>, Vec<&[u8]>) =
            slice.iter().map(|(id, blob)| (id.0, blob.0.as_slice())).unzip();
        let removed = Statement::new(include_str!("draft/remove.sql"))
            .bind::<SqlUuid, _>(change.branch)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<Binary>, _>(blobs)
            .bind::<SqlUuid, _>(change.user.0)
            .bind::<Timestamptz, _>(change.now.0)
            .bind::<SqlUuid, _>(project.0)
            .execute(tx)
            .await
            .map_err(uncommitted::failure)?;
        if removed != slice.len() {
            return Err(Error::internal("a file of the head is missing"));
        }
    }
    Ok(())
}

/// The refusal of an edit that would take a reserved package away, or make another.
fn reserved(object: &Object) -> Error {
    Error::new(Code::ReservedObject, "The packages that every project holds stay what and where they are.")
        .with_details(json!({ "objectId": object.id, "name": object.name }))
}
