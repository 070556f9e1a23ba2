//! The custom fields of a project: list, create, change, delete. Submodules: their values on cards, filters and orders
//! by them.

pub(crate) mod filter;
pub mod order;
pub(super) mod values;

use auth::actor::{CardDelete, CardWrite, Requirement};
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::{card_field_values, custom_fields, projects};
use domain::content::edit::ObjectType;
use domain::event::change::ChangeData;
use domain::event::change::data::FieldEventData;
use domain::id::{FieldId, FieldOptionId, ProjectId};
use domain::planning::custom_field::{
    CreateFieldRequest, CustomField, FieldOption, FieldScope, FieldStatus, ObjectDefaults,
    PROJECT_MAX_ALL_FIELDS, PROJECT_MAX_FIELDS, PROJECT_MAX_SHOWN_FIELDS, UpdateFieldRequest,
};
use domain::search::fold_case;
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::field::Field;
use crate::access::project::Project;
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::store::Tx;

/// All custom fields of a project in the order of their creation, with the archived ones.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P: Requirement>(tx: &mut Tx, project: &Project<P>) -> Result<Vec<CustomField>> {
    of_projects(tx, &[project.record.id.0]).await
}

/// Creates a field.
///
/// # Errors
/// `FIELD_NAME_TAKEN`, `LIMIT_REACHED`; `INVALID_REQUEST` for properties that contradict each other.
pub async fn create(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    request: CreateFieldRequest,
) -> Result<CustomField> {
    let field = request.field(project.record.id, call.now)?;
    insert(tx, call, &field).await?;
    Ok(field)
}

/// Adds a field.
///
/// # Errors
/// `FIELD_NAME_TAKEN`, `LIMIT_REACHED`.
pub(super) async fn insert(tx: &mut Tx, call: &Call<CardWrite>, field: &CustomField) -> Result<()> {
    require_room(tx, field, None).await?;
    diesel::insert_into(custom_fields::table)
        .values((
            custom_fields::id.eq(field.id.0),
            custom_fields::project_id.eq(field.project_id.0),
            custom_fields::field_type.eq(field.field_type.as_str()),
            columns(field)?,
        ))
        .execute(tx)
        .await
        .map_err(|error| {
            let gone = error.violates_foreign_key("custom_fields_project_id_fkey");
            if gone { Error::not_found() } else { name_taken(error) }
        })?;
    publish(tx, call, field, Vec::new(), ChangeData::FieldCreated);
    Ok(())
}

/// The witness' field.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get<P: Requirement>(tx: &mut Tx, field: &Field<P>) -> Result<CustomField> {
    let row: FieldRow = custom_fields::table.find(field.id.0).select(FieldRow::as_select()).first(tx).await?;
    row.field()
}

/// Changes a field. An option that goes and that cards have is archived instead, as the last.
///
/// # Errors
/// `FIELD_NAME_TAKEN`, `LIMIT_REACHED`; `INVALID_REQUEST` for properties that contradict each other.
pub async fn update(
    tx: &mut Tx,
    field: &Field<CardWrite>,
    call: &Call<CardWrite>,
    request: UpdateFieldRequest,
) -> Result<CustomField> {
    let before = get(tx, field).await?;
    let mut after = request.changed(&before, call.now)?;
    after.options.extend(used_options(tx, &before, &after).await?);
    after.require_options()?;
    let is_active_again = before.status == FieldStatus::Archived && after.status == FieldStatus::Active;
    if is_active_again || (after.is_on_boards() && !before.is_on_boards()) {
        require_room(tx, &after, Some(&before)).await?;
    }
    diesel::update(custom_fields::table.find(after.id.0))
        .set(columns(&after)?)
        .execute(tx)
        .await
        .map_err(name_taken)?;
    let fields = changed_fields(&before, &after)?;
    if !fields.is_empty() {
        publish(tx, call, &after, fields, ChangeData::FieldUpdated);
    }
    Ok(after)
}

