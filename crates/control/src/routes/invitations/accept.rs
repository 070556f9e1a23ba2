//! Accept an invitation.

use auth::actor::BrowserOnly;
use auth::invitation::InvitationSecret;
use domain::id::InvitationId;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Me;
use store::invitations::{self, AcceptedInvitation};
use wire::{Json, NoPath, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::organizations::OrganizationAnswer;

/// The invitation: one of the two fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AcceptInvitationRequest")]
pub struct Body {
    /// The secret of the invitation.
    #[schemars(length(max = 255))]
    secret: Option<String>,
    /// An invitation to the address of the caller's account.
    invitation_id: Option<InvitationId>,
}

/// Makes the caller a member. An invitation counts once.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, NoPath, NoQuery, Json<Body>>,
) -> Result<Reply<OrganizationAnswer>> {
    let call = &request.call;
    let accepted = request.body.0.validate()?;
    let accept = async |tx: &mut _, me: &_| invitations::accept(tx, me, call, &accepted).await;
    let organization = app.store.mutate(call, &Me, accept).await?;
    Ok(Reply::ok(OrganizationAnswer { organization }))
}

impl Body {
    fn validate(self) -> Result<AcceptedInvitation> {
        match (self.secret, self.invitation_id) {
            (Some(secret), None) => {
                InvitationSecret::parse("secret", &secret).map(AcceptedInvitation::Secret)
            }
            (None, Some(id)) => Ok(AcceptedInvitation::Addressed(id)),
            (None, None) => {
                Err(Error::invalid("secret", Rule::Required, "is required unless `invitationId` is supplied"))
            }
            (Some(_), Some(_)) => Err(Error::invalid(
                "invitationId",
                Rule::conflict("secret"),
                "can't be combined with `secret`",
            )),
        }
    }
}
