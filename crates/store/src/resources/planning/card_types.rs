//! The types of cards that a project defines: list, create, change, delete, and their presets for new cards.

use auth::actor::{CardDelete, CardWrite, Requirement};
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::{card_types, projects};
use domain::event::change::ChangeData;
use domain::event::change::data::CardTypeEventData;
use domain::id::{CardTypeId, ProjectId};
use domain::planning::card::NewCard;
use domain::planning::card_type::{
    CardTypeDefinition, CreateCardTypeRequest, PROJECT_MAX_TYPES, UpdateCardTypeRequest,
};
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card_type::DefinedType;
use crate::access::project::Project;
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::store::Tx;

/// The types that a project defines, by name.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P: Requirement>(tx: &mut Tx, project: &Project<P>) -> Result<Vec<CardTypeDefinition>> {
    let rows: Vec<CardTypeRow> = card_types::table
        .filter(card_types::project_id.eq(project.record.id.0))
        .order(card_types::name)
        .select(CardTypeRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(CardTypeRow::definition).collect()
}

/// Defines a type. Cards that have its name already stay as they are.
///
/// # Errors
/// `CARD_TYPE_NAME_TAKEN`, `LIMIT_REACHED`; `INVALID_REQUEST` for too many lines.
pub async fn create(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    request: CreateCardTypeRequest,
) -> Result<CardTypeDefinition> {
    let definition = request.definition(project.record.id, call.now)?;
    require_room(tx, project.record.id).await?;
    diesel::insert_into(card_types::table)
        .values((
            card_types::id.eq(definition.id.0),
            card_types::project_id.eq(definition.project_id.0),
            card_types::name.eq(definition.name.as_str()),
            Preset::of(&definition),
        ))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    publish(tx, call, &definition, Vec::new(), ChangeData::CardTypeCreated);
    Ok(definition)
}

/// The witness' type.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get<P: Requirement>(tx: &mut Tx, defined: &DefinedType<P>) -> Result<CardTypeDefinition> {
    let row: CardTypeRow =
        card_types::table.find(defined.id.0).select(CardTypeRow::as_select()).first(tx).await?;
    row.definition()
}

/// Changes a type's preset. Cards stay as they are.
///
/// # Errors
/// `INVALID_REQUEST` for too many lines.
pub async fn update(
    tx: &mut Tx,
    defined: &DefinedType<CardWrite>,
    call: &Call<CardWrite>,
    request: UpdateCardTypeRequest,
) -> Result<CardTypeDefinition> {
    let before = get(tx, defined).await?;
    let after = request.changed(&before)?;
    let fields = changed_fields(&before, &after)?;
    if !fields.is_empty() {
        diesel::update(card_types::table.find(after.id.0)).set(Preset::of(&after)).execute(tx).await?;
        publish(tx, call, &after, fields, ChangeData::CardTypeUpdated);
    }
    Ok(after)
}

/// Deletes a type. Cards keep its name.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn delete(tx: &mut Tx, defined: &DefinedType<CardDelete>, call: &Call<CardDelete>) -> Result<()> {
    let definition = get(tx, defined).await?;
    diesel::delete(card_types::table.find(defined.id.0)).execute(tx).await?;
    publish(tx, call, &definition, Vec::new(), ChangeData::CardTypeDeleted);
    Ok(())
}

/// The types of new cards that take something of a preset.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn of_new(
    connection: &Connection,
    project: &Project<CardWrite>,
    new: &[&NewCard],
) -> Result<Vec<CardTypeDefinition>> {
    let takes = |card: &&&NewCard| card.takes_description || card.checklist.is_none();
    let mut names: Vec<&str> = new.iter().filter(takes).map(|card| card.fields.card_type.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<CardTypeRow> = card_types::table
        .filter(card_types::project_id.eq(project.record.id.0).and(card_types::name.eq_any(names)))
        .select(CardTypeRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(CardTypeRow::definition).collect()
}

/// Refuses one more type than a project may define. Others that ask wait until the transaction ends.
async fn require_room(tx: &mut Tx, project: ProjectId) -> Result<()> {
    let held: Option<Uuid> = projects::table
        .find(project.0)
        .select(projects::id)
        .for_no_key_update()
        .first(tx)
        .await
        .optional()?;
    held.ok_or_else(Error::not_found)?;
    let known: i64 =
        card_types::table.filter(card_types::project_id.eq(project.0)).count().get_result(tx).await?;
    let known = u64::try_from(known).map_err(Error::internal)?;
    if known < PROJECT_MAX_TYPES {
        return Ok(());
    }
    Err(Error::limit_reached("types of cards", PROJECT_MAX_TYPES, known))
}

fn publish<P>(
    tx: &mut Tx,
    call: &Call<P>,
    definition: &CardTypeDefinition,
    fields: Vec<String>,
    change: impl FnOnce(CardTypeEventData) -> ChangeData,
) {
    let project = definition.project_id;
    let data = CardTypeEventData { card_type_id: definition.id, project_id: project, fields };
    tx.publish(NewChangeEvent::of_tag(call, project, change(data)));
}

/// The columns that change.
#[derive(AsChangeset, Insertable)]
#[diesel(table_name = card_types)]
struct Preset<'a> {
    description: &'a str,
    checklist: Value,
}

impl<'a> Preset<'a> {
    fn of(definition: &'a CardTypeDefinition) -> Self {
        Self { description: definition.description.as_str(), checklist: json!(definition.checklist) }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = card_types)]
struct CardTypeRow {
    id: Uuid,
    project_id: Uuid,
    name: String,
    description: String,
    checklist: Value,
}

impl CardTypeRow {
    fn definition(self) -> Result<CardTypeDefinition> {
        Ok(CardTypeDefinition {
            id: CardTypeId(self.id),
            project_id: ProjectId(self.project_id),
            name: decode::parse(&self.name)?,
            description: decode::bounded(self.description)?,
            checklist: serde_json::from_value(self.checklist).map_err(Error::internal)?,
        })
    }
}

fn name_taken(error: SqlError) -> Error {
    if error.violates_unique("card_types_project_name_key") {
        let message = "belongs to another type of the project";
        return Error::invalid("name", Rule::Unique, message).under(Code::CardTypeNameTaken);
    }
    error.into()
}
