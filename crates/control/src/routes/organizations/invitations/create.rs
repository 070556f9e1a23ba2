//! Invite a person to an organization.

use auth::actor::BrowserProjectManage;
use auth::role::OrganizationRole;
use domain::email::EmailAddress;
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::invitations::{self, InvitationRecord, NewInvitation};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;

/// Default lifetime of an invitation, in seconds: 7 days.
const DEFAULT_LIFETIME_SECS: i64 = 7 * 24 * 60 * 60;
/// Maximum lifetime of an invitation, in seconds: 30 days.
const MAX_LIFETIME_SECS: i64 = 30 * 24 * 60 * 60;

/// An invitation to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateInvitationRequest")]
pub struct Body {
    /// The role that it gives. Only owners invite owners.
    role: OrganizationRole,
    /// The address of the only account that may accept it. Without it, the bearer of the secret may.
    email: Option<EmailAddress>,
    /// Expiry, at most 30 days ahead. Defaults to 7 days.
    expires_at: Option<Timestamp>,
}

/// An invitation with its secret, which is shown only once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreateInvitationResponse")]
pub struct Answer {
    invitation: InvitationRecord,
    /// The secret to hand to the person. It is not stored and can't be shown again.
    secret: String,
}

/// Makes an invitation, whose secret is shown only once. A repeat under the same idempotency key answers the same record
/// with a new secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, OrganizationPath, NoQuery, Json<Body>>,
) -> Result<Created<Answer>> {
    let (call, at) = (&request.call, &request.path.org_id);
    let new = request.body.0.validate(call.now)?;
    let create = async |tx: &mut _, organization: &_| invitations::create(tx, organization, call, &new).await;
    let made = app.store.create(call, at, create).await?;
    let id = made.value.id;
    let show = async |tx: &mut _, organization: &_| invitations::set_secret(tx, organization, id).await;
    // The invitation exists already.
    let secret = app.store.mutate(call, at, show).await;
    let secret = secret
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    Ok(Reply::created(made.map(|invitation| Answer { invitation, secret: secret.reveal().to_owned() })))
}

impl Body {
    fn validate(self, now: Timestamp) -> Result<NewInvitation> {
        let expires_at = self.expires_at.unwrap_or_else(|| now.plus_seconds(DEFAULT_LIFETIME_SECS));
        let latest = now.plus_seconds(MAX_LIFETIME_SECS);
        if expires_at <= now {
            return Err(Error::broken("expiresAt", Rule::NotBefore(now.to_string())));
        }
        if expires_at > latest {
            return Err(Error::broken("expiresAt", Rule::NotAfter(latest.to_string())));
        }
        Ok(NewInvitation { role: self.role, email: self.email, expires_at })
    }
}
