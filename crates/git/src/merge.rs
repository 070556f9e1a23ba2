//! Merging two lines of commits by object and field.
//!
//! A change of one side, or the same change of both, is applied. Different changes conflict; all conflicts are reported
//! at once. The result is always a tree under the project, for all sides and resolutions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::content::field::FieldPath;
use domain::content::merge::{Conflict, ConflictKind, Decision, Resolution};
use domain::content::object::Object;
use domain::content::project::RESERVED_PACKAGES;
use domain::id::{ObjectId, ProjectId};
use domain::{Error, Result, Rule};
use serde_json::Value;

use crate::compare::Difference;
use crate::fields::FieldMerge;
use crate::resolutions::Resolutions;
use crate::tree_draft::TreeDraft;

/// The input of a merge of the changes from base to theirs into ours.
#[derive(Debug)]
pub struct Merge<'a> {
    /// The project, the root of the tree.
    pub project: ProjectId,
    /// The parent of each object of ours.
    pub ours: HashMap<ObjectId, ObjectId>,
    /// The objects that differ between base, ours and theirs; versions in this order.
    pub differing: &'a [Difference<3>],
    /// The resolutions of conflicts.
    pub resolutions: &'a [Resolution],
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeResult {
    /// Changes to ours; `None` deletes an object. Empty if theirs has nothing new.
    Clean(BTreeMap<ObjectId, Option<Object>>),
    /// Unresolved conflicts, ordered by object and field.
    Conflicting(Vec<Conflict>),
}

impl Merge<'_> {
    /// Merges.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if a resolution is impossible or without a conflict; `INTERNAL_ERROR` if an object is
    /// unreadable.
    pub fn run(self) -> Result<MergeResult> {
        let Self { project, ours, differing, resolutions } = self;
        let decides_wholes = resolutions.iter().any(|resolution| resolution.field.is_whole());
        let undecided =
            decides_wholes.then(|| Merge { project, ours: ours.clone(), differing, resolutions: &[] });
        let mut progress = MergeProgress {
            project,
            tree_draft: TreeDraft::new(project, ours),
            resolutions: Resolutions::new(resolutions)?,
            merged: BTreeMap::new(),
            conflicts: BTreeMap::new(),
            undisputed: BTreeSet::new(),
        };
        for object in differing {
            progress.merge_object(object)?;
        }
        progress.settle()?;
        progress.find_cycles()?;
        progress.refuse_reserved()?;
        if let Some(undecided) = undecided {
            progress.refuse_needless(undecided)?;
        }
        progress.finish()
    }
}

/// An object in the three commits.
struct Versions {
    base: Option<Object>,
    ours: Option<Object>,
    theirs: Option<Object>,
}

/// The merged state of a different object.
struct MergedObject {
    versions: Versions,
    result: Option<Object>,
    /// True if a resolution deletes the object with its subtree.
    sweeps: bool,
}

struct MergeProgress {
    project: ProjectId,
    /// The merged tree so far.
    tree_draft: TreeDraft,
    resolutions: Resolutions,
    merged: BTreeMap<ObjectId, MergedObject>,
    conflicts: BTreeMap<(ObjectId, FieldPath), Conflict>,
    /// Resolved objects that only one side touched, by deleting them. Objects below must need them, else there was no
    /// conflict.
    undisputed: BTreeSet<ObjectId>,
}

impl MergeProgress {
    /// Merges one object, regardless of the others.
    fn merge_object(&mut self, differing: &Difference<3>) -> Result<()> {
        let id = differing.id;
        let [base, ours, theirs] = &differing.records;
        let read = |record: &Option<crate::ObjectRecord>| {
            record.as_ref().map(crate::ObjectRecord::object).transpose()
        };
        let versions = Versions { base: read(base)?, ours: read(ours)?, theirs: read(theirs)? };
        let mut sweeps = false;
        let result = match (&versions.ours, &versions.theirs) {
            (None, None) => None,
            (Some(ours), Some(theirs)) => {
                Some(self.merge_fields(id, versions.base.as_ref(), ours, theirs)?)
            }
            (Some(held), None) | (None, Some(held)) => {
                let both_touched = versions.base.is_some() && versions.base.as_ref() != Some(held);
                // An object of one side only can't conflict.
                let decision =
                    versions.base.as_ref().and_then(|_| self.resolutions.take(id, &FieldPath::default()));
                if decision.is_some() && !both_touched {
                    self.undisputed.insert(id);
                }
                let stays = match decision {
                    Some(Decision::Ours) => versions.ours.is_some(),
                    Some(Decision::Theirs) => versions.theirs.is_some(),
                    Some(Decision::Delete) => false,
                    Some(Decision::Keep | Decision::Value(_)) => true,
                    None => versions.base.as_ref() != Some(held),
                };
                sweeps = decision.is_some() && !stays;
                if decision.is_none() && both_touched {
                    let conflict = whole(id, &versions, ConflictKind::Deleted)?;
                    self.conflicts.insert((id, FieldPath::default()), conflict);
                }
                if stays { Some(self.merge_fields(id, None, held, held)?) } else { None }
            }
        };
        self.tree_draft.put(id, result.as_ref().map(|object| object.parent));
        self.merged.insert(id, MergedObject { versions, result, sweeps });
        Ok(())
    }

