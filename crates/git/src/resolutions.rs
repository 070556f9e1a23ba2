//! The resolutions given to a merge, each of which has to be used.

use std::collections::HashMap;

use domain::content::field::FieldPath;
use domain::content::merge::{Decision, Resolution};
use domain::id::ObjectId;
use domain::{Error, Result, Rule};

/// Unused resolutions.
pub(crate) struct Resolutions {
    left: HashMap<(ObjectId, FieldPath), (usize, Decision)>,
    /// Positions of resolutions of parents in the request.
    parents: HashMap<ObjectId, usize>,
    /// Positions of resolutions of whole objects.
    wholes: HashMap<ObjectId, usize>,
}

impl Resolutions {
    /// Checks the resolutions of a request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if one does not fit its field, or two have the same field.
    pub(crate) fn new(given: &[Resolution]) -> Result<Self> {
        let mut left = HashMap::new();
        let (mut parents, mut wholes) = (HashMap::new(), HashMap::new());
        for (index, resolution) in given.iter().enumerate() {
            let Resolution { object_id, field, .. } = resolution;
            let decision = resolution.decision(&path(index))?;
            if left.insert((*object_id, field.clone()), (index, decision)).is_some() {
                return Err(at(index, Rule::Duplicate, "decides what another has decided"));
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

    /// Uses the resolution of a field.
    pub(crate) fn take(&mut self, id: ObjectId, field: &FieldPath) -> Option<Decision> {
        self.left.remove(&(id, field.clone())).map(|(_, decision)| decision)
    }

    /// The failure of a resolution that names a missing parent.
    pub(crate) fn no_such_parent(&self, child: ObjectId) -> Option<Error> {
        let index = self.parents.get(&child)?;
        Some(at(*index, Rule::Exists, "names a parent that the merged tree does not hold"))
    }

    /// Checks that all were used. An unused one may stem from an outdated state.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if one was not used.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.left.values().map(|(index, _)| index).min() {
            Some(index) => Err(decides_nothing(*index)),
            None => Ok(()),
        }
    }

    /// The failure of resolving a whole object without a conflict.
    pub(crate) fn needless(&self, object: ObjectId) -> Option<Error> {
        self.wholes.get(&object).copied().map(decides_nothing)
    }
}

fn decides_nothing(index: usize) -> Error {
    at(index, Rule::Exists, "decides what is not in conflict")
}

fn at(index: usize, rule: Rule, message: &str) -> Error {
    Error::invalid(path(index), rule, message)
}

fn path(index: usize) -> String {
    format!("resolutions[{index}]")
}
