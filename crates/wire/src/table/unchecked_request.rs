//! A request before its checks, over HTTP or from within the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use auth::actor::Actor;
use auth::credential::AuthorizationSchemes;
use domain::time::Timestamp;

use crate::contract::body::RawBody;
use crate::contract::body_stream::BodyStream;
use crate::contract::head::RequestHead;

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
    /// Set by the checks once the credential is verified.
    pub(crate) is_authenticated: Arc<AtomicBool>,
}

/// The caller of a request.
pub(crate) enum Caller {
    /// A caller over HTTP, with all values of `Authorization` and the schemes that the endpoint accepts.
    Unverified(Vec<HeaderValue>, AuthorizationSchemes),
    /// A caller within the process, authenticated before.
    Verified(Box<Actor>),
}

impl UncheckedRequest {
    /// A request over HTTP.
    pub(crate) fn from_http(
        http: &HttpRequest,
        path: PathParameters,
        body: BodyStream,
        schemes: AuthorizationSchemes,
        (now, request_id): (Timestamp, String),
    ) -> Self {
        let head = RequestHead::new(http.method().clone(), http.headers().clone());
        Self {
            caller: Caller::Unverified(head.all(AUTHORIZATION.as_str()).cloned().collect(), schemes),
            path,
            query: http.query_string().to_owned(),
            body: RawBody::new(&head, body),
            head,
            now,
            request_id,
            is_authenticated: Arc::default(),
        }
    }
}
