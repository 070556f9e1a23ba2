//! Invitations to organizations. The database has only hashes of their secrets.

pub mod look_up;

use auth::actor::{BrowserOnly, BrowserProjectManage};
use auth::invitation::InvitationSecret;
use database::decode;
use database::prelude::*;
use database::schema::{invitation_exclusions, invitations, organization_members, organizations, users};
use domain::id::{InvitationId, OrganizationId, UserId};
use domain::people::email::EmailAddress;
use domain::people::invitation::{InvitationMailState, InvitationRecord};
use domain::people::organization::OrganizationRecord;
use domain::people::role::OrganizationRole;
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::organization::{Organization, require_rank};
use crate::access::owner;
use crate::access::user::User;
use crate::resources::audit;
use crate::resources::limits;
use crate::resources::people::invitation_endings;
use crate::resources::people::invitation_mails;
use crate::resources::people::members;
use crate::resources::people::organizations as organization_records;
use crate::resources::store::Tx;

/// Most open invitations of an organization.
pub const OPEN_MAX: u32 = 1000;

/// An invitation to be made.
#[derive(Clone, Debug)]
pub struct NewInvitation {
    /// The role that it gives.
    pub role: OrganizationRole,
    /// The address of the only account that may accept it; `None`: its bearer.
    pub email: Option<EmailAddress>,
    /// End of its life.
    pub expires_at: Timestamp,
    /// Most mails of the deployment in a day; `None` if it sends none.
    pub daily_mails: Option<u32>,
}

/// The invitation that a user accepts.
#[derive(Clone, Debug)]
pub enum AcceptedInvitation {
    /// By its secret.
    Secret(InvitationSecret),
    /// By its id, for the account with its address.
    Addressed(InvitationId),
}

/// Makes the record of an invitation. Its secret is unknown until [`set_secret`] sets one: recorded outcomes of idempotency
/// keys never hold a secret. Only owners invite owners. An invitation to an address replaces the open one to it.
///
/// # Errors
/// `FORBIDDEN`, `LIMIT_REACHED`; `ALREADY_MEMBER` for the address of a member.
pub async fn create(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    new: &NewInvitation,
) -> Result<InvitationRecord> {
    require_rank(members::hold(tx, organization).await?, new.role)?;
    if let Some(address) = &new.email {
        replace(tx, organization, address).await?;
    }
    let open = invitations::table
        .filter(invitations::organization_id.eq(organization.id.0).and(invitations::accepted_by.is_null()))
        .filter(invitations::expires_at.gt(call.now.0));
    limits::refuse_over("invitations", OPEN_MAX, open.count().get_result(tx).await?)?;
    let id = InvitationId::new(call.now);
    let mail = match (&new.email, new.daily_mails) {
        (Some(address), Some(most)) => {
            let has_room = invitation_mails::count(tx, organization, address, most, call.now).await?;
            Some(if has_room { InvitationMailState::Due } else { InvitationMailState::Limited })
        }
        _ => None,
    };
    let is_due = mail == Some(InvitationMailState::Due);
    diesel::insert_into(invitations::table)
        .values((
            invitations::id.eq(id.0),
            invitations::organization_id.eq(organization.id.0),
            invitations::role.eq(new.role.as_str()),
            invitations::email.eq(new.email.as_ref().map(EmailAddress::as_str)),
            invitations::secret_hash.eq(InvitationSecret::generate().hash().to_vec()),
            invitations::invited_by.eq(organization.user.0),
            invitations::created_at.eq(call.now.0),
            invitations::expires_at.eq(new.expires_at.0),
            invitations::mail_at.eq(is_due.then_some(call.now.0)),
            invitations::mail_state.eq(mail.map(decode::word).transpose()?),
        ))
        .execute(tx)
        .await?;
    audit::record(tx, call, id.0).await?;
    let organization_record = organization_records::find(tx, organization.user, organization.id).await?;
    let inviter: String =
        users::table.find(organization.user.0).select(users::display_name).first(tx).await?;
    Ok(InvitationRecord {
        id,
        org_id: organization.id,
        org_name: organization_record.name,
        role: new.role,
        email: new.email.as_ref().map(EmailAddress::to_string),
        mail,
        invited_by: organization.user,
        invited_by_name: Some(decode::name(&inviter)?),
        created_at: call.now,
        expires_at: new.expires_at,
    })
}

