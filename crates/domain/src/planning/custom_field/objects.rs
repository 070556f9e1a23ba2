//! Values of custom fields of objects. They are part of the object's `data`, by the fields' ids below `fields`, so that commits,
//! merges and comparisons know them as any other property.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{CustomField, FieldStatus, FieldValue};
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
        let change = field.object_change(&id, (was, before.is_none()), now);
        change.map(|change| change.map(|value| (id, value))).map_err(|error| error.within("data"))
    });
    for (id, value) in Error::all(changes)?.into_iter().flatten() {
        let values = data.entry(OBJECT_FIELDS).or_insert_with(|| json!({}));
        let Some(values) = values.as_object_mut() else { continue };
        match value {
            Some(value) => drop(values.insert(id, json!(value))),
            None => drop(values.remove(&id)),
        }
    }
    Ok(())
}

fn value_in<'a>(data: &'a Map<String, Value>, id: &str) -> Option<&'a Value> {
    data.get(OBJECT_FIELDS)?.as_object()?.get(id)
}

impl CustomField {
    /// The value to write in place of `now`; `Some(None)` to remove it.
    fn object_change(
        &self,
        id: &str,
        (was, is_new): (Option<&Value>, bool),
        now: Option<&Value>,
    ) -> Result<Option<Option<FieldValue>>> {
        let is_active = self.status == FieldStatus::Active;
        let Some(now) = now.filter(|now| !now.is_null()) else {
            let default = self.default_value.clone().filter(|_| is_new && is_active);
            if default.is_none() && self.is_required && is_active && (is_new || was.is_some()) {
                return Err(Error::broken(format!("{OBJECT_FIELDS}.{id}"), Rule::Required));
            }
            return Ok((default.is_some() || now.is_some()).then_some(default));
        };
        if Some(now) == was {
            return Ok(None);
        }
        let was = was.and_then(|was| FieldValue::deserialize(was).ok());
        self.change(was.as_ref(), now).map(Some).map_err(|invalid| invalid.at(id))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::check_object_fields;
    use crate::id::ProjectId;
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