/// Deletes a field that no card has a value of. That of objects stays: commits may have values.
///
/// # Errors
/// `FIELD_IN_USE`.
pub async fn delete(tx: &mut Tx, field: &Field<CardDelete>, call: &Call<CardDelete>) -> Result<()> {
    let record = get(tx, field).await?;
    let used = card_field_values::table.filter(card_field_values::field_id.eq(field.id.0));
    let is_used: bool = diesel::select(diesel::dsl::exists(used)).get_result(tx).await?;
    if is_used || record.applies_to.has_objects() {
        return Err(Error::new(
            Code::FieldInUse,
            "Cards, or objects of commits, may have values of the field. Archive it; of cards alone, or clear them first.",
        ));
    }
    diesel::delete(custom_fields::table.find(field.id.0)).execute(tx).await?;
    publish(tx, call, &record, Vec::new(), ChangeData::FieldDeleted);
    Ok(())
}

/// The fields of projects that boards show on cards.
pub(super) async fn shown(connection: &Connection, projects: &[Uuid]) -> Result<Vec<CustomField>> {
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq_any(projects.to_vec()))
        .filter(custom_fields::is_shown.and(custom_fields::status.eq(FieldStatus::Active.as_str())))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}

/// The fields of a project's objects.
pub(crate) async fn of_objects(connection: &Connection, project: ProjectId) -> Result<Vec<CustomField>> {
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq(project.0))
        .filter(custom_fields::applies_to.ne(FieldScope::Cards.as_str()))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}

/// The defaults of new objects of a project.
pub(crate) async fn object_defaults(connection: &Connection, project: ProjectId) -> Result<ObjectDefaults> {
    of_objects(connection, project).await.map(ObjectDefaults::new)
}

/// The custom fields of projects in the order of their creation.
async fn of_projects(connection: &Connection, projects: &[Uuid]) -> Result<Vec<CustomField>> {
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq_any(projects.to_vec()))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}

/// Those of the options that `after` lacks which cards have, archived.
async fn used_options(tx: &mut Tx, before: &CustomField, after: &CustomField) -> Result<Vec<FieldOption>> {
    let is_kept = |option: &FieldOption| after.options.iter().any(|kept| kept.id == option.id);
    let mut gone: Vec<FieldOption> =
        before.options.iter().filter(|option| !is_kept(option)).cloned().collect();
    if gone.is_empty() {
        return Ok(gone);
    }
    if before.applies_to.has_objects() {
        // Commits may have them.
        gone.iter_mut().for_each(|option| option.is_archived = true);
        return Ok(gone);
    }
    let used: Vec<Option<String>> = card_field_values::table
        .filter(card_field_values::field_id.eq(before.id.0).and(card_field_values::number.is_null()))
        .filter(
            card_field_values::text
                .eq_any(gone.iter().map(|option| option.id.to_string()).collect::<Vec<_>>()),
        )
        .select(card_field_values::text)
        .distinct()
        .load(tx)
        .await?;
    let used: Vec<FieldOptionId> = used.into_iter().filter_map(|id| id?.parse().ok()).collect();
    gone.retain(|option| used.contains(&option.id));
    gone.iter_mut().for_each(|option| option.is_archived = true);
    Ok(gone)
}

/// Refuses a new or changed field that is one more than a project may have, active, shown or at all. Others that ask wait until
/// the transaction ends.
async fn require_room(tx: &mut Tx, field: &CustomField, before: Option<&CustomField>) -> Result<()> {
    let project = field.project_id;
    let held: Option<Uuid> = projects::table
        .find(project.0)
        .select(projects::id)
        .for_no_key_update()
        .first(tx)
        .await
        .optional()?;
    held.ok_or_else(Error::not_found)?;
    let fields = of_projects(tx, &[project.0]).await?;
    let others: Vec<&CustomField> =
        fields.iter().filter(|other| before.is_none_or(|before| before.id != other.id)).collect();
    let is_active = |field: &CustomField| field.status == FieldStatus::Active;
    let limits = [
        (others.iter().filter(|other| is_active(other)).count(), PROJECT_MAX_FIELDS, is_active(field)),
        (
            others.iter().filter(|other| other.is_on_boards()).count(),
            PROJECT_MAX_SHOWN_FIELDS,
            field.is_on_boards(),
        ),
        (others.len(), PROJECT_MAX_ALL_FIELDS, before.is_none()),
    ];
    match limits.into_iter().find(|(known, limit, is_added)| *is_added && known >= limit) {
        None => Ok(()),
        Some((_, limit, _)) => {
            let message = format!("The project has its {limit} custom fields already.");
            let details = json!({ "resource": "custom_fields", "limit": limit });
            Err(Error::new(Code::LimitReached, message).with_details(details))
        }
    }
}

