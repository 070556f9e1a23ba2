//! Values of custom fields of objects. They are part of the object's `data`, by the fields' ids below `fields`, so that commits,
//! merges and comparisons know them as any other property.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::value::InvalidValue;
use super::{CustomField, FieldStatus, FieldValue};
use crate::content::field::FieldPath;
use crate::content::merge::{Decision, Resolution};
use crate::content::object::Object;
use crate::{Error, Result, Rule};

/// The property of `data` that holds the values.
pub const OBJECT_FIELDS: &str = "fields";

/// Checks those values in an object's data that differ from `before`, and writes them in their one form. A new object, which
/// has no data before, gets defaults. Ids of other fields are properties as any other.
///
/// # Errors
/// `INVALID_REQUEST` at `data.fields.{fieldId}` for values that the fields don't take, and for required fields without one: of
/// new objects, and of those that had one.
pub fn check_object_fields(
    fields: &[CustomField],
    object_type: &str,
    before: Option<&Map<String, Value>>,
    data: &mut Map<String, Value>,
) -> Result<()> {
    let of_type = fields.iter().filter(|field| field.is_of_objects(object_type));
    let changes = of_type.map(|field| {
        let id = field.id.to_string();
        let (was, now) = (before.and_then(|data| value_in(data, &id)), value_in(data, &id));
        match field.object_change((was, before.is_none()), now) {
            Ok(change) => Ok(change.map(|value| (id, value))),
            Err(invalid) => Err(invalid.at(&id).within("data")),
        }
    });
    for (id, value) in Error::all(changes)?.into_iter().flatten() {
        set_value(data, id, value);
    }
    Ok(())
}

/// Checks the values that decisions of a merge have brought into an object's data, and writes them in their one form. A
/// value that one of the `sides` has stays, because a merge must not fail for what was allowed when it was written.
///
/// # Errors
/// `INVALID_REQUEST` at `resolutions[{place}]` for values that the fields don't take, and for the end of required ones.
pub fn check_decided_fields(
    fields: &[CustomField],
    resolutions: &[(usize, &Resolution)],
    sides: [Option<&Object>; 2],
    object: &mut Object,
) -> Result<()> {
    let of_type = fields.iter().filter(|field| field.is_of_objects(&object.object_type));
    let changes = of_type.filter_map(|field| {
        let id = field.id.to_string();
        let now = value_in(&object.data, &id);
        let [ours, theirs] = sides.map(|side| side.and_then(|side| value_in(&side.data, &id)));
        let (place, resolution) = resolutions.iter().find(|(_, resolution)| decides(resolution, &id))?;
        if now == ours || now == theirs {
            return None;
        }
        Some(match field.object_change((ours.or(theirs), false), now) {
            Ok(change) => Ok(change.map(|value| (id, value))),
            Err(invalid) => {
                Err(invalid.placed(format!("resolutions[{place}].{}", part_of(&resolution.decision))))
            }
        })
    });
    for (id, value) in Error::all(changes)?.into_iter().flatten() {
        set_value(&mut object.data, id, value);
    }
    Ok(())
}

/// True if a resolution may have brought the value of a field: it decides the field, or properties above it.
fn decides(resolution: &Resolution, id: &str) -> bool {
    let value = FieldPath::data().child(OBJECT_FIELDS).child(id);
    resolution.field.is_below_data() && value.is_within(&resolution.field)
}

/// The part of a resolution that has the value.
fn part_of(decision: &Decision) -> &'static str {
    match decision {
        Decision::Value(_) => "value",
        Decision::Ours | Decision::Theirs | Decision::Keep | Decision::Delete => "take",
    }
}

/// The defaults that new objects of a project get.
#[derive(Clone, Debug, Default)]
pub struct ObjectDefaults(Vec<CustomField>);

impl ObjectDefaults {
    /// The defaults of active fields.
    pub fn new(fields: Vec<CustomField>) -> Self {
        let has_default =
            |field: &CustomField| field.status == FieldStatus::Active && field.default_value.is_some();
        Self(fields.into_iter().filter(has_default).collect())
    }

