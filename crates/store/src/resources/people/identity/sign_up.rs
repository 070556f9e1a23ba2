//! Accounts that begin with the first sign-in of a person whom an OIDC issuer vouches for.

use database::prelude::*;
use database::schema::{user_identities, users};
use diesel::sql_types::Text;
use domain::Result;
use domain::id::UserId;
use domain::people::email::EmailAddress;
use domain::text::{Name, Slug};
use domain::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{insert_user, insert_with_free_slug};
use crate::resources::audit;
use crate::resources::store::{Store, Tx};

/// A person without an account, as an issuer describes it.
#[derive(Clone, Debug)]
pub struct Newcomer<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// The subject, unique for its issuer.
    pub subject: &'a str,
    /// The address, which the issuer has verified.
    pub email: &'a EmailAddress,
    /// The name of the person, if the issuer says one.
    pub name: Option<&'a Name>,
}

impl Store {
    /// The account of a person who signs in for the first time. An account with the same address that nobody has signed in to
    /// yet becomes the person's; else a new one is made. `None` if the account with the address belongs to another identity,
    /// or is disabled. Of several first requests at once, one makes the account.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn sign_up(&self, newcomer: &Newcomer<'_>, now: Timestamp) -> Result<Option<UserId>> {
        self.transaction(async |tx| {
            // One first sign-in for an address at a time.
            let address = newcomer.email.as_str().to_ascii_lowercase();
            for key in [address.as_str(), newcomer.subject] {
                Statement::new("select pg_advisory_xact_lock(hashtext('sign-up'), hashtext($1))")
                    .bind::<Text, _>(key)
                    .execute(tx)
                    .await?;
            }
            if let Some((user, disabled_at)) = find_identity(tx, newcomer).await? {
                return Ok(disabled_at.is_none().then_some(UserId(user)));
            }
            let user = match find_by_address(tx, &address).await? {
                Some(known) if known.is_free => UserId(known.id),
                Some(_) => return Ok(None),
                None => create(tx, newcomer, now).await?,
            };
            diesel::insert_into(user_identities::table)
                .values((
                    user_identities::issuer.eq(newcomer.issuer),
                    user_identities::subject.eq(newcomer.subject),
                    user_identities::user_id.eq(user.0),
                    user_identities::created_at.eq(now.0),
                ))
                .execute(tx)
                .await?;
            audit::record_own(tx, now, "user.signed_up", user.0).await?;
            Ok(Some(user))
        })
        .await
    }
}

async fn create(tx: &mut Tx, newcomer: &Newcomer<'_>, now: Timestamp) -> Result<UserId> {
    let (id, local) = (UserId::new(now), newcomer.email.local_part());
    insert_with_free_slug(tx, id.0, "user", &Slug::from_text(local, "user"), now).await?;
    let name = newcomer.name.cloned().map_or_else(|| Name::parse("email", local), Ok)?;
    insert_user(tx, id, newcomer.email.as_str(), &name, now).await?;
    Ok(id)
}

async fn find_identity(
    tx: &mut Tx,
    newcomer: &Newcomer<'_>,
) -> Result<Option<(Uuid, Option<OffsetDateTime>)>> {
    let identity = user_identities::table
        .inner_join(users::table)
        .filter(user_identities::issuer.eq(newcomer.issuer))
        .filter(user_identities::subject.eq(newcomer.subject))
        .select((users::id, users::disabled_at));
    Ok(identity.first(tx).await.optional()?)
}

async fn find_by_address(tx: &mut Tx, address: &str) -> Result<Option<AddressRow>> {
    let found: Vec<AddressRow> =
        Statement::new(include_str!("find_by_address.sql")).bind::<Text, _>(address).load(tx).await?;
    Ok(found.into_iter().next())
}

#[derive(QueryableByName)]
struct AddressRow {
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    id: Uuid,
    /// True if no identity has the account, and the account may be used.
    #[diesel(sql_type = diesel::sql_types::Bool)]
    is_free: bool,
}