fn publish<P>(
    tx: &mut Tx,
    call: &Call<P>,
    field: &CustomField,
    fields: Vec<String>,
    change: impl FnOnce(FieldEventData) -> ChangeData,
) {
    let data = FieldEventData { field_id: field.id, project_id: field.project_id, fields };
    tx.publish(NewChangeEvent::of_tag(call, field.project_id, change(data)));
}

/// The columns that change.
#[derive(AsChangeset, Insertable)]
#[diesel(table_name = custom_fields, treat_none_as_null = true)]
struct Columns<'a> {
    name: &'a str,
    folded_name: String,
    description: &'a str,
    unit: &'a str,
    options: Value,
    default_value: Option<Value>,
    is_required: bool,
    minimum: Option<Value>,
    maximum: Option<Value>,
    status: &'a str,
    is_shown: bool,
    applies_to: &'a str,
    object_type: Option<&'a str>,
}

fn columns(field: &CustomField) -> Result<Columns<'_>> {
    Ok(Columns {
        name: field.name.as_str(),
        folded_name: fold_case(field.name.as_str()),
        description: field.description.as_str(),
        unit: field.unit.as_str(),
        options: serde_json::to_value(&field.options).map_err(Error::internal)?,
        default_value: field
            .default_value
            .as_ref()
            .map(serde_json::to_value)
            .transpose()
            .map_err(Error::internal)?,
        is_required: field.is_required,
        minimum: field.minimum.clone().map(Value::Number),
        maximum: field.maximum.clone().map(Value::Number),
        status: field.status.as_str(),
        is_shown: field.is_shown,
        applies_to: field.applies_to.as_str(),
        object_type: field.object_type.as_ref().map(ObjectType::as_str),
    })
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = custom_fields)]
struct FieldRow {
    id: Uuid,
    project_id: Uuid,
    name: String,
    description: String,
    field_type: String,
    unit: String,
    options: Value,
    default_value: Option<Value>,
    is_required: bool,
    minimum: Option<Value>,
    maximum: Option<Value>,
    status: String,
    is_shown: bool,
    applies_to: String,
    object_type: Option<String>,
}

impl FieldRow {
    fn field(self) -> Result<CustomField> {
        let number =
            |value: Option<Value>| value.map(serde_json::from_value).transpose().map_err(Error::internal);
        Ok(CustomField {
            id: FieldId(self.id),
            project_id: ProjectId(self.project_id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            field_type: decode::text(&self.field_type)?,
            unit: decode::bounded(self.unit)?,
            options: serde_json::from_value(self.options).map_err(Error::internal)?,
            default_value: self
                .default_value
                .map(serde_json::from_value)
                .transpose()
                .map_err(Error::internal)?,
            is_required: self.is_required,
            minimum: number(self.minimum)?,
            maximum: number(self.maximum)?,
            status: decode::text(&self.status)?,
            is_shown: self.is_shown,
            applies_to: decode::text(&self.applies_to)?,
            object_type: self.object_type.map(object_type).transpose()?,
        })
    }
}

fn object_type(text: String) -> Result<ObjectType> {
    ObjectType::parse(&text).map_err(|rule| Error::internal(rule.to_string()))
}

fn name_taken(error: SqlError) -> Error {
    if error.violates_unique("custom_fields_project_name_key") {
        let message = "belongs to another custom field of the project";
        return Error::invalid("name", Rule::Unique, message).under(Code::FieldNameTaken);
    }
    error.into()
}
