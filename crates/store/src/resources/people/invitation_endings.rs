//! Ends of invitations with what happens to people. The caller holds the organization's members, under which alone
//! invitations change, so that of two endings at once exactly one counts.

use database::prelude::*;
use database::schema::invitations;
use diesel::sql_types::{Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{OrganizationId, UserId};
use domain::time::Timestamp;

use crate::resources::store::Tx;

/// Ends every invitation that would bring a former member back: those to its address, those that it made, whose bearer
/// it may be, and for this user the others that are open.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn end_with_membership(
    tx: &mut Tx,
    organization: OrganizationId,
    user: UserId,
    now: Timestamp,
) -> Result<()> {
    end_addressed(tx, organization, user).await?;
    withdraw(tx, organization, user).await?;
    Statement::new(include_str!("invitation_endings/exclude.sql"))
        .bind::<SqlUuid, _>(organization.0)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Timestamptz, _>(now.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Revokes the open invitations to the address of a user.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn end_addressed(tx: &mut Tx, organization: OrganizationId, user: UserId) -> Result<()> {
    Statement::new(include_str!("invitation_endings/end_addressed.sql"))
        .bind::<SqlUuid, _>(organization.0)
        .bind::<SqlUuid, _>(user.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Revokes the open invitations that a member has made.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn withdraw(tx: &mut Tx, organization: OrganizationId, user: UserId) -> Result<()> {
    let open = invitations::table
        .filter(invitations::organization_id.eq(organization.0).and(invitations::invited_by.eq(user.0)))
        .filter(invitations::accepted_by.is_null());
    diesel::delete(open).execute(tx).await?;
    Ok(())
}
