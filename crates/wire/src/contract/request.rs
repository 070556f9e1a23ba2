//! The typed requests that handlers get.

use std::sync::Arc;

use api::operation::Operation;
use store::{Call, CallContext};

use crate::contract::head::RequestHead;

/// A request of the operation `O`, which needs the permission `P`, after every check that depends on no resource. `B`
/// is the way in which the body is read.
pub struct Request<P, O: Operation, B = <O as Operation>::Body> {
    /// Caller, time and idempotency key, as `store` asks for them.
    pub call: Call<P>,
    /// The path's parameters.
    pub path: O::Path,
    /// The query's parameters.
    pub query: O::Query,
    /// The body.
    pub body: B,
    /// Method and headers, for conditional and range requests.
    pub head: RequestHead,
    /// Public URL of the plane, without a slash at its end, for addresses in answers; empty for a caller within the
    /// process.
    pub public_url: Arc<str>,
}

/// A request of the operation `O` whose path holds a secret, for clients that send no credential. Its handler decides
/// whom the secret stands for, and authorises their call.
pub struct CapabilityRequest<O: Operation> {
    /// The path's parameters, the secret among them.
    pub path: O::Path,
    /// The time and the id of the request.
    pub context: CallContext,
    /// Method and headers, for conditional requests.
    pub head: RequestHead,
    /// Public URL of the plane, without a slash at its end.
    pub public_url: Arc<str>,
}
