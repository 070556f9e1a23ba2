//! Custom fields and tags that an import defines, where the project has none of their names.

use std::collections::BTreeSet;

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::card_tags;
use domain::id::FieldId;
use domain::planning::custom_field::{CreateFieldRequest, CustomField, FieldType, FieldValue};
use domain::planning::import::{ImportItem, ImportNote};
use domain::planning::tag::TagRecord;
use domain::search::fold_case;
use domain::{Code, Result};
use serde_json::{Value, json};

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::card_tags::{NewTag, create};
use crate::resources::planning::custom_fields::{self, values};
use crate::resources::store::Tx;

/// Makes the definitions among the items.
pub(super) async fn define(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    items: &[ImportItem],
) -> Result<Vec<ImportNote>> {
    let (mut fields, mut tags) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            ImportItem::Field(field) => fields.push(&**field),
            ImportItem::Tag(tag) => tags.push(&**tag),
            ImportItem::Card(_)
            | ImportItem::Relation(_)
            | ImportItem::Team(_)
            | ImportItem::Sprint(_)
            | ImportItem::Placement(_)
            | ImportItem::SprintState(_) => {}
        }
    }
    define_tags(tx, project, call, &tags).await?;
    define_fields(tx, project, call, &fields).await
}

async fn define_tags(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    tags: &[&TagRecord],
) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let folded = |tag: &TagRecord| fold_case(tag.name.as_str());
    let known: Vec<String> = card_tags::table
        .filter(card_tags::project_id.eq(project.record.id.0))
        .filter(card_tags::folded_name.eq_any(tags.iter().map(|tag| folded(tag)).collect::<Vec<_>>()))
        .select(card_tags::folded_name)
        .load(tx)
        .await?;
    let mut known: BTreeSet<String> = known.into_iter().collect();
    for tag in tags {
        if known.insert(folded(tag)) {
            let new = NewTag {
                name: tag.name.clone(),
                description: tag.description.clone(),
                color: tag.color.clone(),
                status: tag.status,
            };
            create(tx, project, call, &new).await?;
        }
    }
    Ok(())
}

/// A field that can't be made is noted: its values have notes of their own.
async fn define_fields(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    fields: &[&CustomField],
) -> Result<Vec<ImportNote>> {
    let mut notes = Vec::new();
    if fields.is_empty() {
        return Ok(notes);
    }
    let mut known = values::definitions(tx, project).await?;
    // Fields are listed in the order of their ids.
    let mut ids: Vec<FieldId> = fields.iter().map(|_| FieldId::new(call.now)).collect();
    ids.sort_unstable();
    for (id, field) in ids.into_iter().zip(fields) {
        if let Some(known) = CustomField::called(&known, field.name.as_str()).into_iter().next() {
            if known.field_type != field.field_type {
                notes.push(note(field, "the project has a field of this name with another type; it stays"));
            }
            continue;
        }
        let made = match request(field).field(project.record.id, call.now) {
            Ok(made) => whole(made, id, field),
            Err(_) => {
                notes.push(note(field, "its properties contradict each other; left out"));
                continue;
            }
        };
        match custom_fields::insert(tx, call, &made).await {
            Ok(()) => known.push(made),
            Err(error) if error.code == Code::LimitReached => {
                notes.push(note(field, "the project has no room for another custom field; left out"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(notes)
}

/// The request that makes a field like this one.
fn request(field: &CustomField) -> CreateFieldRequest {
    CreateFieldRequest {
        name: field.name.clone(),
        field_type: field.field_type,
        description: Some(field.description.clone()),
        unit: Some(field.unit.clone()),
        options: Some(field.options.iter().map(|option| option.name.clone()).collect()),
        default_value: field.default_value.as_ref().map(|value| default_value(field, value)),
        is_required: Some(field.is_required),
        minimum: field.minimum.clone(),
        maximum: field.maximum.clone(),
        is_shown: Some(field.is_shown),
        applies_to: Some(field.applies_to),
        object_type: field.object_type.clone(),
    }
}

/// The default by names of options.
fn default_value(field: &CustomField, value: &FieldValue) -> Value {
    match field.field_type {
        FieldType::Choice => json!(field.option_names(value).into_iter().next()),
        FieldType::Choices => json!(field.option_names(value)),
        FieldType::Text | FieldType::Number | FieldType::Date | FieldType::Url | FieldType::User => {
            json!(value)
        }
    }
}

/// The field as it was exported: archived, or with archived options.
fn whole(mut made: CustomField, id: FieldId, field: &CustomField) -> CustomField {
    made.id = id;
    made.status = field.status;
    for (option, exported) in made.options.iter_mut().zip(&field.options) {
        option.is_archived = exported.is_archived;
    }
    made
}

fn note(field: &CustomField, reason: &str) -> ImportNote {
    ImportNote {
        line: None,
        issue: None,
        field: "field".to_owned(),
        value: field.name.as_str().to_owned(),
        reason: reason.to_owned(),
    }
}
