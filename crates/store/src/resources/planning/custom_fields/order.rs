//! Custom fields as orders of cards.

use auth::actor::CardRead;
use database::prelude::*;
use database::schema::custom_fields;
use domain::error::Location;
use domain::id::FieldId;
use domain::people::permission::Permission;
use domain::planning::card::{FieldOrder, FieldSort};
use domain::planning::custom_field::{CustomField, FieldScope};
use domain::search::fold_case;
use domain::{Error, Result, Rule};
use uuid::Uuid;

use super::FieldRow;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::user::User;
use crate::resources::store::Tx;

/// The order by a field of the project.
///
/// # Errors
/// `INVALID_REQUEST` at `sort` if the project doesn't have the field.
pub async fn of_project(tx: &mut Tx, project: &Project<CardRead>, sort: &FieldSort) -> Result<FieldOrder> {
    order(tx, vec![project.record.id.0], sort).await
}

/// The order by a field of the caller's own projects, or by those of one name in several.
///
/// # Errors
/// `INVALID_REQUEST` at `sort` if none of them has the field.
pub async fn of_user(tx: &mut Tx, me: &User<CardRead>, sort: &FieldSort) -> Result<FieldOrder> {
    let projects = reachable::own(tx, me, Permission::CardRead).await?;
    order(tx, projects.into_iter().map(|project| project.0).collect(), sort).await
}

async fn order(connection: &Connection, projects: Vec<Uuid>, sort: &FieldSort) -> Result<FieldOrder> {
    let id = sort.field.parse::<FieldId>().ok().map(|id| id.0);
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq_any(projects))
        .filter(custom_fields::applies_to.ne(FieldScope::Objects.as_str()))
        .filter(
            custom_fields::id
                .eq_any(Vec::from_iter(id))
                .or(custom_fields::folded_name.eq(fold_case(&sort.field))),
        )
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    let named: Vec<CustomField> = rows.into_iter().map(FieldRow::field).collect::<Result<_>>()?;
    let fields: Vec<FieldId> =
        CustomField::called(&named, &sort.field).into_iter().map(|field| field.id).collect();
    match fields.is_empty() {
        true => Err(Error::broken("sort", Rule::Exists).at(Location::Query)),
        false => Ok(FieldOrder { fields, is_descending: sort.is_descending }),
    }
}

/// The definitions of an order's fields, as far as they are still there.
pub(in crate::resources::planning) async fn definitions(
    connection: &Connection,
    order: &FieldOrder,
) -> Result<Vec<CustomField>> {
    let ids: Vec<Uuid> = order.fields.iter().map(|field| field.0).collect();
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::id.eq_any(ids))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}
