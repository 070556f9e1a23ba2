//! Access to the caller's own account.

use std::marker::PhantomData;

use auth::actor::{Actor, Requirement};
use database::prelude::*;
use domain::Result;
use domain::id::UserId;
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
