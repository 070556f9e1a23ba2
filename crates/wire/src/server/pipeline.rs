//! The steps of a request over HTTP, from the socket to the log line; `docs/design/requests.md` draws them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use actix_http::ConnectionType;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{
    AUTHORIZATION, CACHE_CONTROL, HOST, HeaderValue, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse};
use domain::error::Location;
use domain::time::Clock;
use domain::{Code, Error, Result, Rule};
use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::sync::watch;
use tracing::{Instrument, Span, field};

use crate::contract::authenticate::Authenticate;
use crate::contract::body_stream::{BodyRate, BodyStream};
use crate::contract::envelope;
use crate::contract::head::RequestHead;
use crate::contract::protocol::{AnswerContext, Protocol};
use crate::contract::raw_body::RawBody;
use crate::server::compression::compressed;
use crate::server::cors::Cors;
use crate::server::{connection, metrics, request_id, trace_context};
use crate::table::endpoint::Endpoint;
use crate::table::limits::{Admission, Limiter};
use crate::table::page::UnknownPath;
use crate::table::unchecked_request::{Caller, PathParameters, UncheckedRequest};

/// Name of a path's placeholder for a project, for the logs.
const PROJECT: &str = "projectId";
/// Length of a project's id in characters, without the branch that may follow it.
const PROJECT_ID_CHARS: usize = 36;

/// The endpoints of one path, with the state that their requests share.
pub(crate) struct PathEndpoints<App> {
    pub(crate) app: App,
    /// Empty for unknown paths.
    pub(crate) endpoints: Vec<Endpoint<App>>,
    /// The answer to unknown paths.
    pub(crate) unknown: UnknownPath,
    pub(crate) clock: Clock,
    pub(crate) body_rate: BodyRate,
    pub(crate) cors: Cors,
    pub(crate) limiter: Limiter,
    /// Public URL of the plane, without a slash at its end.
    pub(crate) public_url: Arc<str>,
    /// True once the process is stopping.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl<App> PathEndpoints<App> {
    /// The protocol of the path's clients, which also holds for failures before an endpoint is chosen.
    fn protocol(&self, path: &PathParameters) -> &'static Protocol {
        match self.endpoints.first() {
            Some(endpoint) => endpoint.route.protocol,
            // An unknown path is its own parameter.
            None => self.unknown.protocol(path.first().map(|(_, path)| path.as_str()).unwrap_or_default()),
        }
    }

    /// True for the path of a page.
    fn is_page(&self) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint.route.is_page)
    }
}

/// Answers a request. From the outside in: request id and span; a task of its own, so that a client that disconnects
/// can't cancel the handler; rate limits; panic guard; the endpoint with its checks; envelope; the headers of every
/// answer; metrics and log line.
pub(crate) async fn serve_request<App: Authenticate>(
    target: Arc<PathEndpoints<App>>,
    path: PathParameters,
    http: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let now = target.clock.now();
    let request_id = request_id::of(&http, now);
    let exchange = connection::Exchange::begin(&http);
    let span = root_span(&http, &request_id);
    let protocol = target.protocol(&path);
    let head = RequestHead::new(http.method().clone(), http.headers().clone());
    let peer = http.peer_addr().map(|peer| peer.ip());
    let admission = Arc::new(target.limiter.admission(&head, peer, target.is_page()));
    let body = BodyStream::new(payload, target.body_rate).counted_by(admission.received_bytes());
    let request = UncheckedRequest {
        caller: Caller::Unverified {
            authorization: head.all(AUTHORIZATION.as_str()).cloned().collect(),
            schemes: protocol.schemes,
            admission: Arc::clone(&admission),
        },
        path,
        query: http.query_string().to_owned(),
        body: RawBody::new(http.clone(), &head, body),
        head,
        now,
        request_id: request_id.clone(),
        public_url: Arc::clone(&target.public_url),
        trail: None,
    };
    let task = actix_web::rt::spawn(answer(target, request, admission).instrument(span));
    let response = task.await.unwrap_or_else(|stopped| {
        // Panics are caught inside, so only the end of the worker leads here.
        envelope::response(&Error::unavailable(stopped).outcome_unknown(), &request_id, protocol)
    });
    exchange.track(response)
}

async fn answer<App: Authenticate>(
    target: Arc<PathEndpoints<App>>,
    request: UncheckedRequest,
    admission: Arc<Admission>,
) -> HttpResponse {
    let started = Instant::now();
    let in_flight = metrics::InFlight::begin();
    let request_id = request.request_id.clone();
    let protocol = target.protocol(&request.path);
    let head = request.head.clone();
    let (operation, outcome) = match admission.begin().await {
        Err(refusal) => ("rateLimited", Err(refusal)),
        Ok(()) if asks_for_websocket(&head) => ("upgradeRefused", Err(upgrade_refused())),
        Ok(()) => {
            let (operation, outcome) = run(&target, request).await;
            admission.end(matches!(&outcome, Err(error) if error.is_server_fault())).await;
            (operation, outcome)
        }
    };
    let (mut response, error) = match outcome {
        Ok(response) => (response, None),
        Err(error) => (envelope::response(&error, &request_id, protocol), Some(error)),
    };
    add_common_headers(&mut response, &request_id);
    target.cors.add_headers(&head, response.headers_mut());
    if *target.stopping.borrow() {
        // The client's next request goes to another process.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let context = AnswerContext {
        failure: error.as_ref().map(|error| error.code),
        public_url: &target.public_url,
        host: head.header(HOST.as_str()),
    };
    (protocol.add_headers)(response.headers_mut(), context);
    admission.add_headers(response.headers_mut());
    drop(in_flight);
    metrics::record(operation, response.status(), started.elapsed());
    log(response.status().as_u16(), started, error.as_ref());
    response
}

