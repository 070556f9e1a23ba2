//! Values of custom fields: by names and addresses instead of the ids of another deployment.

use std::collections::BTreeMap;

use domain::id::FieldId;
use domain::planning::custom_field::{CustomField, FieldType, FieldValue, FieldValues};
use serde_json::{Value, json};

use super::ExportPlanner;
use crate::deviation::{DeviationReason, Place};

impl ExportPlanner {
    /// The values of a card by the names of the fields, and the addresses of users among them. One that the file
    /// doesn't explain is told.
    pub(super) fn fields(
        &mut self,
        place: &Place,
        values: &FieldValues,
    ) -> (BTreeMap<String, Value>, BTreeMap<String, String>) {
        let (mut named, mut users) = (BTreeMap::new(), BTreeMap::new());
        for (id, value) in values.iter() {
            let field = self.field(id).filter(|_| !has_nul(value)).cloned();
            let Some(field) = field else {
                self.lose(place, id, value);
                continue;
            };
            let name = field.name.as_str().to_owned();
            if field.field_type == FieldType::User {
                let user = as_text(value).and_then(|text| text.parse().ok());
                let address =
                    user.and_then(|user| self.address(place, &name, user, DeviationReason::PersonLost));
                users.extend(address.map(|address| (name, address)));
            } else if let Some(value) = portable(&field, value) {
                named.insert(name, value);
            } else {
                self.lose(place, id, value);
            }
        }
        (named, users)
    }

    fn lose(&mut self, place: &Place, field: FieldId, value: &FieldValue) {
        self.deviate(place, &field.to_string(), &json!(value).to_string(), DeviationReason::UndefinedValue);
    }
}

/// True for a text that PostgreSQL can't store.
pub(super) fn has_nul(value: &FieldValue) -> bool {
    as_text(value).is_some_and(|text| text.contains('\0'))
}

/// The value with names of options. `None` if the field has no such option.
fn portable(field: &CustomField, value: &FieldValue) -> Option<Value> {
    match field.field_type {
        FieldType::Choice => field.option_names(value).first().map(|name| json!(name)),
        FieldType::Choices => {
            let (names, FieldValue::List(ids)) = (field.option_names(value), value) else { return None };
            (names.len() == ids.len()).then(|| json!(names))
        }
        FieldType::Text | FieldType::Number | FieldType::Date | FieldType::Url | FieldType::User => {
            Some(json!(value))
        }
    }
}

fn as_text(value: &FieldValue) -> Option<&str> {
    match value {
        FieldValue::Text(text) => Some(text),
        FieldValue::Number(_) | FieldValue::List(_) => None,
    }
}
