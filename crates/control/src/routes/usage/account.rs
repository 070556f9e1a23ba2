//! Report what the caller's account has spent.

use auth::actor::UsageRead;
use domain::Result;
use store::Me;
use store::usage::report;
use wire::{NoPath, Request};

use crate::app::App;
use crate::routes::usage::{Answer, Query};

/// Reports what the caller's own account has spent: on its projects, whoever worked on them, and on those that are gone.
/// A key that is confined to some projects sees what was spent on these.
pub async fn handle(app: App, request: Request<UsageRead, NoPath, Query>) -> Result<Answer> {
    let filter = request.query.filter()?;
    let read = app.store.read(&request.call, &Me, async |tx, me| report::of_account(tx, me, &filter).await);
    Ok(request.query.answer(read.await?))
}
