//! The services that a client talks to.

/// One of the two services. Each has its own pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// Small JSON requests, with an API key or a browser token.
    Control,
    /// Files, with grants.
    Data,
}
