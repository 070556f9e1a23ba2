//! An operation of the API: its place, and the effect of a repeat.

use reqwest::Method;

use crate::retry::Repeat;

/// One of the two services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Small JSON requests, with an API key or a browser token.
    Control,
    /// Files, with grants.
    Data,
}

/// The effect of a repeat, by the operation's method and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It reads, or sets the same state again.
    Repeatable,
    /// It creates, and takes an idempotency key.
    Creates,
    /// Each request has its own effect.
    Changes,
}

/// An operation of the API.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    /// The `operationId` in the OpenAPI document.
    pub id: &'static str,
    /// The service that has it.
    pub plane: Plane,
    /// HTTP method.
    pub verb: &'static str,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// Name of the query's type; empty without one.
    pub query: &'static str,
    /// Name of the body's type; empty without one.
    pub body: &'static str,
    /// Name of the answer's type; empty where a stream answers.
    pub answer: &'static str,
    pub(crate) effect: Effect,
}

impl Operation {
    pub(crate) fn method(&self) -> Method {
        Method::from_bytes(self.verb.as_bytes()).unwrap_or_default()
    }

    /// True if it takes an `Idempotency-Key`.
    pub fn takes_key(&self) -> bool {
        self.effect == Effect::Creates
    }

    pub(crate) fn repeat(&self) -> Repeat {
        match self.effect {
            Effect::Repeatable | Effect::Creates => Repeat::Safe,
            Effect::Changes => Repeat::Unsafe,
        }
    }
}
