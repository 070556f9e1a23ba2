//! Access to the caller's own account.

use std::marker::PhantomData;

use auth::actor::{Actor, Requirement};
use database::prelude::*;
use database::schema::users;
use domain::id::UserId;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::{Parent, Target};

/// Names the caller itself.
#[derive(Clone, Copy, Debug)]
pub struct Me;

/// The acting user, for its own account and lists.
#[derive(Debug)]
pub struct User<P> {
    /// The caller and its credential.
    pub actor: Actor,
    needs: PhantomData<fn() -> P>,
}

impl<P> User<P> {
    /// The acting user's id.
    pub fn id(&self) -> UserId {
        self.actor.user
    }
}

impl<P: Requirement> Target<P> for Me {
    type Witness = User<P>;

    async fn resolve(&self, _: &Connection, call: &Call<P>) -> Result<User<P>> {
        Ok(User { actor: call.actor.clone(), needs: PhantomData })
    }
}

impl<P: Requirement> Parent<P> for Me {
    fn id(&self, call: &Call<P>) -> Result<Uuid> {
        Ok(call.actor.user.0)
    }
}

/// Refuses a disabled user. The account is not disabled before the transaction ends, so no key and no calendar feed
/// outlives that.
///
/// # Errors
/// `NOT_FOUND`; `UNAVAILABLE`.
pub(crate) async fn require_enabled(connection: &Connection, user: UserId) -> Result<()> {
    let disabled_at: Option<Option<OffsetDateTime>> = users::table
        .find(user.0)
        .select(users::disabled_at)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    match disabled_at {
        Some(Some(_)) => Err(Error::not_found()),
        // A missing user is found by the reference of the row that its key or feed becomes.
        Some(None) | None => Ok(()),
    }
}