/// Revokes the open invitation to an address that a new one replaces.
async fn replace(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    address: &EmailAddress,
) -> Result<()> {
    let address = address.as_str().to_ascii_lowercase();
    let members: i64 = organization_members::table
        .inner_join(users::table)
        .filter(organization_members::organization_id.eq(organization.id.0))
        .filter(lower(users::email.nullable()).eq(&address))
        .count()
        .get_result(tx)
        .await?;
    if members > 0 {
        return Err(Error::new(Code::AlreadyMember, "The address belongs to a member of the organization."));
    }
    let open = invitations::table
        .filter(invitations::organization_id.eq(organization.id.0).and(invitations::accepted_by.is_null()))
        .filter(lower(invitations::email).eq(&address));
    diesel::delete(open).execute(tx).await?;
    Ok(())
}

/// Sets a new secret for an open invitation. The earlier secret no longer works.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn set_secret(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    invitation: InvitationId,
) -> Result<InvitationSecret> {
    members::hold(tx, organization).await?;
    let secret = InvitationSecret::generate();
    let open = invitations::table
        .find(invitation.0)
        .filter(invitations::organization_id.eq(organization.id.0).and(invitations::accepted_by.is_null()));
    let set =
        diesel::update(open).set(invitations::secret_hash.eq(secret.hash().to_vec())).execute(tx).await?;
    if set == 1 { Ok(secret) } else { Err(Error::not_found()) }
}

/// The open invitations of an organization, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    now: Timestamp,
    before: Option<InvitationId>,
    rows: u32,
) -> Result<Vec<InvitationRecord>> {
    let found: Vec<InvitationRow> = invitations::table
        .inner_join(organizations::table)
        .inner_join(users::table.on(users::id.eq(invitations::invited_by)))
        .filter(invitations::organization_id.eq(organization.id.0).and(invitations::accepted_by.is_null()))
        .filter(invitations::expires_at.gt(now.0))
        .filter(invitations::id.lt(before.map_or(Uuid::max(), |invitation| invitation.0)))
        .order(invitations::id.desc())
        .limit(i64::from(rows))
        .select(InvitationRow::as_select())
        .load(tx)
        .await?;
    found.into_iter().map(InvitationRow::record).collect()
}

/// The open invitations of the caller's address, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list_own(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    now: Timestamp,
    before: Option<InvitationId>,
    rows: u32,
) -> Result<Vec<InvitationRecord>> {
    let email = address_of(tx, user.id()).await?;
    let found: Vec<InvitationRow> = invitations::table
        .inner_join(organizations::table)
        .inner_join(users::table.on(users::id.eq(invitations::invited_by)))
        .filter(lower(invitations::email).eq(email.to_ascii_lowercase()))
        .filter(invitations::accepted_by.is_null().and(invitations::expires_at.gt(now.0)))
        .filter(invitations::id.lt(before.map_or(Uuid::max(), |invitation| invitation.0)))
        .order(invitations::id.desc())
        .limit(i64::from(rows))
        .select(InvitationRow::as_select())
        .load(tx)
        .await?;
    let unmailed = found.into_iter().map(|row| InvitationRow { mail_state: None, ..row });
    unmailed.map(InvitationRow::record).collect()
}

/// Revokes an open invitation.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`.
pub async fn revoke(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    invitation: InvitationId,
) -> Result<()> {
    require_rank(members::hold(tx, organization).await?, OrganizationRole::Admin)?;
    let open = invitations::table
        .find(invitation.0)
        .filter(invitations::organization_id.eq(organization.id.0).and(invitations::accepted_by.is_null()));
    if diesel::delete(open).execute(tx).await? == 0 {
        return Err(Error::not_found());
    }
    audit::record(tx, call, invitation.0).await
}

/// Makes the caller a member by an open invitation, which counts once, and ends the others to the caller's address. A
/// repeat by the same user answers the same.
///
/// An unknown, expired, revoked or used invitation, one for another address, and one that was open when the caller left
/// are answered alike.
///
/// # Errors
/// `INVALID_REQUEST`; `ALREADY_MEMBER`, which leaves the invitation open.
pub async fn accept(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    accepted: &AcceptedInvitation,
) -> Result<OrganizationRecord> {
    let field = match accepted {
        AcceptedInvitation::Secret(_) => "secret",
        AcceptedInvitation::Addressed(_) => "invitationId",
    };
    let unusable = || Error::broken(field, Rule::Exists);
    let organization = find_organization(tx, accepted).await?.ok_or_else(unusable)?;
    // Members and invitations change under this lock alone: of two who accept at once, or of acceptance and
    // revocation, the second sees the first.
    owner::hold(tx, organization.into()).await.map_err(|_| unusable())?;
    let row = find_offer(tx, accepted).await?.ok_or_else(unusable)?;
    if row.accepted_by == Some(user.id().0) {
        return organization_records::find(tx, user.id(), organization).await.map_err(|_| unusable());
    }
    if !is_offered(tx, user, &row, accepted, call.now).await? {
        return Err(unusable());
    }
    let joined = diesel::insert_into(organization_members::table)
        .values((
            organization_members::organization_id.eq(organization.0),
            organization_members::user_id.eq(user.id().0),
            organization_members::role.eq(&row.role),
            organization_members::created_at.eq(call.now.0),
        ))
        .on_conflict_do_nothing()
        .execute(tx)
        .await?;
    if joined == 0 {
        return Err(Error::new(Code::AlreadyMember, "You are a member of the organization already."));
    }
    diesel::update(invitations::table.find(row.id))
        .set(invitations::accepted_by.eq(user.id().0))
        .execute(tx)
        .await?;
    invitation_endings::end_addressed(tx, organization, user.id()).await?;
    audit::record_in(tx, call, organization, user.id().0).await?;
    organization_records::find(tx, user.id(), organization).await
}

