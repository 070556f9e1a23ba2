//! Operations for callers within the process: the checks and handlers of the table's lines, without HTTP.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use auth::actor::Actor;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::FutureExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use store::Outcome;

use crate::body::RawBody;
use crate::incoming::{Caller, Incoming};
use crate::openapi::{Description, Schemas};
use crate::request::Head;
use crate::table::{Endpoint, Route, Run};

/// Answers a repeat with the first result, as over HTTP.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// One operation of a table.
pub struct Operation<App> {
    /// What the table knows about it.
    pub route: Route,
    invoke: Run<App, Outcome<Box<RawValue>>>,
    describe: fn(&mut Schemas) -> Description,
}

/// What an operation is called with.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Who calls: authenticated before, and checked for the operation's scope as everybody is.
    pub actor: Actor,
    /// The path's parameters by name.
    pub path: Vec<(String, String)>,
    /// The query's parameters by name; a list is one value, separated by commas.
    pub query: Vec<(String, String)>,
    /// The JSON body, where there is one.
    pub body: Option<Value>,
    /// When it is called.
    pub now: Timestamp,
    /// The id of the request that it is part of.
    pub request_id: String,
    /// The idempotency key, for an operation that takes one.
    pub idempotency_key: Option<String>,
}

/// The JSON Schemas (2020-12) of what an operation takes and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Of the path's parameters, by name.
    pub path: Map<String, Value>,
    /// Of the query's parameters, by name.
    pub query: Map<String, Value>,
    /// The query's parameters that can't be left out.
    pub required_query: Vec<String>,
    /// Of the body; `None` where the operation takes none.
    pub body: Option<Value>,
    /// Whether the body can't be left out.
    pub body_required: bool,
    /// What the schemas above refer to as `#/$defs/…`.
    pub input_definitions: Map<String, Value>,
    /// Of the answer.
    pub answer: Value,
    /// What the answer's schema refers to as `#/$defs/…`.
    pub answer_definitions: Map<String, Value>,
}

impl<App> Operation<App> {
    /// The operation of an endpoint, if its answer is for programs.
    pub(crate) fn of(endpoint: &Endpoint<App>) -> Option<Self> {
        let invoke = endpoint.invoke.clone()?;
        Some(Self { route: endpoint.route.clone(), invoke, describe: endpoint.describe })
    }

    /// What it takes and answers.
    pub fn shape(&self) -> Shape {
        let mut schemas = Schemas::standing_alone();
        (self.describe)(&mut schemas).shape(schemas)
    }

    /// Calls it: the checks and the handler are those of a request over HTTP.
    ///
    /// # Errors
    /// As over HTTP. A panic is `INTERNAL_ERROR`.
    pub async fn invoke(&self, app: App, invocation: Invocation) -> Result<Outcome<Box<RawValue>>> {
        let incoming = invocation.incoming(&self.route)?;
        let work = AssertUnwindSafe((self.invoke)(app, incoming)).catch_unwind();
        // The panic hook has logged the place and the message; the payload says nothing more.
        work.await.unwrap_or_else(|_| Err(Error::internal("the handler panicked")))
    }
}

impl Invocation {
    fn incoming(self, route: &Route) -> Result<Incoming> {
        let mut headers = HeaderMap::new();
        if let Some(key) = self.idempotency_key {
            let value = HeaderValue::try_from(key)
                .map_err(|_| Error::new(Code::InvalidIdempotencyKey, "The key holds what no header may."))?;
            headers.insert(IDEMPOTENCY_KEY, value);
        }
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        Ok(Incoming {
            caller: Caller::Known(Box::new(self.actor)),
            head: Head::new(route.method.clone(), headers),
            path: self.path.into_iter().map(|(name, value)| (name, encoded(&value))).collect(),
            query: query.join("&"),
            body: RawBody::of_json(self.body.as_ref()),
            now: self.now,
            request_id: self.request_id,
            is_authenticated: Arc::default(),
        })
    }
}
