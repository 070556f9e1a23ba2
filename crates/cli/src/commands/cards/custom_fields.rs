//! Custom fields of cards: listed, and given as `NAME=VALUE`.

use api::planning::custom_fields::ListFields;
use client::Client;
use domain::id::ProjectId;
use domain::planning::card::CardRecord;
use domain::planning::custom_field::{CustomField, FieldInputs, FieldStatus, FieldType, FieldValue};
use serde_json::{Number, Value, json};

use crate::arguments::Global;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::{Project, ProjectArgument};

/// Lists a project's custom fields.
pub(super) async fn list(client: &Client, project: &ProjectArgument, global: &Global) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let fields = client.call(ListFields, project.record.id).await?.fields;
    if global.json {
        fields.iter().for_each(output::json);
        return Ok(Exit::Done);
    }
    let row = |field: &CustomField| {
        let options: Vec<&str> =
            field.options.iter().filter(|one| !one.is_archived).map(|one| one.name.as_str()).collect();
        let about = if options.is_empty() { field.unit.as_str().to_owned() } else { options.join(", ") };
        let state = if field.status == FieldStatus::Archived { "archived" } else { "" };
        let required = if field.is_required { "required" } else { state };
        [field.name.to_string(), field.field_type.as_str().to_owned(), required.to_owned(), about]
    };
    let rows: Vec<[String; 4]> = fields.iter().map(row).collect();
    output::print_table(
        ["NAME", "TYPE", "STATE", "UNIT OR OPTIONS"],
        &rows,
        "The project has no custom fields.",
    );
    Ok(Exit::Done)
}

/// The values that `NAME=VALUE` gives, by the fields' types. An empty value clears; options of a list have commas between them.
pub(super) async fn inputs(
    client: &Client,
    project: ProjectId,
    given: &[String],
) -> CommandResult<Option<FieldInputs>> {
    if given.is_empty() {
        return Ok(None);
    }
    let fields = client.call(ListFields, project).await?.fields;
    let inputs: CommandResult<FieldInputs> = given.iter().map(|one| input(&fields, one)).collect();
    inputs.map(Some)
}

fn input(fields: &[CustomField], given: &str) -> CommandResult<(String, Value)> {
    let Some((name, value)) = given.split_once('=') else {
        return Err(CommandFailure::usage(format!("--field \"{given}\" has no value: NAME=VALUE")));
    };
    let field = CustomField::called(fields, name).first().copied();
    let value = match field.map(|field| field.field_type) {
        _ if value.is_empty() => Value::Null,
        Some(FieldType::Number) => {
            let number: Result<Number, _> = value.parse();
            number
                .map(Value::Number)
                .map_err(|_| CommandFailure::usage(format!("{name} must be a number")))?
        }
        Some(FieldType::Choices) => json!(value.split(',').map(str::trim).collect::<Vec<_>>()),
        // The service knows what is wrong with a field that is not there.
        Some(_) | None => json!(value),
    };
    Ok((name.to_owned(), value))
}

/// The custom fields of a card with their values, as a person reads them. Users are ids. None for a key that may
/// not read the definitions.
pub(super) async fn shown(client: &Client, project: &Project, card: &CardRecord) -> Vec<(String, String)> {
    if card.fields.fields.is_empty() {
        return Vec::new();
    }
    let fields = client.call(ListFields, project.record.id).await.map(|answer| answer.fields);
    let fields = fields.unwrap_or_default();
    let value = |field: &CustomField, value: &FieldValue| match value {
        FieldValue::Number(number) => format!("{number} {}", field.unit.as_str()).trim_end().to_owned(),
        FieldValue::Text(text) if !field.field_type.has_options() => text.clone(),
        FieldValue::Text(_) | FieldValue::List(_) => field.option_names(value).join(", "),
    };
    let shown = fields
        .iter()
        .filter_map(|field| Some((field.name.to_string(), value(field, card.fields.fields.get(field.id)?))));
    shown.collect()
}
