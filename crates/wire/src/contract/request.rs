//! The typed request that a handler gets.

use api::operation::Operation;
use store::Call;

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
}
