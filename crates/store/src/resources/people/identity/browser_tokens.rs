//! The users of browser tokens, and tokens that end before they expire.

use auth::actor::BrowserOnly;
use auth::browser_token::TokenRecord;
use database::prelude::*;
use database::schema::{ended_browser_tokens, user_identities, users};
use diesel::dsl::{self, exists};
use domain::id::UserId;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::user::User;
use crate::resources::people::access_changes;
use crate::resources::store::{Store, Tx};

/// How long the record of an ended token outlives it, in seconds. The clock of another replica may be late.
const KEPT_SECS: i64 = 60 * 60;

/// Ends the token of the call. `everywhere` also ends all browser tokens of its user that were issued before.
///
/// # Errors
/// `CREDENTIAL_NOT_PERMITTED` for `everywhere` if the issuer doesn't say when it issues tokens: it could issue none that
/// is accepted afterwards.
pub async fn sign_out(
    tx: &mut Tx,
    me: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    everywhere: bool,
) -> Result<()> {
    let token = me.actor.browser_token();
    let token = token.ok_or_else(|| Error::internal("the caller presented no browser token"))?;
    if everywhere && token.issued_at.is_none() {
        let message = "`everywhere` takes a browser token that has `iat`.";
        return Err(Error::new(Code::CredentialNotPermitted, message));
    }
    diesel::insert_into(ended_browser_tokens::table)
        .values((
            ended_browser_tokens::token_hash.eq(token.hash.as_slice()),
            ended_browser_tokens::expires_at.eq(token.expires_at.0),
        ))
        // Two requests at once end it once.
        .on_conflict_do_nothing()
        .execute(tx)
        .await?;
    access_changes::note(tx, me.id()).await?;
    if !everywhere {
        return Ok(());
    }
    // Another replica, whose clock is ahead, may have written a later time.
    let is_earlier = users::signed_out_at.is_null().or(users::signed_out_at.lt(call.now.0));
    diesel::update(users::table.find(me.id().0).filter(is_earlier))
        .set(users::signed_out_at.eq(call.now.0))
        .execute(tx)
        .await?;
    Ok(())
}

impl Store {
    /// The user of the identity `subject` at an OIDC issuer, if any. Every request of a browser asks: the end of a token
    /// takes effect with the next one.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the token has ended, or the account is disabled. `UNAVAILABLE`.
    pub async fn find_user_by_identity(
        &self,
        issuer: &str,
        subject: &str,
        token: &TokenRecord,
    ) -> Result<Option<UserId>> {
        let statement = user_identities::table
            .inner_join(users::table)
            .filter(user_identities::issuer.eq(issuer).and(user_identities::subject.eq(subject)))
            .select((users::id, users::disabled_at, users::signed_out_at, is_ended(token)));
        let row: Option<HolderRow> = statement.first(&self.connection().await?).await.optional()?;
        row.map(|row| row.admit(token)).transpose()
    }

    /// Checks that `user` may use a token that names the user itself, or was verified before.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the token has ended, or the account is disabled or absent. `UNAVAILABLE`.
    pub async fn check_browser_token(&self, user: UserId, token: &TokenRecord) -> Result<UserId> {
        let statement = users::table.find(user.0).select((
            users::id,
            users::disabled_at,
            users::signed_out_at,
            is_ended(token),
        ));
        let row: Option<HolderRow> = statement.first(&self.connection().await?).await.optional()?;
        row.ok_or_else(Error::unauthenticated)?.admit(token)
    }

    /// Deletes the records of ended tokens that have expired by all clocks; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_expired_tokens(&self, now: Timestamp) -> Result<usize> {
        let before = now.plus_seconds(-KEPT_SECS).0;
        let expired = ended_browser_tokens::table.filter(ended_browser_tokens::expires_at.lt(before));
        Ok(diesel::delete(expired).execute(&self.connection().await?).await?)
    }
}

/// The user of a token, and what decides if the token is accepted.
#[derive(Queryable)]
struct HolderRow {
    user: Uuid,
    disabled_at: Option<OffsetDateTime>,
    signed_out_at: Option<OffsetDateTime>,
    is_ended: bool,
}

impl HolderRow {
    fn admit(self, token: &TokenRecord) -> Result<UserId> {
        let is_older = |signed_out_at| token.issued_at.is_none_or(|issued_at| issued_at.0 <= signed_out_at);
        match self.is_ended || self.disabled_at.is_some() || self.signed_out_at.is_some_and(is_older) {
            true => Err(Error::unauthenticated()),
            false => Ok(UserId(self.user)),
        }
    }
}

fn is_ended(token: &TokenRecord) -> dsl::exists<dsl::Find<ended_browser_tokens::table, Vec<u8>>> {
    exists(ended_browser_tokens::table.find(token.hash.to_vec()))
}
