//! Read the caller's own account.

use auth::actor::Authenticated;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Me;
use store::identity::{self, Account};
use wire::{Reply, Request, Tagged};

use crate::app::App;

/// The calling user.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetMeResponse")]
pub struct Answer {
    user: Account,
}

/// Reads the account of the user whom the credential stands for.
pub async fn handle(app: App, request: Request<Authenticated>) -> Result<Tagged<Answer>> {
    let user = app.store.read(&request.call, &Me, async |tx, me| identity::account(tx, me).await).await?;
    Ok(Reply::ok(Answer { user }).etag_of_body())
}