/// Runs the endpoint. Returns its operation's id, for log and metrics, and its answer.
///
/// An unknown path and a wrong method need no credential. Both are public knowledge, as the OpenAPI document is, and no
/// resource is involved. Demanding a credential first would send the author of a mistyped path looking for a wrong key.
async fn run<App: Authenticate>(
    target: &PathEndpoints<App>,
    mut request: UncheckedRequest,
) -> (&'static str, Result<HttpResponse>) {
    if let Some(answer) = target.cors.preflight(&request.head) {
        return ("preflight", Ok(answer));
    }
    if target.endpoints.is_empty() {
        let path = request.path.first().map(|(_, path)| path.as_str()).unwrap_or_default();
        return ("unknownRoute", target.unknown.answer(&request.head, path));
    }
    let method = if request.head.is_head() { &Method::GET } else { request.head.method() };
    let Some(endpoint) = target.endpoints.iter().find(|endpoint| endpoint.route.method == *method) else {
        return ("methodNotAllowed", Err(method_not_allowed(&target.endpoints)));
    };
    let operation = endpoint.route.operation_id;
    Span::current().record("operation", operation);
    record_project(&request.path);
    request.trail = endpoint.route.trail(&request.path, &request.request_id);
    let head = request.head.clone();
    let work = (endpoint.serve)(target.app.clone(), request);
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    // The panic hook has logged place and message.
    match outcome.unwrap_or_else(|_| Err(Error::internal("the handler panicked"))) {
        Ok(response) if !endpoint.route.shows_secret => (operation, Ok(compressed(&head, response).await)),
        outcome => (operation, outcome),
    }
}

/// True if the client asks to go on in another protocol. What it sends then has no end, so no body is read.
fn asks_for_websocket(head: &RequestHead) -> bool {
    let values = head.all(UPGRADE.as_str()).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case("websocket"))
}

fn upgrade_refused() -> Error {
    Error::invalid("Upgrade", Rule::Unknown, "names a protocol that this service does not speak")
        .at(Location::Header)
}

fn method_not_allowed<App>(endpoints: &[Endpoint<App>]) -> Error {
    let mut methods: Vec<&str> = endpoints.iter().map(|endpoint| endpoint.route.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    Error::new(Code::MethodNotAllowed, "This path does not take this method.")
        .with_details(json!({ "allow": methods.join(", ") }))
}

fn add_common_headers(response: &mut HttpResponse, request_id: &str) {
    let headers = response.headers_mut();
    if let Ok(request_id) = HeaderValue::from_str(request_id) {
        headers.insert(request_id::HEADER, request_id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// The root span of a request, which every log line below it shows. It omits path and query, which may contain names
/// and secrets.
fn root_span(http: &HttpRequest, request_id: &str) -> Span {
    let trace = trace_context::of(http);
    tracing::info_span!(
        "request",
        "request.id" = request_id,
        "http.request.method" = http.method().as_str(),
        operation = field::Empty,
        "trace.id" = trace.trace_id,
        "trace.parent" = trace.parent_id,
        "actor.user" = field::Empty,
        "actor.key" = field::Empty,
        "project.id" = field::Empty,
    )
}

fn record_project(path: &[(String, String)]) {
    let project = path.iter().find(|(name, _)| name == PROJECT);
    let id = project.and_then(|(_, project)| project.get(..PROJECT_ID_CHARS));
    if let Some(id) = id.and_then(|id| uuid::Uuid::try_parse(id).ok()) {
        Span::current().record("project.id", field::display(id));
    }
}

/// Writes the one log line of a request. A server fault includes its chain of causes.
fn log(status: u16, started: Instant, error: Option<&Error>) {
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let code = error.and_then(|error| serde_json::to_value(error.code).ok());
    let code = code.as_ref().and_then(Value::as_str);
    match (status, error) {
        (500, Some(error)) => {
            tracing::error!(
                "http.response.status_code" = status,
                duration_ms,
                "error.code" = code,
                "error.chain" = error.chain(),
                "request failed"
            );
        }
        (501.., Some(error)) => {
            tracing::warn!(
                "http.response.status_code" = status,
                duration_ms,
                "error.code" = code,
                "error.chain" = error.chain(),
                "request could not be served"
            );
        }
        _ => tracing::info!(
            "http.response.status_code" = status,
            duration_ms,
            "error.code" = code,
            "request answered"
        ),
    }
}
