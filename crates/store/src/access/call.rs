//! An authorised call of an operation: the caller, its ceiling, the time, and the idempotency key.

use std::marker::PhantomData;
use std::sync::Arc;

use auth::actor::{Actor, ProjectRead, Requirement};
use domain::Result;
use domain::time::Timestamp;

use crate::access::trail::AuditTrail;

/// A call whose credential has passed the checks of the operation's permission `P`. The user's roles on a resource are
/// checked when the resource is resolved.
#[derive(Debug)]
pub struct Call<P> {
    /// The caller and its credential.
    pub actor: Actor,
    /// The beginning of the request, which is the "now" of everything that it does.
    pub now: Timestamp,
    /// The request's id, as in `X-Request-Id`.
    pub request_id: String,
    pub(crate) idempotency: Option<Idempotency>,
    /// The audit of the request; `None` for work that is no change of its own.
    pub(crate) trail: Option<Arc<AuditTrail>>,
    needs: PhantomData<fn() -> P>,
}

/// The part of a call that does not depend on its credential.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// The beginning of the request.
    pub now: Timestamp,
    /// The request's id.
    pub request_id: String,
    /// The idempotency key, if the operation takes one and the client sent one.
    pub idempotency: Option<Idempotency>,
    /// The audit of the request; `None` for a read, and for work outside of requests.
    pub trail: Option<Arc<AuditTrail>>,
}

/// An idempotency key with the operation that it was sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The client's key, validated.
    pub key: String,
    /// The operation's id, for example `createProject`.
    pub operation: &'static str,
}

/// The result of a creation, of this call or of the first one with its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The result of the work.
    pub value: T,
    /// Set if an earlier call with the same key produced the value.
    pub replayed: bool,
}

impl<P: Requirement> Call<P> {
    /// Authorises a call by the type and the scopes of its credential.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `INSUFFICIENT_SCOPE`.
    pub fn authorise(actor: Actor, context: CallContext) -> Result<Self> {
        P::check(&actor)?;
        let CallContext { now, request_id, idempotency, trail } = context;
        Ok(Self { actor, now, request_id, idempotency, trail, needs: PhantomData })
    }

    /// The same call with a second permission, without the idempotency key: placing a card changes a team's board and
    /// the card. Scopes are checked before anything is read, so this comes before resolving.
    ///
    /// # Errors
    /// `INSUFFICIENT_SCOPE`.
    pub fn also<Q: Requirement>(&self) -> Result<Call<Q>> {
        let (now, request_id, trail) = (self.now, self.request_id.clone(), self.trail.clone());
        Call::authorise(self.actor.clone(), CallContext { now, request_id, idempotency: None, trail })
    }
}

impl<P> Call<P> {
    /// The idempotency key, if the operation takes one and the client sent one.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency.as_ref().map(|idempotency| idempotency.key.as_str())
    }

    /// The same call with the permission to read projects.
    ///
    /// # Errors
    /// `INSUFFICIENT_SCOPE` if the credential does not allow that.
    pub(crate) fn to_read(&self) -> Result<Call<ProjectRead>> {
        let (now, request_id) = (self.now, self.request_id.clone());
        let context = CallContext { now, request_id, idempotency: None, trail: None };
        Call::authorise(self.actor.clone(), context)
    }
}

impl<T> Outcome<T> {
    /// Maps the value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome { value: f(self.value), replayed: self.replayed }
    }
}
