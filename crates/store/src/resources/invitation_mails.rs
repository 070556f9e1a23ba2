//! Mails that invite people. Each invitation holds the time of its next attempt, so a mail is sent at least once, by any
//! process.

use database::decode;
use database::prelude::*;
use database::schema::invitations;
use diesel::sql_types::{Integer, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::InvitationId;
use domain::role::OrganizationRole;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Store;

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

impl Store {
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

    /// Ends the attempts to mail an invitation.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn end_invitation_mail(&self, invitation: InvitationId) -> Result<()> {
        let row = diesel::update(invitations::table.find(invitation.0));
        let none: Option<OffsetDateTime> = None;
        row.set(invitations::mail_at.eq(none)).execute(&self.connection().await?).await?;
        Ok(())
    }
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
