//! Drafts of changes: edits are applied to objects in memory, in their order, and then written together.

use std::collections::{BTreeSet, HashMap, HashSet};

use database::prelude::*;
use diesel::sql_types::{Array, Binary, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::content::edit::{
    Edit, EditAction, IfMatch, NewObject, ObjectChanges, check_data, merge, within_batch,
};
use domain::content::git_name::check_name;
use domain::content::object::{CommitHash, Object};
use domain::id::{ObjectId, ProjectId};
use domain::patch::Patch;
use domain::planning::custom_field::{CustomField, check_object_fields};
use domain::{Code, Error, Result, Rule};
use git::Files;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::project::Branch;
use crate::resources::branch_objects::{self, BranchObject};
use crate::resources::content::objects::{self, ChangeContext};
use crate::resources::content::structure::Structure;
use crate::resources::git_objects;
use crate::resources::store::Tx;
use crate::resources::uncommitted;

/// Most objects that one statement writes.
pub(crate) const WRITE_OBJECTS: usize = 1_024;

/// The objects of a locked branch that edits affect.
pub(crate) struct BranchDraft {
    project: ProjectId,
    branch: Branch,
    /// The custom fields of objects.
    fields: Vec<CustomField>,
    /// The objects that edits name or created.
    known: HashMap<ObjectId, EditedObject>,
    /// Loaded if an edit moves or deletes.
    structure: Option<Structure>,
    /// The objects to write.
    touched: BTreeSet<ObjectId>,
    /// The moved objects, with the places of their operations in the request.
    moved: Vec<(ObjectId, Option<usize>)>,
}

/// An object that edits affect.
struct EditedObject {
    /// Its present state; `None` if it is not in the tree.
    now: Option<Object>,
    /// Its state in the head, if it had no working change.
    head: Option<Object>,
}

impl BranchDraft {
    /// Loads the objects of `edits`. The number of queries does not depend on the number of edits.
    pub(crate) async fn load(
        tx: &mut Tx,
        (project, branch): (ProjectId, Branch),
        fields: Vec<CustomField>,
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
        let found = branch_objects::find_all(tx, project, &branch, named).await?;
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
        Ok(Self { project, branch, fields, known, structure, touched: BTreeSet::new(), moved: Vec::new() })
    }

    /// Applies an edit; returns the number of objects that it created, changed or deleted.
    pub(crate) fn apply(&mut self, edit: &Edit) -> Result<usize> {
        let applied = match &edit.action {
            EditAction::Create(new) => self.create(edit, new),
            EditAction::Change(changes, expected) => self.change(edit, changes, expected.as_ref()),
            EditAction::Delete(expected) => self.delete(edit, expected.as_ref()),
        };
        applied.map_err(|error| within_batch(edit.operation, error))
    }

    /// Writes all applied edits.
    pub(crate) async fn save(mut self, tx: &mut Tx, change: &ChangeContext) -> Result<()> {
        self.refuse_cycles()?;
        let touched = std::mem::take(&mut self.touched);
        let (unread, read): (Vec<ObjectId>, Vec<ObjectId>) =
            touched.into_iter().partition(|id| self.is_unread(*id));
        let value = |object: Object| serde_json::to_value(object).map_err(Error::internal);
        for slice in read.chunks(WRITE_OBJECTS) {
            let mut rows = Vec::with_capacity(slice.len());
            for id in slice {
                let absent = EditedObject { now: None, head: None };
                let EditedObject { now, head } = self.known.remove(id).unwrap_or(absent);
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

    /// An object in its present state.
    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        self.known.get(&id)?.now.as_ref()
    }

    fn create(&mut self, edit: &Edit, new: &NewObject) -> Result<usize> {
        self.require_parent(new.parent)?;
        check_name("name", &new.name)?;
        check_data("data", &new.data)?;
        let mut data = new.data.clone();
        check_object_fields(&self.fields, new.object_type.as_str(), None, &mut data)?;
        let object = Object {
            id: edit.object,
            name: new.name.clone(),
            object_type: new.object_type.as_str().to_owned(),
            parent: new.parent,
            kind: None,
            file: None,
            include: None,
            data,
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
            check_name("name", name)?;
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
        if edit.writes_data() {
            check_object_fields(&self.fields, &object.object_type, Some(&old.data), &mut object.data)?;
        }
        if let Some(parent) = parent {
            self.require_parent(*parent)?;
            object.parent = *parent;
        }
        // A reserved package stays reserved, and no other object becomes one.
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

    /// The object of an edit, after a check of its precondition.
    fn expect(&self, edit: &Edit, expected: Option<&IfMatch>) -> Result<&Object> {
        let object = self.object(edit.object).ok_or_else(|| match edit.operation {
            None => Error::not_found(),
            Some(_) => Error::invalid("id", Rule::Exists, "is not in the tree"),
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
        Err(Error::invalid("parent", Rule::Exists, "is not in the tree"))
    }

    /// Refuses moves that leave an object detached. Only the final state counts: objects may pass each other on the way.
    fn refuse_cycles(&self) -> Result<()> {
        let Some(structure) = &self.structure else { return Ok(()) };
        let moved = self.moved.iter().filter(|(id, _)| self.object(*id).is_some());
        let Some(detached) = structure.first_detached(moved.map(|(id, _)| *id)) else { return Ok(()) };
        let operation =
            self.moved.iter().rfind(|(id, _)| *id == detached).and_then(|(_, operation)| *operation);
        Err(within_batch(operation, Error::invalid("parent", Rule::Cycle, "hangs under the object itself")))
    }

    fn place(&mut self, id: ObjectId, parent: Option<ObjectId>) {
        if let Some(structure) = &mut self.structure {
            structure.place(id, parent);
        }
    }

    /// `true` if the head's state of a touched object was not loaded: it was deleted with its parent.
    fn is_unread(&self, id: ObjectId) -> bool {
        let was_uncommitted = || self.structure.as_ref().is_some_and(|known| known.was_uncommitted(id));
        !self.known.contains_key(&id) && !was_uncommitted()
    }
}

/// The new state of an object on a locked branch.
pub(crate) struct NewState {
    pub(crate) object: ObjectId,
    /// Its present state; `None` if it is deleted.
    pub(crate) record: Option<Value>,
    /// Its state in the head, if it had no working change.
    pub(crate) head: Option<Value>,
}

/// Writes states of objects into the working changes. An object that equals its state in the head has no working change.
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

/// Deletes objects that only the head holds, without loading them: a folder may contain any number.
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
    for slice in files.chunks(WRITE_OBJECTS) {
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

/// The refusal of an edit that would remove or create a reserved package.
fn reserved(object: &Object) -> Error {
    Error::new(Code::ReservedObject, "The packages that every project holds stay what and where they are.")
        .with_details(json!({ "objectId": object.id, "name": object.name }))
}
