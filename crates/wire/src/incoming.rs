//! A request before anything of it is checked, whichever way it came: over HTTP, or from within the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use auth::actor::Actor;
use domain::time::Timestamp;

use crate::body::RawBody;
use crate::pace::BodyStream;
use crate::request::Head;
use crate::router::PathParameters;

/// A request that nothing has been checked of.
pub(crate) struct Incoming {
    pub(crate) caller: Caller,
    pub(crate) head: Head,
    pub(crate) path: PathParameters,
    /// The query, as it stands in a URL.
    pub(crate) query: String,
    pub(crate) body: RawBody,
    pub(crate) now: Timestamp,
    pub(crate) request_id: String,
    /// Is set once it is known who calls.
    pub(crate) is_authenticated: Arc<AtomicBool>,
}

/// Who calls.
pub(crate) enum Caller {
    /// Whoever these values of `Authorization` stand for.
    Presents(Vec<HeaderValue>),
    /// Somebody who was authenticated before.
    Known(Box<Actor>),
}

impl Incoming {
    /// A request that came over HTTP.
    pub(crate) fn of_http(
        http: &HttpRequest,
        path: PathParameters,
        body: BodyStream,
        now: Timestamp,
        request_id: String,
    ) -> Self {
        let head = Head::new(http.method().clone(), http.headers().clone());
        Self {
            caller: Caller::Presents(head.all(AUTHORIZATION.as_str()).cloned().collect()),
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
