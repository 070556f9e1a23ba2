//! Changes of an account by its person.

use auth::actor::BrowserOnly;
use database::prelude::*;
use database::schema::users;
use domain::people::account::Account;
use domain::text::Name;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::user::User;
use crate::resources::audit;
use crate::resources::people::{identity, membership};
use crate::resources::store::Tx;

/// Changes of an account; `None` leaves a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountChanges {
    /// Display name.
    pub name: Option<Name>,
    /// True to have the own address in new commits, not one that stands for it.
    pub shows_email: Option<bool>,
}

/// Changes the caller's own account. `condition` is checked on the locked account. Teams that show the user learn of a
/// new name.
///
/// # Errors
/// `UNAUTHENTICATED` if it was deleted meanwhile; those of `condition`.
pub async fn apply(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    changes: &AccountChanges,
    condition: impl FnOnce(&Account) -> Result<()>,
) -> Result<Account> {
    let row = users::table.find(user.id().0).select(users::id);
    let locked: Option<Uuid> = row.for_no_key_update().first(tx).await.optional()?;
    locked.ok_or_else(Error::unauthenticated)?;
    let current = identity::account(tx, user).await?;
    condition(&current)?;
    let name = changes.name.as_ref().unwrap_or(&current.name);
    let shows_email = changes.shows_email.unwrap_or(current.show_email_in_commits);
    diesel::update(users::table.find(user.id().0))
        .set((users::display_name.eq(name.as_str()), users::shows_email_in_commits.eq(shows_email)))
        .execute(tx)
        .await?;
    if *name != current.name {
        membership::publish_renamed(tx, user.id(), call.into()).await?;
    }
    audit::record(tx, call, user.id().0).await?;
    identity::account(tx, user).await
}
