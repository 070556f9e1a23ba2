//! End the browser token of the request, or all browser tokens of its user.

use api::people::me::{SignOut, SignOutResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::people::identity::browser_tokens;
use wire::{Reply, Request};

use crate::app::App;

/// Ends the token before it expires. Every replica refuses it from the next request on.
pub async fn handle(app: App, request: Request<BrowserOnly, SignOut>) -> Result<Reply<SignOutResponse>> {
    let call = &request.call;
    let everywhere = request.body.map(|body| body.0).unwrap_or_default().everywhere.unwrap_or_default();
    let end = async |tx: &mut _, me: &_| browser_tokens::sign_out(tx, me, call, everywhere).await;
    app.store.mutate(call, &Me, end).await?;
    Ok(Reply::ok(SignOutResponse { signed_out: true, everywhere }))
}
