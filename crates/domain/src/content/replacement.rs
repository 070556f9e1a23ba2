//! The objects of a file in a tree, and their replacement by those of a new version of the file.
//!
//! An object that owns a file keeps its id, name and place for life. An object that both versions have keeps its id,
//! and the name that a user gave it. Others are added or deleted. What users put below them stays; it moves up if its
//! parent is deleted.

mod matching;

use std::collections::{HashMap, HashSet};

use crate::content::design::{designed_name, is_designed_name};
use crate::content::object::{CONVERSION, CONVERTED_DATA, FileRef, Object, Sha256Hash};
use crate::content::upload::ReplacedFile;
use crate::error::{Error, Result};
use crate::id::ObjectId;
use crate::text::Name;

/// The object that owns a file, with the objects of its conversion.
pub struct FileObjects {
    /// The owner.
    pub owner: StoredObject,
    /// The objects that a conversion made, parents before children, siblings in the order of their ids.
    pub parts: Vec<StoredObject>,
    /// The objects of users directly below the owner or a part.
    pub others: Vec<StoredObject>,
}

/// An object as it is.
pub struct StoredObject {
    /// Its state.
    pub now: Object,
    /// Its state in the head, if it has no working change.
    pub head: Option<Object>,
}

/// The objects of a new version, and the changes that lead to them.
#[derive(Default)]
pub struct ReplacedObjects {
    /// The objects of the file, its owner first.
    pub objects: Vec<Object>,
    /// The objects that only the new version has.
    pub added: Vec<Object>,
    /// Objects that change, and what they become.
    pub changed: Vec<(StoredObject, Object)>,
    /// The objects that only the old version had.
    pub deleted: Vec<StoredObject>,
    /// Number of kept objects that nothing but their order told from their siblings.
    pub indistinct: usize,
}

impl FileObjects {
    /// True if the owner has these bytes under this extension, and their conversion left nothing to repeat.
    pub fn has(&self, file: &FileRef) -> bool {
        let has_file = |own: &FileRef| own.sha256 == file.sha256 && own.extension == file.extension;
        self.owner.now.file.as_ref().is_some_and(has_file) && !self.owner.now.data.contains_key(CONVERSION)
    }

    /// All objects as they are.
    pub fn unchanged(self) -> ReplacedObjects {
        let objects = std::iter::once(self.owner).chain(self.parts).map(|object| object.now).collect();
        ReplacedObjects { objects, ..ReplacedObjects::default() }
    }

    /// Replaces the objects by those of another conversion, its owner first and parents before children. The parts stay
    /// as they are if the conversion is still pending.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the conversion has no object.
    pub fn replace(self, new: &[Object]) -> Result<ReplacedObjects> {
        let Self { owner, parts, others } = self;
        let (root, below) = new.split_first().ok_or_else(|| Error::internal("a conversion has no object"))?;
        let pairs = match root.is_conversion_pending() {
            true => matching::Pairs::default(),
            false => matching::pair((owner.now.id, root.id), &parts, below),
        };
        let mut replaced = ReplacedObjects { indistinct: pairs.by_order, ..ReplacedObjects::default() };
        let mut places = HashMap::from([(root.id, owner.now.id)]);
        let old_file = owner.now.file.as_ref().and_then(|file| file.name.clone());
        let same_place = Object { name: owner.now.name.clone(), parent: owner.now.parent, ..root.clone() };
        replaced.keep(owner, &same_place);
        if root.is_conversion_pending() {
            replaced.objects.extend(parts.into_iter().map(|part| part.now));
            return Ok(replaced);
        }
        let mut parts: Vec<Option<StoredObject>> = parts.into_iter().map(Some).collect();
        for (object, old) in below.iter().zip(pairs.old) {
            let parent = places.get(&object.parent).copied().unwrap_or(object.parent);
            match old.and_then(|index| parts.get_mut(index)?.take()) {
                Some(part) => {
                    places.insert(object.id, part.now.id);
                    let name = name_of(&part.now, object, old_file.as_ref());
                    replaced.keep(part, &Object { name, parent, ..object.clone() });
                }
                None => {
                    places.insert(object.id, object.id);
                    let added = Object { parent, ..object.clone() };
                    replaced.objects.push(added.clone());
                    replaced.added.push(added);
                }
            }
        }
        let gone: HashMap<ObjectId, StoredObject> =
            parts.into_iter().flatten().map(|part| (part.now.id, part)).collect();
        for other in others {
            let mut parent = other.now.parent;
            while let Some(deleted) = gone.get(&parent) {
                parent = deleted.now.parent;
            }
            if parent != other.now.parent {
                let moved = Object { parent, ..other.now.clone() };
                replaced.changed.push((other, moved));
            }
        }
        replaced.deleted = gone.into_values().collect();
        replaced.deleted.sort_by_key(|part| part.now.id);
        Ok(replaced)
    }
}

