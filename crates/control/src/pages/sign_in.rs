//! Sign-in by a ticket of the development issuer, where no real issuer has a page for it.

use actix_web::HttpResponse;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Error, Result};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use wire::RequestHead;

use crate::app::App;

/// Lifetime of a token that a ticket is exchanged for: a day of work.
const TOKEN_SECS: u32 = 12 * 60 * 60;

/// The header by which a sender's second request is told from that of another.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Exchanges the ticket in `Authorization` for a browser token, once. A ticket in a header is in no log and no history.
/// A sender whose answer was lost may ask again by the same `Idempotency-Key`.
///
/// # Errors
/// `UNAUTHENTICATED`: no ticket of this deployment's development issuer, or one that was used. `CREDENTIAL_EXPIRED`.
/// `UNAVAILABLE`: Redis is away.
pub async fn exchange(app: App, head: RequestHead) -> Result<HttpResponse> {
    let development = app.issuers.development.as_ref().ok_or_else(Error::unauthenticated)?;
    let ticket = head.single(AUTHORIZATION.as_str())?.and_then(|value| value.strip_prefix("Bearer "));
    let now = app.clock.now();
    let ticket = development.issuer.verify_ticket(ticket.ok_or_else(Error::unauthenticated)?, now)?;
    let key = head.single(IDEMPOTENCY_KEY)?.filter(|key| !key.is_empty());
    // A digest: Redis may show what it holds to operators, and a key is as long as its sender likes.
    let claimant = key.map_or_else(|| Uuid::new_v4().to_string(), |key| STANDARD.encode(Sha256::digest(key)));
    if !app.link.claim(&ticket.id, &claimant, ticket.remaining_secs).await? {
        return Err(Error::unauthenticated());
    }
    let token = development.issuer.issue(&ticket.subject, now, TOKEN_SECS)?;
    let answer = json!({ "access_token": token.reveal(), "expires_in": TOKEN_SECS });
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(answer))
}
