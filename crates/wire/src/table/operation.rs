//! Operations for callers within the process: the checks and handlers of the table's endpoints, without HTTP.

use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use auth::actor::Actor;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use serde_json::value::RawValue;
use store::Outcome;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use crate::contract::head::RequestHead;
use crate::contract::raw_body::RawBody;
use crate::contract::schemas::Schemas;
use crate::table::description::{OperationDescription, OperationSchemas};
use crate::table::endpoint::{Endpoint, EndpointFn, Route};
use crate::table::texts::OperationText;
use crate::table::unchecked_request::{Caller, UncheckedRequest};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// One operation of a table.
pub struct LocalOperation<App> {
    /// Its line in the table.
    pub route: Route,
    /// The text for users, in Markdown: what it does, when to use it, and the codes of its own.
    pub description: String,
    invoke: EndpointFn<App, Outcome<Box<RawValue>>>,
    describe: fn(&mut Schemas) -> OperationDescription,
}

/// The input of an operation.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The caller: authenticated before, and still subject to the check of scopes.
    pub actor: Actor,
    /// The path's parameters by name.
    pub path: Vec<(String, String)>,
    /// The query's parameters by name; a list is one value, separated by commas.
    pub query: Vec<(String, String)>,
    /// The JSON body, if any.
    pub body: Option<Value>,
    /// The time of the call.
    pub now: Timestamp,
    /// The id of the surrounding request.
    pub request_id: String,
    /// The idempotency key, for an operation that accepts one.
    pub idempotency_key: Option<String>,
}

impl<App> LocalOperation<App> {
    /// The operation of an endpoint, if its answer is JSON.
    pub(crate) fn of(endpoint: &Endpoint<App>, text: Option<&OperationText>) -> Option<Self> {
        let invoke = endpoint.invoke.clone()?;
        let description = text.map(|text| text.description.clone()).unwrap_or_default();
        Some(Self { route: endpoint.route.clone(), description, invoke, describe: endpoint.describe })
    }

    /// The schemas of input and answer.
    pub fn schemas(&self) -> OperationSchemas {
        let mut schemas = Schemas::for_operation();
        (self.describe)(&mut schemas).into_schemas(schemas)
    }

    /// Runs the checks and the handler of a request over HTTP, until they are done or the result is dropped. They run
    /// as a task of their own, so that a request within a request doesn't need twice the stack.
    ///
    /// # Errors
    /// As over HTTP. A panic is `INTERNAL_ERROR`.
    pub async fn invoke(&self, app: App, invocation: Invocation) -> Result<Outcome<Box<RawValue>>> {
        let request = invocation.into_request(&self.route)?;
        let work = (self.invoke)(app, request).in_current_span();
        // The panic hook has logged place and message.
        let panicked = |_| Err(Error::internal("the handler panicked"));
        AbortOnDropHandle::new(actix_web::rt::spawn(work)).await.unwrap_or_else(panicked)
    }
}

impl Invocation {
    fn into_request(self, route: &Route) -> Result<UncheckedRequest> {
        let mut headers = HeaderMap::new();
        if let Some(key) = self.idempotency_key {
            let value = HeaderValue::try_from(key)
                .map_err(|_| Error::new(Code::InvalidIdempotencyKey, "The key holds what no header may."))?;
            headers.insert(IDEMPOTENCY_KEY, value);
        }
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        Ok(UncheckedRequest {
            trail: route.trail(&self.path, &self.request_id),
            caller: Caller::Verified(Box::new(self.actor)),
            head: RequestHead::new(route.method.clone(), headers),
            path: self.path.into_iter().map(|(name, value)| (name, encoded(&value))).collect(),
            query: query.join("&"),
            body: RawBody::of_json(self.body.as_ref()),
            now: self.now,
            request_id: self.request_id,
            public_url: Arc::default(),
        })
    }
}
