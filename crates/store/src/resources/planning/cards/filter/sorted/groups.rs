//! Values of custom fields as groups of cards: options in their order, users by name.

use std::collections::HashMap;

use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::Result;
use domain::planning::card::ValuePosition;
use domain::planning::custom_field::{CustomField, FieldType, ValueKey};
use domain::search::fold_case;
use uuid::Uuid;

/// Cards of a project with a value of a field, or with one certain value.
#[derive(Clone, Debug)]
pub(super) struct ValueGroup {
    pub(super) project: Uuid,
    pub(super) field: Uuid,
    /// The option or user.
    pub(super) value: Option<String>,
    /// The card after which the group begins.
    pub(super) after: Uuid,
}

impl ValueGroup {
    /// All values of a field.
    pub(super) fn of(field: &CustomField, after: Uuid) -> Self {
        Self { project: field.project_id.0, field: field.id.0, value: None, after }
    }

    /// True for the group that has a position's value.
    pub(super) fn is_at(&self, at: &ValuePosition) -> bool {
        let has_value = matches!(&at.key, ValueKey::Text(text) if self.value.as_ref() == Some(text));
        self.field == at.field.0 && has_value
    }
}

/// The groups of fields of options or users, in their order: by the places of options, then by names. The user of a position is
/// among them even if no card has it anymore.
pub(super) async fn ranked(
    connection: &Connection,
    fields: &[&CustomField],
    at: Option<&ValuePosition>,
) -> Result<Vec<ValueGroup>> {
    let of_users: HashMap<Uuid, &CustomField> = fields
        .iter()
        .filter(|field| field.field_type == FieldType::User)
        .map(|field| (field.id.0, *field))
        .collect();
    let mut groups: Vec<((usize, String, Uuid), ValueGroup)> = Vec::new();
    for field in fields {
        groups.extend(field.options.iter().enumerate().map(|(place, option)| {
            let group =
                ValueGroup { value: Some(option.id.to_string()), ..ValueGroup::of(field, Uuid::nil()) };
            ((place, fold_case(option.name.as_str()), option.id.0), group)
        }));
    }
    if !of_users.is_empty() {
        for UserRow { field_id, id, display_name } in users(connection, &of_users, at).await? {
            let Some(field) = of_users.get(&field_id) else { continue };
            let group = ValueGroup { value: Some(id.to_string()), ..ValueGroup::of(field, Uuid::nil()) };
            groups.push(((usize::MAX, fold_case(&display_name), id), group));
        }
    }
    groups.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// The users among the values of fields.
async fn users(
    connection: &Connection,
    fields: &HashMap<Uuid, &CustomField>,
    at: Option<&ValuePosition>,
) -> Result<Vec<UserRow>> {
    let user: Option<Uuid> = at.and_then(|at| match &at.key {
        ValueKey::Text(id) => id.parse().ok(),
        ValueKey::Number(_) => None,
    });
    let rows = Statement::new(include_str!("users.sql"))
        .bind::<Array<SqlUuid>, _>(fields.keys().copied().collect::<Vec<_>>())
        .bind::<Nullable<SqlUuid>, _>(user)
        .bind::<Nullable<SqlUuid>, _>(at.map(|at| at.field.0))
        .load(connection)
        .await?;
    Ok(rows)
}

#[derive(QueryableByName)]
struct UserRow {
    #[diesel(sql_type = SqlUuid)]
    field_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
}