    fn merge_fields(
        &mut self,
        id: ObjectId,
        base: Option<&Object>,
        ours: &Object,
        theirs: &Object,
    ) -> Result<Object> {
        let mut fields = FieldMerge { id, resolutions: &mut self.resolutions, conflicts: Vec::new() };
        let merged = fields.merge(base, ours, theirs)?;
        let conflicts = fields.conflicts;
        self.conflicts.extend(conflicts.into_iter().map(|conflict| ((id, conflict.field.clone()), conflict)));
        Ok(merged)
    }

    /// Gives each object an existing parent. A deletion by resolution includes the subtree; any other deletion of a
    /// parent is a conflict.
    fn settle(&mut self) -> Result<()> {
        loop {
            let loose = self.tree_draft.loose();
            if loose.is_empty() {
                return Ok(());
            }
            for (missing, below) in loose {
                if self.sweeps(missing) {
                    self.undisputed.remove(&missing);
                    below.into_iter().for_each(|id| self.remove(id));
                    continue;
                }
                let mut missing = missing;
                while !self.tree_draft.holds(missing) && !self.sweeps(missing) {
                    missing = self.restore(missing)?;
                }
            }
        }
    }

    /// True if a resolution deletes the object with its subtree.
    fn sweeps(&self, id: ObjectId) -> bool {
        self.merged.get(&id).is_some_and(|outcome| outcome.sweeps)
    }

    fn remove(&mut self, id: ObjectId) {
        self.tree_draft.put(id, None);
        let told = self.conflicts.range((id, FieldPath::default())..).map(|(key, _)| key);
        let told: Vec<_> = told.take_while(|(object, _)| *object == id).cloned().collect();
        for key in told {
            self.conflicts.remove(&key);
        }
        if let Some(outcome) = self.merged.get_mut(&id) {
            outcome.result = None;
        }
    }

    /// Restores a deleted object for the objects below it until the conflict is resolved; returns its parent.
    fn restore(&mut self, id: ObjectId) -> Result<ObjectId> {
        let outcome = self.merged.get_mut(&id).and_then(|outcome| {
            let held = outcome.versions.ours.as_ref().or(outcome.versions.theirs.as_ref())?.clone();
            let parent = held.parent;
            outcome.result = Some(held);
            Some((parent, &*outcome))
        });
        let Some((parent, outcome)) = outcome else {
            // Neither side has the object: a resolution named it as a parent.
            let refused =
                self.tree_draft.children(id).find_map(|child| self.resolutions.no_such_parent(child));
            return Err(refused.unwrap_or_else(|| {
                Error::internal(format!("objects have the parent {id}, which neither side of the merge has"))
            }));
        };
        let conflict = whole(id, &outcome.versions, ConflictKind::DeletedParent)?;
        self.conflicts.insert((id, FieldPath::default()), conflict);
        self.tree_draft.put(id, Some(parent));
        Ok(parent)
    }

    /// Reports cycles of moves as conflicts. The parent of an object whose deletion is unresolved comes later, because
    /// the deletion would end the conflict.
    fn find_cycles(&mut self) -> Result<()> {
        for id in self.tree_draft.cycles() {
            if self.conflicts.contains_key(&(id, FieldPath::default())) {
                continue;
            }
            let Some(MergedObject { versions, .. }) = self.merged.get(&id) else { continue };
            let conflict = place(id, versions, ConflictKind::Cycle)?;
            if conflict.ours != conflict.base || conflict.theirs != conflict.base {
                self.conflicts.entry((id, FieldPath::parent())).or_insert(conflict);
            }
        }
        Ok(())
    }

