//! Change the caller's own account.

use api::people::me::{GetMeResponse, UpdateMe, UpdateMeRequest};
use auth::actor::BrowserOnly;
use domain::people::account::Account;
use domain::{Result, patch};
use store::Me;
use store::people::account_changes::{self, AccountChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Changes the caller's name, and the address in its new commits.
pub async fn handle(app: App, request: Request<BrowserOnly, UpdateMe>) -> Result<TaggedReply<GetMeResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let change = async |tx: &mut _, me: &_| {
        let condition = |current: &Account| {
            let user = current.clone();
            wire::check_if_match(expected.as_ref(), &GetMeResponse { user })
        };
        account_changes::apply(tx, me, call, &changes, condition).await
    };
    let user = app.store.mutate(call, &Me, change).await?;
    Ok(Reply::ok(GetMeResponse { user }).etag_of_body())
}

fn validate(body: UpdateMeRequest) -> Result<AccountChanges> {
    patch::not_empty(AccountChanges {
        name: body.name.not_cleared("name")?,
        shows_email: body.show_email_in_commits.or_cleared(false),
    })
}
