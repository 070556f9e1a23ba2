//! The invitation of a secret, before its bearer decides to join.

use auth::actor::BrowserOnly;
use auth::invitation::InvitationSecret;
use database::prelude::*;
use database::schema::{invitations, organizations, users};
use domain::people::invitation::InvitationRecord;
use domain::time::Timestamp;
use domain::{Error, Result, Rule};

use super::{AcceptedInvitation, InvitationRow, find_offer, is_offered};
use crate::access::user::User;
use crate::resources::store::Tx;

/// The invitation that the caller would accept by a secret, or has accepted by it. All others are answered alike, as by
/// [`accept`](super::accept).
///
/// # Errors
/// `INVALID_REQUEST`.
pub async fn by_secret(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    secret: InvitationSecret,
    now: Timestamp,
) -> Result<InvitationRecord> {
    let unusable = || Error::broken("secret", Rule::Exists);
    let accepted = AcceptedInvitation::Secret(secret);
    let offer = find_offer(tx, &accepted).await?.ok_or_else(unusable)?;
    let is_own = offer.accepted_by == Some(user.id().0);
    if !is_own && !is_offered(tx, user, &offer, &accepted, now).await? {
        return Err(unusable());
    }
    let row: Option<InvitationRow> = invitations::table
        .inner_join(organizations::table)
        .inner_join(users::table.on(users::id.eq(invitations::invited_by)))
        .filter(invitations::id.eq(offer.id))
        .select(InvitationRow::as_select())
        .first(tx)
        .await
        .optional()?;
    let row = row.ok_or_else(unusable)?;
    // The state of the mail is for who invites.
    InvitationRow { mail_state: None, ..row }.record()
}