    /// Keeps reserved packages as they are, and prevents others: neither a resolution nor the name of one side together
    /// with the parent or type of the other may make one.
    fn refuse_reserved(&mut self) -> Result<()> {
        let project = self.project;
        let reserved = |object: &Option<Object>| object.as_ref().and_then(|object| object.reserved(project));
        for (id, MergedObject { versions, result, .. }) in &mut self.merged {
            let was = reserved(&versions.ours).or(reserved(&versions.theirs));
            if reserved(result) == was {
                continue;
            }
            if was.is_some() {
                let [model, library] = RESERVED_PACKAGES;
                let message = format!("must leave the packages `{model}` and `{library}` where they are");
                return Err(Error::invalid("resolutions", Rule::Reserved, message));
            }
            let parent = |object: &Option<Object>| object.as_ref().map(|object| object.parent);
            if parent(&versions.ours) != parent(&versions.theirs) {
                let conflict = place(*id, versions, ConflictKind::Field)?;
                self.conflicts.entry((*id, FieldPath::parent())).or_insert(conflict);
                continue;
            }
            let conflict = called(*id, versions)?;
            let decision = self.resolutions.take(*id, &FieldPath::name());
            let decided = decision.and_then(|decision| match decision {
                Decision::Theirs => versions.theirs.as_ref().map(|theirs| theirs.name.clone()),
                Decision::Value(value) => serde_json::from_value(value).ok(),
                Decision::Ours | Decision::Keep | Decision::Delete => {
                    versions.ours.as_ref().map(|ours| ours.name.clone())
                }
            });
            if let (Some(object), Some(name)) = (result.as_mut(), decided) {
                object.name = name;
            }
            if reserved(result).is_some() {
                self.conflicts.entry((*id, FieldPath::name())).or_insert(conflict);
            }
        }
        Ok(())
    }

    /// Refuses resolutions of whole objects that had no conflict, neither initially nor by other resolutions.
    fn refuse_needless(&mut self, undecided: Merge<'_>) -> Result<()> {
        for parent in self.tree_draft.parents() {
            self.undisputed.remove(&parent);
        }
        if self.undisputed.is_empty() {
            return Ok(());
        }
        if let MergeResult::Conflicting(conflicts) = undecided.run()? {
            for conflict in conflicts.iter().filter(|conflict| conflict.field.is_whole()) {
                self.undisputed.remove(&conflict.object_id);
            }
        }
        match self.undisputed.iter().find_map(|id| self.resolutions.needless(*id)) {
            Some(needless) => Err(needless),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<MergeResult> {
        self.resolutions.finish()?;
        if !self.conflicts.is_empty() {
            return Ok(MergeResult::Conflicting(self.conflicts.into_values().collect()));
        }
        let mut changes: BTreeMap<ObjectId, Option<Object>> = BTreeMap::new();
        // An object deleted with its parent is unchanged on both sides, or follows below.
        for id in self.tree_draft.removed() {
            changes.insert(id, None);
        }
        for (id, MergedObject { versions, result, .. }) in self.merged {
            if result == versions.ours {
                changes.remove(&id);
            } else {
                changes.insert(id, result);
            }
        }
        Ok(MergeResult::Clean(changes))
    }
}

/// A conflict of an object's parent.
fn place(id: ObjectId, versions: &Versions, kind: ConflictKind) -> Result<Conflict> {
    let value = |version: &Option<Object>| -> Result<Option<Value>> {
        let parent = version.as_ref().map(|object| object.parent);
        parent.map(serde_json::to_value).transpose().map_err(Error::internal)
    };
    let Versions { base, ours, theirs } = versions;
    let (base, ours, theirs) = (value(base)?, value(ours)?, value(theirs)?);
    Ok(Conflict { object_id: id, field: FieldPath::parent(), kind, base, ours, theirs })
}

/// A conflict of an object's name.
fn called(id: ObjectId, versions: &Versions) -> Result<Conflict> {
    let value = |version: &Option<Object>| -> Result<Option<Value>> {
        let name = version.as_ref().map(|object| &object.name);
        name.map(serde_json::to_value).transpose().map_err(Error::internal)
    };
    let Versions { base, ours, theirs } = versions;
    let (base, ours, theirs) = (value(base)?, value(ours)?, value(theirs)?);
    Ok(Conflict { object_id: id, field: FieldPath::name(), kind: ConflictKind::Field, base, ours, theirs })
}

/// A conflict of an object as a whole.
fn whole(id: ObjectId, versions: &Versions, kind: ConflictKind) -> Result<Conflict> {
    let value = |version: &Option<Object>| -> Result<Option<Value>> {
        version.as_ref().map(serde_json::to_value).transpose().map_err(Error::internal)
    };
    let Versions { base, ours, theirs } = versions;
    let (base, ours, theirs) = (value(base)?, value(ours)?, value(theirs)?);
    Ok(Conflict { object_id: id, field: FieldPath::default(), kind, base, ours, theirs })
}
