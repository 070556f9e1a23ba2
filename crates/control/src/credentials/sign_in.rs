//! Sign-in by a ticket of the development issuer, where no real issuer has a page for it.

use actix_web::HttpResponse;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL};
use domain::{Error, Result};
use serde_json::json;
use wire::RequestHead;

use crate::app::App;

/// Lifetime of a token that a ticket is exchanged for: a day of work.
const TOKEN_SECS: u32 = 12 * 60 * 60;

/// Exchanges the ticket in `Authorization` for a browser token, once. A ticket in a header is in no log and no history.
///
/// # Errors
/// `UNAUTHENTICATED`: no ticket of this deployment's development issuer, or one that was used. `CREDENTIAL_EXPIRED`.
/// `UNAVAILABLE`: Redis is away.
pub async fn exchange(app: App, head: RequestHead) -> Result<HttpResponse> {
    let development = app.issuers.development.as_ref().ok_or_else(Error::unauthenticated)?;
    let ticket = head.single(AUTHORIZATION.as_str())?.and_then(|value| value.strip_prefix("Bearer "));
    let now = app.clock.now();
    let ticket = development.issuer.verify_ticket(ticket.ok_or_else(Error::unauthenticated)?, now)?;
    if !app.link.claim_once(&ticket.id, ticket.remaining_secs).await? {
        return Err(Error::unauthenticated());
    }
    let token = development.issuer.issue(&ticket.subject, now, TOKEN_SECS)?;
    let answer = json!({ "access_token": token.reveal(), "expires_in": TOKEN_SECS });
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(answer))
}
