//! Users: their accounts and their identities at OIDC issuers.

pub mod browser_tokens;
pub mod sign_up;

use auth::actor::Requirement;
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::{owners, user_identities, users};
use domain::id::UserId;
use domain::people::account::Account;
use domain::people::email::address_in_commits;
use domain::text::{Name, Slug};
use domain::time::Timestamp;
use domain::{Error, Result, Rule};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::user::User;
use crate::resources::audit;
use crate::resources::kept_addresses;
use crate::resources::store::{Store, Tx};

/// The caller's own account.
///
/// # Errors
/// `UNAUTHENTICATED` if it was deleted meanwhile.
pub async fn account<P: Requirement>(tx: &mut Tx, user: &User<P>) -> Result<Account> {
    let row: Option<(String, bool, String, String, OffsetDateTime)> = users::table
        .inner_join(owners::table)
        .filter(users::id.eq(user.id().0))
        .select((
            users::email,
            users::shows_email_in_commits,
            users::display_name,
            owners::slug,
            users::created_at,
        ))
        .first(tx)
        .await
        .optional()?;
    let (email, shows_email, name, slug, created_at) = row.ok_or_else(Error::unauthenticated)?;
    let stand_in = address_in_commits(user.id(), &tx.commit_host);
    Ok(Account {
        id: user.id(),
        commit_email: if shows_email { email.clone() } else { stand_in },
        show_email_in_commits: shows_email,
        email,
        name: decode::name(&name)?,
        slug: decode::slug(&slug)?,
        created_at: Timestamp::from(created_at),
    })
}

impl Store {
    /// Creates a user, for an operator.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the email address is taken.
    pub async fn create_user(&self, email: &str, name: &Name, now: Timestamp) -> Result<UserId> {
        self.transaction(async |tx| {
            let id = UserId::new(now);
            let base = Slug::from_text(email.split('@').next().unwrap_or_default(), "user");
            insert_with_free_slug(tx, id.0, "user", &base, now).await?;
            insert_user(tx, id, email, name, now).await?;
            audit::record_own(tx, now, "user.created", id.0).await?;
            Ok(id)
        })
        .await
    }

    /// Links the identity `subject` of an OIDC issuer to `user`, for an operator.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the identity is linked already or the user does not exist.
    pub async fn link_identity(
        &self,
        user: UserId,
        issuer: &str,
        subject: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.transaction(async |tx| {
            let linked = diesel::insert_into(user_identities::table)
                .values((
                    user_identities::issuer.eq(issuer),
                    user_identities::subject.eq(subject),
                    user_identities::user_id.eq(user.0),
                    user_identities::created_at.eq(now.0),
                ))
                .on_conflict_do_nothing()
                .execute(tx)
                .await
                .map_err(no_such_user)?;
            if linked == 0 {
                return Err(Error::invalid("subject", Rule::Unique, "is linked to a user already"));
            }
            audit::record_own(tx, now, "user.identity_linked", user.0).await
        })
        .await
    }

    /// `true` if the user exists and is not disabled.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn has_user(&self, user: UserId) -> Result<bool> {
        let statement = users::table.find(user.0).filter(users::disabled_at.is_null()).select(users::id);
        let found: Option<Uuid> = statement.first(&self.connection().await?).await.optional()?;
        Ok(found.is_some())
    }
}

/// Inserts a user beside its owner row.
pub(crate) async fn insert_user(
    tx: &mut Tx,
    id: UserId,
    email: &str,
    name: &Name,
    now: Timestamp,
) -> Result<()> {
    diesel::insert_into(users::table)
        .values((
            users::id.eq(id.0),
            users::email.eq(email),
            users::display_name.eq(name.as_str()),
            users::created_at.eq(now.0),
        ))
        .execute(tx)
        .await
        .map(drop)
        .map_err(|error| match error.violates_unique("users_email_key") {
            true => Error::invalid("email", Rule::Unique, "belongs to another user"),
            false => error.into(),
        })
}

/// Inserts the owner row of a user or organization, with a free variant of the slug `base`, which it returns.
pub(crate) async fn insert_with_free_slug(
    tx: &mut Tx,
    id: Uuid,
    kind: &str,
    base: &Slug,
    now: Timestamp,
) -> Result<Slug> {
    for slug in [base.clone(), base.variant(2), base.variant(3), base.suffixed(&id.simple().to_string())] {
        if insert_owner(tx, id, kind, &slug, now).await? {
            return Ok(slug);
        }
    }
    Err(Error::internal("no slug is free"))
}

/// Inserts the owner row of a user or organization; `false` if the slug is taken, or kept for what had it.
pub(crate) async fn insert_owner(
    tx: &mut Tx,
    id: Uuid,
    kind: &str,
    slug: &Slug,
    now: Timestamp,
) -> Result<bool> {
    let inserted = diesel::insert_into(owners::table)
        .values((
            owners::id.eq(id),
            owners::kind.eq(kind),
            owners::slug.eq(slug.as_str()),
            owners::created_at.eq(now.0),
        ))
        .on_conflict(owners::slug)
        .do_nothing()
        .execute(tx)
        .await?;
    // After the insertion, which waits for a deletion that gives the slug up.
    if inserted == 1 && kept_addresses::is_kept(tx, slug, now).await? {
        diesel::delete(owners::table.find(id)).execute(tx).await?;
        return Ok(false);
    }
    Ok(inserted == 1)
}

/// The operator's error for a violated reference to `users`.
pub(crate) fn no_such_user(error: SqlError) -> Error {
    match error.is_foreign_key_violation() {
        true => Error::invalid("user", Rule::Exists, "there is no such user or resource"),
        false => error.into(),
    }
}
