//! Values of custom fields on cards: read from requests by the definitions, which stay as they are until the transaction ends.

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::custom_fields;
use domain::planning::card::{CardFields, NewCard};
use domain::planning::custom_field::{CustomField, FieldInputs, FieldScope, FieldValues};
use domain::{Code, Result};

use super::FieldRow;
use crate::access::project::Project;
use crate::resources::planning::cards::assignees;
use crate::resources::store::Tx;

/// The project's fields, as [`definitions`], if one of the new cards may have values.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn definitions_for_new(
    connection: &Connection,
    project: &Project<CardWrite>,
    new: &[&NewCard],
) -> Result<Vec<CustomField>> {
    let asks = new.iter().any(|card| card.field_inputs.is_some());
    if asks { definitions(connection, project).await } else { Ok(Vec::new()) }
}

/// The fields of new cards with their values, in their order.
///
/// # Errors
/// `INVALID_REQUEST` at `fields` for values that the fields don't take, and for required fields without one.
pub(in crate::resources::planning) async fn of_new(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    fields: &[CustomField],
    new: &[&NewCard],
) -> Result<Vec<CardFields>> {
    let mut cards = Vec::with_capacity(new.len());
    for card in new {
        let mut own = card.fields.clone();
        if let Some(inputs) = &card.field_inputs {
            own.fields = FieldValues::of_new(fields, inputs)?;
            require_members(tx, project, fields, &FieldValues::default(), &own.fields).await?;
        }
        cards.push(own);
    }
    Ok(cards)
}

/// The values of a card after changes.
///
/// # Errors
/// `INVALID_REQUEST` at `fields` for values that the fields don't take.
pub(in crate::resources::planning) async fn changed(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    before: &FieldValues,
    inputs: &FieldInputs,
) -> Result<FieldValues> {
    let fields = definitions(tx, project).await?;
    let after = before.changed(&fields, inputs)?;
    require_members(tx, project, &fields, before, &after).await?;
    Ok(after)
}

/// The project's fields, which stay as they are until the transaction ends.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn definitions(
    connection: &Connection,
    project: &Project<CardWrite>,
) -> Result<Vec<CustomField>> {
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq(project.record.id.0))
        .filter(custom_fields::applies_to.ne(FieldScope::Objects.as_str()))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        // A change of the definition, for example the end of an option, waits for cards that get a value by it.
        .for_share()
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}

/// Refuses users without access to the project. A user who has left it stays where they are.
async fn require_members(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    fields: &[CustomField],
    before: &FieldValues,
    after: &FieldValues,
) -> Result<()> {
    for (field, user) in after.users(fields) {
        if before.get(field.id) != after.get(field.id) {
            let membership = assignees::membership(tx, project, user).await?;
            let place = format!("fields.{}", field.name);
            membership.require(project, user, &place).map_err(|error| error.under(Code::InvalidRequest))?;
        }
    }
    Ok(())
}
