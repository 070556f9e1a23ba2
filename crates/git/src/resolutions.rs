//! The decisions that a merge is given, each to be used once.

use std::collections::HashMap;

use domain::field::FieldPath;
use domain::id::ObjectId;
use domain::merge::{Decision, Resolution};
use domain::{Error, Result};

/// The decisions that have not been used yet.
pub(crate) struct Resolutions<'a> {
    left: HashMap<(ObjectId, FieldPath), (usize, &'a Decision)>,
    /// Where each decision on a parent stands among those of the request.
    parents: HashMap<ObjectId, usize>,
}

impl<'a> Resolutions<'a> {
    /// The decisions of a request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where one can't be made for its field, or two are for one.
    pub(crate) fn new(given: &'a [Resolution]) -> Result<Self> {
        let mut left = HashMap::new();
        let mut parents = HashMap::new();
        for (index, resolution) in given.iter().enumerate() {
            let Resolution { object_id, field, decision } = resolution;
            resolution.check(&path(index))?;
            if left.insert((*object_id, field.clone()), (index, decision)).is_some() {
                return Err(at(index, "uniqueItems", "decides what another has decided"));
            }
            if field.as_str() == FieldPath::PARENT {
                parents.insert(*object_id, index);
            }
        }
        Ok(Self { left, parents })
    }

    /// The decision on a field, which counts as used then.
    pub(crate) fn take(&mut self, id: ObjectId, field: &FieldPath) -> Option<&'a Decision> {
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
            Some(index) => Err(at(*index, "conflict", "decides what is not in conflict")),
            None => Ok(()),
        }
    }
}

fn at(index: usize, rule: &str, message: &str) -> Error {
    Error::invalid(path(index), rule, message)
}

fn path(index: usize) -> String {
    format!("body.resolutions[{index}]")
}
