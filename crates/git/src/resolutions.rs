//! The decisions that a merge is given, each to be used once.

use std::collections::HashMap;

use domain::field::FieldPath;
use domain::id::ObjectId;
use domain::merge::{Decision, Resolution};
use domain::{Error, Result};

/// The decisions that have not been used yet.
pub(crate) struct Resolutions {
    left: HashMap<(ObjectId, FieldPath), (usize, Decision)>,
    /// Where each decision on a parent stands among those of the request.
    parents: HashMap<ObjectId, usize>,
    /// The same of decisions on whole objects.
    wholes: HashMap<ObjectId, usize>,
}

impl Resolutions {
    /// The decisions of a request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where one can't be made for its field, or two are for one.
    pub(crate) fn new(given: &[Resolution]) -> Result<Self> {
        let mut left = HashMap::new();
        let (mut parents, mut wholes) = (HashMap::new(), HashMap::new());
        for (index, resolution) in given.iter().enumerate() {
            let Resolution { object_id, field, .. } = resolution;
            let decision = resolution.decision(&path(index))?;
            if left.insert((*object_id, field.clone()), (index, decision)).is_some() {
                return Err(at(index, "uniqueItems", "decides what another has decided"));
            }
            if field.as_str() == FieldPath::PARENT {
                parents.insert(*object_id, index);
            }
            if field.is_whole() {
                wholes.insert(*object_id, index);
            }
        }
        Ok(Self { left, parents, wholes })
    }

    /// The decision on a field, which counts as used then.
    pub(crate) fn take(&mut self, id: ObjectId, field: &FieldPath) -> Option<Decision> {
        self.left.remove(&(id, field.clone())).map(|(_, decision)| decision)
    }

    /// The failure of an object that hangs under nothing because it was decided so.
    pub(crate) fn no_such_parent(&self, child: ObjectId) -> Option<Error> {
        let index = self.parents.get(&child)?;
        Some(at(*index, "parent", "names a parent that the merged tree does not hold"))
    }

    /// Checks that each was of use: one that decides nothing may come from a state that is no longer so.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where one was not.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.left.values().map(|(index, _)| index).min() {
            Some(index) => Err(decides_nothing(*index)),
            None => Ok(()),
        }
    }

    /// The failure of a decision on a whole object that turned out to be in no conflict.
    pub(crate) fn needless(&self, object: ObjectId) -> Option<Error> {
        self.wholes.get(&object).copied().map(decides_nothing)
    }
}

fn decides_nothing(index: usize) -> Error {
    at(index, "conflict", "decides what is not in conflict")
}

fn at(index: usize, rule: &str, message: &str) -> Error {
    Error::invalid(path(index), rule, message)
}

fn path(index: usize) -> String {
    format!("body.resolutions[{index}]")
}
