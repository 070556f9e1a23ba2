//! The custom field that a request sorts cards by.

use auth::actor::CardRead;
use domain::Result;
use domain::content::project::ProjectRef;
use domain::planning::card::{CardSort, FieldOrder};
use store::planning::custom_fields::order;
use store::{Call, Me, Project, Tx, User};

use crate::app::App;

/// The order by a field of one project; `None` for an order by what all cards have.
///
/// # Errors
/// `INVALID_REQUEST` at `sort` if the project doesn't have the field.
pub async fn of_project(
    app: &App,
    call: &Call<CardRead>,
    at: &ProjectRef,
    sort: Option<&CardSort>,
) -> Result<Option<FieldOrder>> {
    let Some(CardSort::Field(named)) = sort else { return Ok(None) };
    let order = async |tx: &mut Tx, project: &Project<CardRead>| order::of_project(tx, project, named).await;
    app.store.read(call, at, order).await.map(Some)
}

/// The order by a field of the caller's projects; `None` for an order by what all cards have.
///
/// # Errors
/// `INVALID_REQUEST` at `sort` if no project has the field.
pub async fn of_user(
    app: &App,
    call: &Call<CardRead>,
    sort: Option<&CardSort>,
) -> Result<Option<FieldOrder>> {
    let Some(CardSort::Field(named)) = sort else { return Ok(None) };
    let order = async |tx: &mut Tx, me: &User<CardRead>| order::of_user(tx, me, named).await;
    app.store.read(call, &Me, order).await.map(Some)
}