/// The name of an object in the new version. A name that the old version has given follows the new one; that of a user
/// stays. An object without a name of its own keeps the one that stood in for it: its file's.
fn name_of(old: &Object, new: &Object, old_file: Option<&Name>) -> Name {
    let is_designed = is_designed_name(&old.name, &old.data);
    match designed_name(&new.data) {
        Some(name) if is_designed || Some(&old.name) == old_file => name,
        None if is_designed => new.name.clone(),
        _ => old.name.clone(),
    }
}

/// An object with the name, place, file, type and properties of its new version. Everything that conversions don't
/// write stays, and so does a type that a user chose.
fn updated(old: &Object, new: &Object) -> Object {
    let mut data = old.data.clone();
    data.retain(|field, _| !CONVERTED_DATA.contains(&field.as_str()));
    data.extend(new.data.clone());
    let is_pending = new.is_conversion_pending();
    let keeps_type = is_pending || !old.has_converted_type();
    Object {
        name: new.name.clone(),
        parent: new.parent,
        object_type: if keeps_type { old } else { new }.object_type.clone(),
        kind: if is_pending { old.kind } else { new.kind },
        file: new.file.clone(),
        data,
        ..old.clone()
    }
}

impl ReplacedObjects {
    fn keep(&mut self, old: StoredObject, new: &Object) {
        let now = updated(&old.now, new);
        self.objects.push(now.clone());
        if now != old.now {
            self.changed.push((old, now));
        }
    }

    /// The files that changed and deleted objects owned, without those of the new version.
    pub fn replaced_files(&self) -> Vec<FileRef> {
        let owned: HashSet<Sha256Hash> =
            self.objects.iter().filter_map(|object| Some(object.file.as_ref()?.sha256)).collect();
        let before = self.changed.iter().map(|(old, _)| old).chain(&self.deleted);
        let files = before.filter_map(|object| object.now.file.clone());
        let mut seen = owned;
        files.filter(|file| seen.insert(file.sha256)).collect()
    }

    /// True if nothing is to be written.
    pub fn is_unchanged(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.deleted.is_empty()
    }

