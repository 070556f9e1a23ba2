//! Mails that invite people. Each invitation holds the time of its next attempt, so a mail is sent at least once, by any
//! process.

use database::decode;
use database::prelude::*;
use database::schema::{invitations, sent_invitation_mails};
use diesel::sql_types::{BigInt, Integer, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::InvitationId;
use domain::people::email::EmailAddress;
use domain::people::invitation::InvitationMailState;
use domain::people::role::OrganizationRole;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::organization::Organization;
use crate::resources::store::{Store, Tx};

/// Most mails in a day that one person's invitations cause.
const OF_INVITER_MAX: i64 = 100;
/// Most mails in a day that one organization's invitations cause.
const OF_ORGANIZATION_MAX: i64 = 300;
/// Most mails in a day to one mailbox, by all organizations.
const TO_RECIPIENT_MAX: i64 = 5;
/// A day, in seconds.
const DAY_SECS: i64 = 24 * 60 * 60;

/// An invitation whose mail is due.
#[derive(Clone, Debug)]
pub struct InvitationMail {
    /// The invitation.
    pub invitation: InvitationId,
    /// The address of the invited person.
    pub address: String,
    /// The organization's name.
    pub organization: String,
    /// The offered role.
    pub role: OrganizationRole,
    /// The name of the person who invites.
    pub inviter: String,
    /// The address of the person who invites.
    pub inviter_address: String,
    /// The end of the invitation.
    pub expires_at: Timestamp,
    /// The attempts so far, this one included.
    pub attempts: u32,
}

/// Counts a mail to `recipient`, if those of the last day leave room for one more; else `false`, and the invitation is made
/// without one. Mails are counted apart from invitations, whose end takes none back.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn count<P>(
    tx: &mut Tx,
    organization: &Organization<P>,
    recipient: &EmailAddress,
    of_deployment_max: u32,
    now: Timestamp,
) -> Result<bool> {
    // The recipient's and the deployment's mails are caused by several organizations: one at a time counts.
    Statement::new("select pg_advisory_xact_lock(hashtext('invitation-mails'))").execute(tx).await?;
    let mailbox = recipient.mailbox();
    let sent: CountsRow = Statement::new(include_str!("invitation_mails/count.sql"))
        .bind::<SqlUuid, _>(organization.user.0)
        .bind::<SqlUuid, _>(organization.id.0)
        .bind::<Text, _>(&mailbox)
        .bind::<Timestamptz, _>(now.plus_seconds(-DAY_SECS).0)
        .get_result(tx)
        .await?;
    let has_room = sent.of_inviter < OF_INVITER_MAX
        && sent.of_organization < OF_ORGANIZATION_MAX
        && sent.to_recipient < TO_RECIPIENT_MAX
        && sent.of_deployment < i64::from(of_deployment_max);
    if has_room {
        diesel::insert_into(sent_invitation_mails::table)
            .values((
                sent_invitation_mails::id.eq(InvitationId::new(now).0),
                sent_invitation_mails::invited_by.eq(organization.user.0),
                sent_invitation_mails::organization_id.eq(organization.id.0),
                sent_invitation_mails::recipient.eq(mailbox),
                sent_invitation_mails::created_at.eq(now.0),
            ))
            .execute(tx)
            .await?;
    }
    Ok(has_room)
}

impl Store {
    /// Deletes the counts of mails that are older than a day; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_counted_mails(&self, now: Timestamp) -> Result<usize> {
        let old = sent_invitation_mails::created_at.lt(now.plus_seconds(-DAY_SECS).0);
        let rows = sent_invitation_mails::table.filter(old);
        Ok(diesel::delete(rows).execute(&self.connection().await?).await?)
    }

    /// Takes a mail that is due. It is due again a minute later, then after twice that time and so on, up to an hour,
    /// until [`Self::end_invitation_mail`].
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn claim_invitation_mail(&self, now: Timestamp) -> Result<Option<InvitationMail>> {
        let statement =
            Statement::new(include_str!("invitation_mails/claim.sql")).bind::<Timestamptz, _>(now.0);
        let row: Option<MailRow> = statement.get_result(&self.connection().await?).await.optional()?;
        row.map(MailRow::mail).transpose()
    }

    /// Ends the attempts to mail an invitation, as sent or failed.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_invitation_mail(
        &self,
        invitation: InvitationId,
        state: InvitationMailState,
    ) -> Result<()> {
        let row = diesel::update(invitations::table.find(invitation.0));
        let none: Option<OffsetDateTime> = None;
        let ended = (invitations::mail_at.eq(none), invitations::mail_state.eq(decode::word(state)?));
        row.set(ended).execute(&self.connection().await?).await?;
        Ok(())
    }
}

/// The mails of the last day.
#[derive(QueryableByName)]
struct CountsRow {
    #[diesel(sql_type = BigInt)]
    of_inviter: i64,
    #[diesel(sql_type = BigInt)]
    of_organization: i64,
    #[diesel(sql_type = BigInt)]
    to_recipient: i64,
    #[diesel(sql_type = BigInt)]
    of_deployment: i64,
}

#[derive(QueryableByName)]
struct MailRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
    #[diesel(sql_type = Integer)]
    mail_attempts: i32,
    #[diesel(sql_type = Text)]
    organization: String,
    #[diesel(sql_type = Text)]
    inviter: String,
    #[diesel(sql_type = Text)]
    inviter_address: String,
}

impl MailRow {
    fn mail(self) -> Result<InvitationMail> {
        Ok(InvitationMail {
            invitation: InvitationId(self.id),
            address: self.address,
            organization: self.organization,
            role: decode::parse(&self.role)?,
            inviter: self.inviter,
            inviter_address: self.inviter_address,
            expires_at: Timestamp::from(self.expires_at),
            attempts: u32::try_from(self.mail_attempts).map_err(Error::internal)?,
        })
    }
}
