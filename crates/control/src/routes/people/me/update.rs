//! Change the caller's own account.

use api::people::me::{GetMeResponse, UpdateMe};
use auth::actor::BrowserOnly;
use domain::people::account::Account;
use domain::{Error, Result, Rule};
use store::Me;
use store::people::identity;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Chooses the address in the caller's new commits.
pub async fn handle(app: App, request: Request<BrowserOnly, UpdateMe>) -> Result<TaggedReply<GetMeResponse>> {
    let expected = request.head.if_match()?;
    let shows_email = request.body.0.show_email_in_commits.or_cleared(false);
    let shows_email = shows_email.ok_or_else(|| Error::broken("", Rule::MinProperties(1)))?;
    let change = async |tx: &mut _, me: &_| {
        let condition = |current: &Account| {
            let user = current.clone();
            wire::check_if_match(expected.as_ref(), &GetMeResponse { user })
        };
        identity::show_email_in_commits(tx, me, shows_email, condition).await
    };
    let user = app.store.mutate(&request.call, &Me, change).await?;
    Ok(Reply::ok(GetMeResponse { user }).etag_of_body())
}
