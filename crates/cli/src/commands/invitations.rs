//! List, make, revoke and accept invitations.

use api::people::invitations::{AcceptInvitation, AcceptInvitationRequest, ListOwnInvitations};
use api::people::organizations::invitations::{
    CreateInvitation, CreateInvitationRequest, InvitationPath, ListInvitations, RevokeInvitation,
};
use client::{Client, RequestError};
use domain::people::email::EmailAddress;
use domain::people::invitation::{InvitationMailState, InvitationRecord};
use domain::secret::Secret;
use futures_util::TryStreamExt;
use secrecy::ExposeSecret;

use crate::arguments::Global;
use crate::arguments::people::{Invitations, role};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output::{self, outcome};
use crate::person::explained;
use crate::secret_input::read_secret;
use crate::team::organization;

/// Runs a command on invitations.
pub(crate) async fn run(client: &Client, command: Invitations, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Invitations::List { org } => list(client, org.as_deref(), global).await?,
        Invitations::Create { org, email, role: name, expires } => {
            let address = email.as_deref().map(|text| {
                EmailAddress::parse(text)
                    .ok_or_else(|| CommandFailure::usage(format!("\"{text}\" is not an email address")))
            });
            let request = CreateInvitationRequest {
                role: role(&name)?,
                email: address.transpose()?,
                expires_at: expires,
            };
            let found = organization(client, &org, beginning).await?;
            let made = client.call_with(CreateInvitation, found.id, &request).await.map_err(explained)?;
            if global.json {
                output::json(&made);
            } else {
                let (who, until) = (whom(&made.invitation), output::day(made.invitation.expires_at));
                output::note(&format!(
                    "Invited {who} to {}, until {until}. It is shown only here:",
                    found.slug
                ));
                output::print(made.secret.reveal());
                let mail = match made.invitation.mail {
                    Some(InvitationMailState::Due | InvitationMailState::Sent) => {
                        "It is mailed, without the secret."
                    }
                    Some(InvitationMailState::Limited) => {
                        "It is not mailed, because a limit of mails is reached: hand it over yourself."
                    }
                    Some(InvitationMailState::Failed) => "It can't be mailed: hand it over yourself.",
                    None => return Ok(Exit::Done),
                };
                output::note(mail);
            }
        }
        Invitations::Revoke { org, invitation } => {
            let found = organization(client, &org, beginning).await?;
            let open =
                client.call(ListInvitations, found.id).rows().try_collect().await.map_err(explained)?;
            let list = format!("atelier invitations list {}", found.slug);
            let invitation = among(open, &invitation, &list, beginning)?;
            let revoked = client
                .call(RevokeInvitation, InvitationPath { org_id: found.id, invitation_id: invitation.id })
                .await
                .map_err(explained)?;
            let words = format!("Revoked the invitation of {}.", whom(&invitation));
            outcome(&revoked, &words, global.json);
        }
        Invitations::Accept { invitation } => accept(client, invitation.as_deref(), global).await?,
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, org: Option<&str>, global: &Global) -> CommandResult<()> {
    let open: Result<Vec<InvitationRecord>, RequestError> = match org {
        Some(org) => {
            let found = organization(client, org, Beginning::Taken).await?;
            client.call(ListInvitations, found.id).rows().try_collect().await
        }
        None => client.call(ListOwnInvitations, ()).rows().try_collect().await,
    };
    let open = open.map_err(explained)?;
    if global.json {
        open.iter().for_each(output::json);
        return Ok(());
    }
    let row = |one: &InvitationRecord| {
        let (by, expires) = (inviter(one), output::day(one.expires_at));
        [one.org_name.to_string(), whom(one), one.role.to_string(), by, expires, one.id.to_string()]
    };
    let rows: Vec<[String; 6]> = open.iter().map(row).collect();
    let nothing = "There is no open invitation.";
    output::print_table(["ORGANIZATION", "FOR", "ROLE", "BY", "EXPIRES", "ID"], &rows, nothing);
    Ok(())
}

async fn accept(client: &Client, invitation: Option<&str>, global: &Global) -> CommandResult<()> {
    let request = match invitation {
        Some(text) => {
            let open = client.call(ListOwnInvitations, ()).rows().try_collect().await.map_err(explained)?;
            let beginning = Beginning::of_change(global.json);
            let invitation = among(open, text, "atelier invitations list", beginning)?;
            AcceptInvitationRequest { secret: None, invitation_id: Some(invitation.id) }
        }
        None => {
            let secret = read_secret("secret of the invitation")?
                .ok_or_else(|| CommandFailure::usage("no secret was entered"))?;
            AcceptInvitationRequest {
                secret: Some(Secret::from(secret.expose_secret())),
                invitation_id: None,
            }
        }
    };
    let joined = client.call_with(AcceptInvitation, (), &request).await.map_err(explained)?.organization;
    outcome(&joined, &format!("You are {} of {}.", joined.role, joined.slug), global.json);
    Ok(())
}

/// The invitation that is meant, by its id or its address.
fn among(
    open: Vec<InvitationRecord>,
    text: &str,
    list: &str,
    beginning: Beginning,
) -> CommandResult<InvitationRecord> {
    let wanted = RowName { kind: "invitation", text, list, beginning };
    wanted.among(open, |one| (one.id.to_string(), one.email.clone().unwrap_or_default()))
}

/// The name of the member who invites; its id from a service that doesn't tell names.
fn inviter(invitation: &InvitationRecord) -> String {
    let name = invitation.invited_by_name.as_ref().map(ToString::to_string);
    name.unwrap_or_else(|| invitation.invited_by.to_string())
}

fn whom(invitation: &InvitationRecord) -> String {
    invitation.email.clone().unwrap_or_else(|| "the bearer of its secret".to_owned())
}
