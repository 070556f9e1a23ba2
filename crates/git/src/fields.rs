//! Comparing and merging objects by field. Each nested property in `data` is a field; lists are single values.

use std::collections::BTreeSet;

use domain::content::compare::{FieldChange, field_changes};
use domain::content::edit::check_data;
use domain::content::field::FieldPath;
use domain::content::merge::{Conflict, ConflictKind, Decision};
use domain::content::object::{CONVERTED_DATA, Object};
use domain::id::ObjectId;
use domain::{Error, Result};
use serde_json::{Map, Value};

use crate::resolutions::Resolutions;

/// The member that never changes.
const ID: &str = "id";
/// The member whose properties are fields of their own.
const DATA: &str = "data";
/// The member that holds the stored file.
const FILE: &str = "file";

/// The different fields of two versions of an object, ordered by path; `None` is an absent object.
///
/// # Errors
/// `INTERNAL_ERROR` if an object can't be written as JSON.
pub fn changes(base: Option<&Object>, head: Option<&Object>) -> Result<Vec<FieldChange>> {
    Ok(field_changes(&members(base)?, &members(head)?))
}

/// A merge of one object's fields.
pub(crate) struct FieldMerge<'a> {
    /// The object.
    pub(crate) id: ObjectId,
    /// The resolutions of conflicts.
    pub(crate) resolutions: &'a mut Resolutions,
    /// Unresolved conflicts.
    pub(crate) conflicts: Vec<Conflict>,
}

impl FieldMerge<'_> {
    /// Applies the changes of both sides to `base`. Fields in conflict keep our value.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the result is not an object.
    pub(crate) fn merge(&mut self, base: Option<&Object>, ours: &Object, theirs: &Object) -> Result<Object> {
        let mut sides = [members(base)?, members(Some(ours))?, members(Some(theirs))?];
        self.decide_file(&mut sides);
        let mut merged = self.maps(&FieldPath::default(), sides.each_ref());
        if let Some(data) = self.data(&merged, sides.each_ref().map(|side| side.get(DATA))) {
            merged.insert(DATA.to_owned(), data);
        }
        merged.insert(ID.to_owned(), serde_json::to_value(self.id).map_err(Error::internal)?);
        serde_json::from_value(Value::Object(merged)).map_err(Error::internal)
    }

    /// Decides between two different files. What conversions have read from a file is taken from the same side, so that a
    /// text is never that of the other file: afterwards both sides agree on all of it.
    fn decide_file(&mut self, [base, ours, theirs]: &mut [Map<String, Value>; 3]) {
        let files = [base.get(FILE), ours.get(FILE), theirs.get(FILE)];
        let [base_file, our_file, their_file] = files;
        if our_file == their_file || our_file == base_file || their_file == base_file {
            return;
        }
        let path = FieldPath::default().child(FILE);
        let decision = self.resolutions.take(self.id, &path);
        if decision.is_none() {
            self.tell(path, files);
        }
        let decided = decide(&decision.unwrap_or(Decision::Ours), our_file, their_file);
        let (taken, other) = if decided.as_ref() == their_file { (theirs, ours) } else { (ours, theirs) };
        let converted = |side: &Map<String, Value>| -> Vec<(String, Value)> {
            let data = side.get(DATA).and_then(Value::as_object).into_iter().flatten();
            let data = data.filter(|(key, _)| CONVERTED_DATA.contains(&key.as_str()));
            data.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        if let Some(data) = other.get_mut(DATA).and_then(Value::as_object_mut) {
            data.retain(|key, _| !CONVERTED_DATA.contains(&key.as_str()));
            data.extend(converted(taken));
        }
        for side in [taken, other] {
            match &decided {
                Some(file) => drop(side.insert(FILE.to_owned(), file.clone())),
                None => drop(side.remove(FILE)),
            }
        }
    }

    /// The resolution of merged properties that exceed an object's limit although each side's don't. They conflict as a
    /// whole.
    fn data(&mut self, merged: &Map<String, Value>, sides: [Option<&Value>; 3]) -> Option<Value> {
        let [base, ours, theirs] = sides;
        let merged = merged.get(DATA).and_then(Value::as_object)?;
        let is_a_sides = [ours, theirs].into_iter().flatten().any(|side| side.as_object() == Some(merged));
        let path = FieldPath::default().child(DATA);
        if is_a_sides || check_data(path.as_str(), merged).is_ok() {
            return None;
        }
        if let Some(decision) = self.resolutions.take(self.id, &path) {
            return decide(&decision, ours, theirs);
        }
        self.tell(path, [base, ours, theirs]);
        ours.cloned()
    }

    fn maps(&mut self, path: &FieldPath, sides: [&Map<String, Value>; 3]) -> Map<String, Value> {
        let keys: BTreeSet<&String> = sides.iter().flat_map(|side| side.keys()).collect();
        let merge = |key: &String| {
            let merged = self.value(path.child(key), sides.map(|side| side.get(key)))?;
            Some((key.clone(), merged))
        };
        keys.into_iter().filter_map(merge).collect()
    }

    fn value(&mut self, path: FieldPath, [base, ours, theirs]: [Option<&Value>; 3]) -> Option<Value> {
        // A parent may be resolved without a conflict of the field: to end a cycle, or to leave a deleted parent.
        if path.as_str() == FieldPath::PARENT
            && (ours != base || theirs != base)
            && let Some(decision) = self.resolutions.take(self.id, &path)
        {
            return decide(&decision, ours, theirs);
        }
        if ours == theirs || theirs == base {
            return ours.cloned();
        }
        if ours == base {
            return theirs.cloned();
        }
        if path.is_in_data()
            && let (Some(Value::Object(ours)), Some(Value::Object(theirs))) = (ours, theirs)
        {
            let nothing = Map::new();
            let base = base.and_then(Value::as_object).unwrap_or(&nothing);
            return Some(Value::Object(self.maps(&path, [base, ours, theirs])));
        }
        if let Some(decision) = self.resolutions.take(self.id, &path) {
            return decide(&decision, ours, theirs);
        }
        self.tell(path, [base, ours, theirs]);
        ours.cloned()
    }

    fn tell(&mut self, field: FieldPath, [base, ours, theirs]: [Option<&Value>; 3]) {
        self.conflicts.push(Conflict {
            object_id: self.id,
            field,
            kind: ConflictKind::Field,
            base: base.cloned(),
            ours: ours.cloned(),
            theirs: theirs.cloned(),
        });
    }
}

fn decide(decision: &Decision, ours: Option<&Value>, theirs: Option<&Value>) -> Option<Value> {
    match decision {
        Decision::Theirs => theirs.cloned(),
        Decision::Value(value) => Some(value.clone()),
        Decision::Delete => None,
        Decision::Ours | Decision::Keep => ours.cloned(),
    }
}

/// The fields of an object except its id. `data` is always present, empty for an absent object.
fn members(object: Option<&Object>) -> Result<Map<String, Value>> {
    let members = object.map(serde_json::to_value).transpose().map_err(Error::internal)?;
    let mut members = match members {
        Some(Value::Object(members)) => members,
        Some(_) => return Err(Error::internal("an object is no JSON object")),
        None => Map::new(),
    };
    members.remove(ID);
    members.entry(DATA).or_insert_with(|| Value::Object(Map::new()));
    Ok(members)
}