    /// The summary for the client.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if there are more objects than can be counted.
    pub fn summary(&self, object_id: ObjectId) -> Result<ReplacedFile> {
        let count = |count: usize| u64::try_from(count).map_err(Error::internal);
        Ok(ReplacedFile {
            object_id,
            unchanged: self.is_unchanged(),
            added_count: count(self.added.len())?,
            changed_count: count(self.changed.len())?,
            deleted_count: count(self.deleted.len())?,
            indistinct_count: (self.indistinct > 0).then(|| count(self.indistinct)).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::content::object::Object;
    use crate::id::ObjectId;
    use serde_json::{Value, json};

    use super::{FileObjects, ReplacedObjects, StoredObject};

    fn id(number: u32) -> ObjectId {
        format!("0198c5f0-0000-7000-8000-{number:012}").parse().unwrap()
    }

    fn object(number: u32, parent: u32, (object_type, name): (&str, &str), data: &Value) -> Object {
        let kind = match object_type {
            "Assembly" => json!("assembly"),
            "Part" => json!("geometry"),
            _ => Value::Null,
        };
        let object = json!({
            "id": id(number), "parent": id(parent), "type": object_type, "name": name, "kind": kind, "data": data,
        });
        serde_json::from_value(object).unwrap()
    }

    fn stored(now: Object) -> StoredObject {
        StoredObject { now, head: None }
    }

    /// A gearbox (1) with two gears (2, 3) and a shaft (4), below which a user put a note (5).
    fn gearbox() -> FileObjects {
        let none = json!({});
        let own = json!({ "torque": 7, "placement": [1], "units": {} });
        FileObjects {
            owner: stored(object(1, 0, ("Assembly", "Renamed"), &own)),
            parts: [
                object(2, 1, ("Part", "Gear"), &own),
                object(3, 1, ("Part", "Gear"), &none),
                object(4, 1, ("Part", "Shaft"), &none),
            ]
            .map(stored)
            .into(),
            others: vec![stored(object(5, 4, ("Note", "Check this"), &none))],
        }
    }

    fn ids<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Vec<ObjectId> {
        objects.into_iter().map(|object| object.id).collect()
    }

    fn replaced(new: &[Object]) -> ReplacedObjects {
        gearbox().replace(new).unwrap()
    }

    #[test]
    fn objects_of_both_versions_keep_their_ids_and_the_data_of_users() {
        let converted = json!({ "placement": [2] });
        let root = object(1, 9, ("Assembly", "gear.stp"), &json!({}));
        let new = [
            root,
            object(20, 1, ("Part", "Gear"), &converted),
            object(21, 1, ("Assembly", "Shaft"), &converted),
            object(22, 21, ("Part", "Gear"), &converted),
        ];
        let replaced = replaced(&new);
        assert_eq!(ids(&replaced.objects), [id(1), id(2), id(21), id(22)]);
        assert_eq!(replaced.summary(id(1)).unwrap().indistinct_count, Some(1), "which of the gears went?");
        assert_eq!(ids(&replaced.added), [id(21), id(22)]);
        assert_eq!(ids(replaced.deleted.iter().map(|old| &old.now)), [id(3), id(4)]);
        let owner = &replaced.objects[0];
        assert_eq!((owner.name.as_str(), owner.parent), ("Renamed", id(0)));
        assert_eq!(json!(owner.data), json!({ "torque": 7 }));
        assert_eq!(json!(replaced.objects[1].data), json!({ "torque": 7, "placement": [2] }));
        // The shaft is another object, so the note moves up.
        let moved = replaced.changed.iter().find(|(old, _)| old.now.id == id(5)).unwrap();
        assert_eq!(moved.1.parent, id(1));
    }

    #[test]
    fn the_same_objects_change_nothing() {
        let same = gearbox();
        let objects: Vec<Object> =
            std::iter::once(same.owner).chain(same.parts).map(|object| object.now).collect();
        let replaced = replaced(&objects);
        assert!(replaced.is_unchanged());
        assert_eq!(ids(&replaced.objects), [1, 2, 3, 4].map(id));
    }

    #[test]
    fn parts_stay_until_a_pending_conversion_is_done() {
        let pending = json!({ "conversion": { "status": "pending" } });
        let replaced = replaced(&[object(1, 9, ("File", "gear.stp"), &pending)]);
        assert_eq!(ids(&replaced.objects), [1, 2, 3, 4].map(id));
        assert!(replaced.deleted.is_empty() && replaced.added.is_empty());
        let owner = &replaced.objects[0];
        assert_eq!(owner.object_type, "Assembly", "until its type is known");
        assert!(owner.is_conversion_pending());
    }

    #[test]
    fn a_type_that_a_user_chose_stays() {
        let mut before = gearbox();
        before.owner.now.object_type = "Drawing".to_owned();
        let replaced = before.replace(&[object(1, 9, ("File", "gear.txt"), &json!({}))]).unwrap();
        assert_eq!(replaced.objects[0].object_type, "Drawing");
        assert_eq!(ids(replaced.deleted.iter().map(|old| &old.now)), [2, 3, 4].map(id));
    }

    /// A part called `name` with these texts of its design.
    fn part(number: u32, name: &str, occurrence: &str, product: &str) -> Object {
        let data = json!({ "definition": { "name": product }, "occurrence": { "name": occurrence } });
        object(number, 1, ("Part", name), &data)
    }

    #[test]
    fn names_follow_the_design_until_a_user_gives_one() {
        let file = json!({ "sha256": "00".repeat(32), "size": 1, "mimeType": "model/step", "name": "a.stp" });
        let mut owner = object(1, 0, ("Assembly", "a.stp"), &json!({}));
        owner.file = serde_json::from_value(file).unwrap();
        let before = FileObjects {
            owner: stored(owner),
            parts: [
                part(2, "Mine", "left", "Gear"),
                // As it was named before occurrences counted.
                part(3, "Gear", "right", "Gear"),
                part(4, "a.stp", "SOLID", "SOLID"),
                part(5, "SOLID", "", "SOLID"),
            ]
            .map(stored)
            .into(),
            others: Vec::new(),
        };
        let new = [
            object(1, 9, ("Assembly", "b.stp"), &json!({})),
            part(20, "left", "left", "Gear 2"),
            part(21, "right", "right", "Gear 2"),
            part(22, "b.stp", "SOLID", "SOLID"),
            part(23, "b.stp", "", "SOLID"),
        ];
        let replaced = before.replace(&new).unwrap();
        let names: Vec<&str> = replaced.objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["a.stp", "Mine", "right", "a.stp", "b.stp"]);
        assert_eq!(ids(&replaced.objects), [1, 2, 3, 4, 5].map(id));
        assert!(replaced.added.is_empty() && replaced.deleted.is_empty());
    }
}
