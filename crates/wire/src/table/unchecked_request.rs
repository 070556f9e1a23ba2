//! A request before its checks, over HTTP or from within the process.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use auth::actor::Actor;
use auth::credential::AuthorizationSchemes;
use domain::time::Timestamp;
use store::AuditTrail;

use crate::contract::head::RequestHead;
use crate::contract::raw_body::RawBody;
use crate::table::limits::Admission;

/// The parameters of a path by name; percent-encoded.
pub(crate) type PathParameters = Vec<(String, String)>;

/// A request of which nothing has been checked.
pub(crate) struct UncheckedRequest {
    pub(crate) caller: Caller,
    pub(crate) head: RequestHead,
    pub(crate) path: PathParameters,
    /// The query, encoded as in a URL.
    pub(crate) query: String,
    pub(crate) body: RawBody,
    pub(crate) now: Timestamp,
    pub(crate) request_id: String,
    /// Public URL of the plane, without a slash at its end; empty for a caller within the process.
    pub(crate) public_url: Arc<str>,
    /// The audit of the request, if the operation changes something.
    pub(crate) trail: Option<Arc<AuditTrail>>,
}

/// The caller of a request.
pub(crate) enum Caller {
    /// A caller over HTTP.
    Unverified {
        /// All values of `Authorization`.
        authorization: Vec<HeaderValue>,
        /// The schemes that the endpoint accepts.
        schemes: AuthorizationSchemes,
        /// Counts the request once the credential is verified.
        admission: Arc<Admission>,
    },
    /// A caller within the process, authenticated before.
    Verified(Box<Actor>),
}
