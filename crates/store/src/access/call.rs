//! One authorised call of an operation: who, with what ceiling, when, and under which idempotency key.

use std::marker::PhantomData;

use auth::actor::{Actor, Needs, ProjectRead};
use domain::Result;
use domain::time::Timestamp;

/// A call whose credential has passed the checks of the operation's permission `P`. What the acting user's
/// roles allow on a resource is decided where the resource is resolved.
#[derive(Debug)]
pub struct Call<P> {
    /// Who calls, with what.
    pub actor: Actor,
    /// When the request began: the "now" of everything that it does.
    pub now: Timestamp,
    /// The request's id, as `X-Request-Id` shows it.
    pub request_id: String,
    pub(crate) idempotency: Option<Idempotency>,
    needs: PhantomData<fn() -> P>,
}

/// What a request brings beside its credential.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// When the request began.
    pub now: Timestamp,
    /// Its id.
    pub request_id: String,
    /// The idempotency key, where the operation takes one and the client sent one.
    pub idempotency: Option<Idempotency>,
}

/// An idempotency key with the operation that it was sent to (contract, section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// The client's key, already validated.
    pub key: String,
    /// The operation's id, as in `createProject`.
    pub operation: &'static str,
}

/// What a creation returned: now, or the first time its idempotency key was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The result of the work.
    pub value: T,
    /// Whether it is the result of an earlier call.
    pub replayed: bool,
}

impl<P: Needs> Call<P> {
    /// The call, if the credential's type and scopes allow the operation.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `INSUFFICIENT_SCOPE`.
    pub fn authorise(actor: Actor, context: CallContext) -> Result<Self> {
        P::check(&actor)?;
        let CallContext { now, request_id, idempotency } = context;
        Ok(Self { actor, now, request_id, idempotency, needs: PhantomData })
    }

    /// The same call for what the operation needs beside `P`: placing a card changes a team's board and the card. To
    /// be asked for before anything is looked up, as every scope is. The idempotency key stays with the first.
    ///
    /// # Errors
    /// `INSUFFICIENT_SCOPE`.
    pub fn also<Q: Needs>(&self) -> Result<Call<Q>> {
        let (now, request_id) = (self.now, self.request_id.clone());
        Call::authorise(self.actor.clone(), CallContext { now, request_id, idempotency: None })
    }
}

impl<P> Call<P> {
    /// The idempotency key, where the operation takes one and the client sent one.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency.as_ref().map(|idempotency| idempotency.key.as_str())
    }

    /// The same call, as far as it only reads projects.
    ///
    /// # Errors
    /// `INSUFFICIENT_SCOPE` where the credential does not allow even that.
    pub(crate) fn to_read(&self) -> Result<Call<ProjectRead>> {
        let context = CallContext { now: self.now, request_id: self.request_id.clone(), idempotency: None };
        Call::authorise(self.actor.clone(), context)
    }
}

impl<T> Outcome<T> {
    /// The outcome with its value turned into another.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome { value: f(self.value), replayed: self.replayed }
    }
}
