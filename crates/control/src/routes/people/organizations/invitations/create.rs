//! Invite a person to an organization.

use api::people::organizations::invitations::{
    CreateInvitation, CreateInvitationRequest, CreateInvitationResponse,
};
use auth::actor::BrowserProjectManage;
use domain::time::{DateOrTime, Timestamp};
use domain::{Code, Error, Result, Rule};
use store::people::invitations::{self, NewInvitation};
use wire::{Created, Reply, Request};

use crate::app::App;

/// Default lifetime of an invitation, in seconds: 7 days.
const DEFAULT_LIFETIME_SECS: i64 = 7 * 24 * 60 * 60;
/// Maximum lifetime of an invitation, in seconds: 30 days.
const MAX_LIFETIME_SECS: i64 = 30 * 24 * 60 * 60;

/// Makes an invitation, whose secret is shown only once. A repeat under the same idempotency key answers the same record
/// with a new secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, CreateInvitation>,
) -> Result<Created<CreateInvitationResponse>> {
    let (call, at) = (&request.call, &request.path.org_id);
    let new = validate(request.body.0, call.now, app.mails.daily_limit())?;
    let create = async |tx: &mut _, organization: &_| invitations::create(tx, organization, call, &new).await;
    let made = app.store.create(call, at, create).await?;
    let id = made.value.id;
    app.mails.wake();
    let show = async |tx: &mut _, organization: &_| invitations::set_secret(tx, organization, id).await;
    // The invitation exists already.
    let secret = app.store.mutate(call, at, show).await;
    let secret = secret
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    Ok(Reply::created(
        made.map(|invitation| CreateInvitationResponse { invitation, secret: secret.reveal().into() }),
    ))
}

fn validate(
    body: CreateInvitationRequest,
    now: Timestamp,
    daily_mails: Option<u32>,
) -> Result<NewInvitation> {
    let expires_at = body.expires_at.map(DateOrTime::end);
    let expires_at = expires_at.unwrap_or_else(|| now.plus_seconds(DEFAULT_LIFETIME_SECS));
    let latest = now.plus_seconds(MAX_LIFETIME_SECS);
    if expires_at <= now {
        return Err(Error::broken("expiresAt", Rule::NotBefore(now.to_string())));
    }
    if expires_at > latest {
        return Err(Error::broken("expiresAt", Rule::NotAfter(latest.to_string())));
    }
    Ok(NewInvitation { role: body.role, email: body.email, expires_at, daily_mails })
}