    /// The object with the defaults of the fields of which it has no value.
    pub fn given<'a>(&self, object: &'a Object) -> Cow<'a, Object> {
        let mut given = Cow::Borrowed(object);
        for field in self.0.iter().filter(|field| field.is_of_objects(&object.object_type)) {
            let id = field.id.to_string();
            if value_in(&object.data, &id).is_none() {
                set_value(&mut given.to_mut().data, id, field.default_value.clone());
            }
        }
        given
    }
}

/// Writes a value, or removes it. Another property of the name `fields` stays.
fn set_value(data: &mut Map<String, Value>, id: String, value: Option<FieldValue>) {
    let values = data.entry(OBJECT_FIELDS).or_insert_with(|| json!({}));
    let Some(values) = values.as_object_mut() else { return };
    match value {
        Some(value) => drop(values.insert(id, json!(value))),
        None => drop(values.remove(&id)),
    }
}

fn value_in<'a>(data: &'a Map<String, Value>, id: &str) -> Option<&'a Value> {
    data.get(OBJECT_FIELDS)?.as_object()?.get(id)
}

impl CustomField {
    /// The value to write in place of `now`; `Some(None)` to remove it.
    fn object_change(
        &self,
        (was, is_new): (Option<&Value>, bool),
        now: Option<&Value>,
    ) -> Result<Option<Option<FieldValue>>, InvalidValue> {
        let is_active = self.status == FieldStatus::Active;
        let Some(now) = now.filter(|now| !now.is_null()) else {
            let default = self.default_value.clone().filter(|_| is_new && is_active);
            if default.is_none() && self.is_required && is_active && (is_new || was.is_some()) {
                return Err(Rule::Required.into());
            }
            return Ok((default.is_some() || now.is_some()).then_some(default));
        };
        if Some(now) == was {
            return Ok(None);
        }
        let was = was.and_then(|was| FieldValue::deserialize(was).ok());
        self.change(was.as_ref(), now).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{ObjectDefaults, check_decided_fields, check_object_fields};
    use crate::content::merge::{Decision, Resolution};
    use crate::content::object::Object;
    use crate::id::{ObjectId, ProjectId};
    use crate::planning::custom_field::{CreateFieldRequest, CustomField, FieldStatus};
    use crate::time::Timestamp;

    fn field(body: Value) -> CustomField {
        let now = Timestamp::parse("2026-11-29T12:00:00Z").unwrap();
        let request: CreateFieldRequest = serde_json::from_value(body).unwrap();
        request.field(ProjectId::new(now), now).unwrap()
    }

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn new_objects_of_the_type_get_defaults_and_need_required_values() {
        let mass = json!({ "name": "Mass", "type": "number", "appliesTo": "both", "objectType": "Part",
            "isRequired": true, "minimum": 0 });
        let mass = field(mass);
        let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "appliesTo": "objects",
            "defaultValue": "low" });
        let risk = field(risk);
        let of_cards = field(json!({ "name": "Effort", "type": "number", "isRequired": true }));
        let (mass_id, risk_id) = (mass.id.to_string(), risk.id.to_string());
        let low = risk.options[0].id;
        let fields = [mass, risk, of_cards];
        let place = format!("data.fields.{mass_id}");
        let check = |object_type: &str, before: Option<Value>, data: Value| {
            let mut data = map(data);
            let before = before.map(map);
            let checked = check_object_fields(&fields, object_type, before.as_ref(), &mut data);
            checked.map(|()| Value::Object(data)).map_err(|error| error.covers(&place))
        };
        assert_eq!(check("Part", None, json!({})), Err(true));
        assert_eq!(
            check("Page", None, json!({ "a": 1 })),
            Ok(json!({ "a": 1, "fields": { &risk_id: low } }))
        );
        let whole = json!({ "fields": { &mass_id: 2, &risk_id: low } });
        assert_eq!(check("Part", None, json!({ "fields": { &mass_id: 2.0 } })), Ok(whole.clone()));
        let bad = json!({ "fields": { &mass_id: -1 } });
        assert_eq!(check("Part", Some(whole.clone()), bad.clone()), Err(true));
        assert_eq!(check("Part", Some(whole), json!({})), Err(true));
        // Older objects stay as they are, with values that no field takes.
        assert_eq!(check("Part", Some(bad.clone()), bad.clone()), Ok(bad));
        assert_eq!(check("Part", Some(json!({})), json!({ "fields": 1 })), Ok(json!({ "fields": 1 })));
    }

    fn object(object_type: &str, data: Value) -> Object {
        let now = Timestamp::parse("2026-11-29T12:00:00Z").unwrap();
        let (id, parent) = (ObjectId::new(now), ObjectId::new(now));
        let object = json!({ "id": id, "name": "Gear", "type": object_type, "parent": parent, "data": data });
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn a_decision_brings_a_value_that_the_field_takes_or_that_a_side_has() {
        let mass = field(json!({ "name": "Mass", "type": "number", "appliesTo": "objects", "minimum": 0,
            "isRequired": true }));
        let id = mass.id.to_string();
        let values = |value: Value| json!({ "fields": { &id: value } });
        let sides = [object("Part", values(json!(-3))), object("Part", values(json!(-4)))];
        let fields = [mass];
        let check = |at: &str, decision: Decision, merged: Value| {
            let field = serde_json::from_value(json!(at)).unwrap();
            let resolution = Resolution { object_id: sides[0].id, field, decision };
            let mut object = object("Part", merged);
            let both = [Some(&sides[0]), Some(&sides[1])];
            let checked = check_decided_fields(&fields, &[(2, &resolution)], both, &mut object);
            checked.map(|()| json!(object.data)).map_err(|error| {
                ["resolutions[2].value", "resolutions[2].take"].map(|place| error.covers(place))
            })
        };
        let at = format!("/data/fields/{id}");
        let value = |value: Value| Decision::Value(value);
        assert_eq!(check(&at, value(json!(2.0)), values(json!(2.0))), Ok(values(json!(2))));
        assert_eq!(check(&at, value(json!(-4)), values(json!(-4))), Ok(values(json!(-4))), "as one side");
        assert_eq!(check(&at, value(json!(-5)), values(json!(-5))), Err([true, false]));
        assert_eq!(check(&at, value(json!(null)), values(json!(null))), Err([true, false]));
        assert_eq!(check(&at, Decision::Delete, json!({ "fields": {} })), Err([false, true]));
        assert_eq!(check("/data/fields", value(json!({})), values(json!("x"))), Err([true, false]));
        // Another property was decided.
        assert_eq!(check("/data/colour", value(json!(1)), values(json!(-6))), Ok(values(json!(-6))));
    }

    #[test]
    fn new_objects_get_the_defaults_of_active_fields_and_keep_what_they_have() {
        let risk =
            field(json!({ "name": "Risk", "type": "text", "appliesTo": "objects", "objectType": "Part",
            "defaultValue": "low" }));
        let note =
            field(json!({ "name": "Note", "type": "text", "appliesTo": "both", "defaultValue": "new" }));
        let old = CustomField { status: FieldStatus::Archived, ..note.clone() };
        let (risk_id, note_id) = (risk.id.to_string(), note.id.to_string());
        let old = CustomField { id: field(json!({ "name": "x", "type": "text" })).id, ..old };
        let defaults = ObjectDefaults::new(vec![risk, note, old]);
        let given = |object_type: &str, data: Value| json!(defaults.given(&object(object_type, data)).data);
        assert_eq!(given("Page", json!({ "a": 1 })), json!({ "a": 1, "fields": { &note_id: "new" } }));
        assert_eq!(
            given("Part", json!({ "fields": { &note_id: "mine" } })),
            json!({ "fields": { &note_id: "mine", &risk_id: "low" } })
        );
        assert_eq!(given("Part", json!({ "fields": "free" })), json!({ "fields": "free" }));
    }

    #[test]
    fn an_archived_field_keeps_its_values_and_takes_no_others() {
        let mut note = field(json!({ "name": "Note", "type": "text", "appliesTo": "objects" }));
        note.status = FieldStatus::Archived;
        let id = note.id.to_string();
        let before = map(json!({ "fields": { &id: "a" } }));
        for (data, fits) in [
            (json!({ "fields": { &id: "a" }, "x": 1 }), true),
            (json!({ "fields": {} }), true),
            (json!({ "fields": { &id: "b" } }), false),
        ] {
            let checked = check_object_fields(&[note.clone()], "Part", Some(&before), &mut map(data.clone()));
            assert_eq!(checked.is_ok(), fits, "{data}");
        }
    }
}