async fn find_organization(tx: &mut Tx, accepted: &AcceptedInvitation) -> Result<Option<OrganizationId>> {
    let found: Option<Uuid> =
        named(accepted).select(invitations::organization_id).first(tx).await.optional()?;
    Ok(found.map(OrganizationId))
}

async fn find_offer(tx: &mut Tx, accepted: &AcceptedInvitation) -> Result<Option<OfferRow>> {
    Ok(named(accepted).select(OfferRow::as_select()).first(tx).await.optional()?)
}

/// True if an invitation is open, and for the caller.
async fn is_offered(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    offer: &OfferRow,
    accepted: &AcceptedInvitation,
    now: Timestamp,
) -> Result<bool> {
    let address = address_of(tx, user.id()).await?;
    let is_addressee = match (&offer.email, accepted) {
        (Some(email), _) => email.eq_ignore_ascii_case(&address),
        (None, AcceptedInvitation::Secret(_)) => true,
        (None, AcceptedInvitation::Addressed(_)) => false,
    };
    let exclusion = invitation_exclusions::table.find((offer.id, user.id().0));
    let excluded: i64 = exclusion.count().get_result(tx).await?;
    Ok(offer.accepted_by.is_none() && offer.expires_at > now.0 && is_addressee && excluded == 0)
}

/// The invitation that a user names.
fn named(accepted: &AcceptedInvitation) -> invitations::BoxedQuery<'_, diesel::pg::Pg> {
    let query = invitations::table.into_boxed();
    match accepted {
        AcceptedInvitation::Secret(secret) => {
            query.filter(invitations::secret_hash.eq(secret.hash().to_vec()))
        }
        AcceptedInvitation::Addressed(id) => query.filter(invitations::id.eq(id.0)),
    }
}

/// The address of a user, which an issuer or an operator vouches for.
async fn address_of(tx: &mut Tx, user: UserId) -> Result<String> {
    let email: Option<String> = users::table.find(user.0).select(users::email).first(tx).await.optional()?;
    email.ok_or_else(Error::unauthenticated)
}

diesel::define_sql_function! {
    /// The text without case.
    fn lower(text: diesel::sql_types::Nullable<diesel::sql_types::Text>) -> diesel::sql_types::Nullable<diesel::sql_types::Text>;
}

/// The columns that decide who may accept an invitation.
#[derive(Queryable, Selectable)]
#[diesel(table_name = invitations)]
struct OfferRow {
    id: Uuid,
    role: String,
    email: Option<String>,
    expires_at: OffsetDateTime,
    accepted_by: Option<Uuid>,
}

/// An invitation's columns without its hash, with the names of organization and inviter.
#[derive(Queryable, Selectable)]
#[diesel(table_name = invitations)]
struct InvitationRow {
    id: Uuid,
    organization_id: Uuid,
    #[diesel(select_expression = organizations::name)]
    organization_name: String,
    role: String,
    email: Option<String>,
    mail_state: Option<String>,
    invited_by: Uuid,
    #[diesel(select_expression = users::display_name)]
    inviter: String,
    created_at: OffsetDateTime,
    expires_at: OffsetDateTime,
}

impl InvitationRow {
    fn record(self) -> Result<InvitationRecord> {
        Ok(InvitationRecord {
            id: InvitationId(self.id),
            org_id: OrganizationId(self.organization_id),
            org_name: decode::name(&self.organization_name)?,
            role: decode::parse(&self.role)?,
            email: self.email,
            mail: self.mail_state.as_deref().map(decode::text).transpose()?,
            invited_by: UserId(self.invited_by),
            invited_by_name: Some(decode::name(&self.inviter)?),
            created_at: Timestamp::from(self.created_at),
            expires_at: Timestamp::from(self.expires_at),
        })
    }
}
