//! The way of a request through the plane: [`serve_request`] wraps every answer to HTTP, [`checked`] holds the order
//! of checks, whichever way the request came.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse};
use auth::actor::{Actor, Requirement};
use auth::credential::{Clients, CredentialKind};
use domain::error::Location;
use domain::time::Clock;
use domain::{Code, Error, Result};
use futures_util::FutureExt;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{Call, CallContext, Idempotency};
use tracing::{Instrument, Span, field, record_all};

use crate::authenticate::{self, Authenticate};
use crate::body::Body;
use crate::incoming::{Caller, Incoming};
use crate::limits::Limiter;
use crate::pace::{BodyStream, Pace};
use crate::reply::Answer;
use crate::request::{Head, Request};
use crate::router::PathParameters;
use crate::table::Endpoint;
use crate::{connection, envelope, metrics, request_id, syntax, trace_context};

/// Name of a path's placeholder for a project, for the logs.
const PROJECT: &str = "projectId";
/// Characters of a project's id, without the branch that may follow it.
const PROJECT_ID_CHARS: usize = 36;
/// Longest idempotency key, in characters (specification, "Limits").
const IDEMPOTENCY_KEY_MAX_CHARS: usize = 255;
/// In every answer to clients of resumable uploads.
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");

/// What all requests to one path share.
pub(crate) struct Resource<App> {
    pub(crate) app: App,
    /// Empty for the path that no endpoint has.
    pub(crate) endpoints: Vec<Endpoint<App>>,
    pub(crate) pace: Pace,
    pub(crate) limiter: Limiter,
}

/// Answers a request. From the outside in: the request's id and span; a task of its own, so that a client that
/// goes away can't drop the handler half-way; the rate limits; the panic guard; the endpoint with its checks; the envelope; the
/// headers of every answer; the log line and the metrics.
pub(crate) async fn serve_request<App: Authenticate>(
    resource: Arc<Resource<App>>,
    path: PathParameters,
    http: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let now = Clock::system().now();
    let request_id = request_id::of(&http, now);
    let exchange = connection::Exchange::begin(&http);
    let span = root_span(&http, &request_id);
    let incoming =
        Incoming::of_http(&http, path, BodyStream::new(payload, resource.pace), now, request_id.clone());
    let peer = http.peer_addr().map(|peer| peer.ip());
    let clients = clients_of(&resource);
    let task = actix_web::rt::spawn(answer(resource, incoming, peer).instrument(span));
    let response = task.await.unwrap_or_else(|stopped| {
        // The only way to get here is the end of the worker, as panics are caught inside.
        envelope::response(&Error::unavailable(stopped), &request_id, clients)
    });
    exchange.track(response)
}

/// Runs the checks of an operation and then its handler, in the order of the contract, section 2. Nothing here
/// depends on a resource: what the path names is first looked at by the handler's call of `store`, which
/// answers 404 and then 403 for the role. Returns what was asked, beside the answer.
pub(crate) async fn checked<App, P, Path, Query, B, A, Fut>(
    app: App,
    incoming: Incoming,
    line: (&'static str, Clients),
    handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut,
) -> Result<(Head, A)>
where
    App: Authenticate,
    P: Requirement,
    Path: DeserializeOwned,
    Query: DeserializeOwned,
    B: Body,
    A: Answer,
    Fut: Future<Output = Result<A>>,
{
    let Incoming { caller, head, path, query, body, now, request_id, is_authenticated } = incoming;
    let (operation, clients) = line;
    let actor = match caller {
        Caller::Presents(authorization) => {
            let authorization = authorization.iter().map(HeaderValue::as_bytes);
            let accepted = if P::AUTOMATION_ONLY { &[CredentialKind::Grant] } else { App::ACCEPTS };
            authenticate::actor(&app, authorization, clients, accepted, now).await?
        }
        Caller::Known(actor) => *actor,
    };
    is_authenticated.store(true, Ordering::Relaxed);
    record_actor(&actor);
    P::check(&actor)?;
    let path = syntax::path(&path)?;
    let query = syntax::query(&query)?;
    let idempotency = if A::CREATES { idempotency(&head, operation)? } else { None };
    let body = B::read(body).await.map_err(in_body)?;
    let call = Call::authorise(actor, CallContext { now, request_id, idempotency })?;
    let request = Request { call, path, query, body, head: head.clone() };
    Ok((head, handler(app, request).await.map_err(in_body)?))
}

/// The body holds what a handler refuses, where it names no other part of the request.
fn in_body(error: Error) -> Error {
    error.or_at(Location::Body)
}

async fn answer<App: Authenticate>(
    resource: Arc<Resource<App>>,
    incoming: Incoming,
    peer: Option<IpAddr>,
) -> HttpResponse {
    let started = Instant::now();
    let in_flight = metrics::InFlight::begin();
    let request_id = incoming.request_id.clone();
    let mut verdict = resource.limiter.count(&incoming.head, peer).await;
    let (operation, clients, outcome) = match verdict.as_mut().and_then(|verdict| verdict.refusal.take()) {
        Some(refusal) => ("rateLimited", clients_of(&resource), Err(refusal)),
        None => {
            let stranger = verdict.as_mut().and_then(|verdict| verdict.stranger.take());
            let is_authenticated = Arc::clone(&incoming.is_authenticated);
            let done = run(&resource, incoming).await;
            let is_good = is_authenticated.load(Ordering::Relaxed);
            // A failure of the service says nothing of the credential.
            let is_known = is_good || !matches!(&done, (_, _, Err(error)) if error.is_server_fault());
            if let Some(stranger) = stranger.filter(|_| is_known) {
                resource.limiter.learn(stranger, is_good).await;
            }
            done
        }
    };
    let (mut response, error) = match outcome {
        Ok(response) => (response, None),
        Err(error) => (envelope::response(&error, &request_id, clients), Some(error)),
    };
    complete_headers(&mut response, &request_id, clients);
    if let Some(verdict) = verdict {
        verdict.tell(response.headers_mut());
    }
    drop(in_flight);
    metrics::record(operation, response.status(), started.elapsed());
    log(response.status().as_u16(), started, error.as_ref());
    response
}

/// The endpoint's answer, its operation for log and metrics, and whom it answers.
///
/// An unknown path and a wrong method need no credential: that they are wrong is public knowledge, as the
/// OpenAPI document is, and to ask for a credential first would send the author of a mistyped path looking for
/// a wrong key. No resource is involved, so nothing leaks.
async fn run<App: Authenticate>(
    resource: &Resource<App>,
    incoming: Incoming,
) -> (&'static str, Clients, Result<HttpResponse>) {
    if resource.endpoints.is_empty() {
        return ("unknownRoute", Clients::Any, Err(Error::not_found()));
    }
    let method = if incoming.head.is_head() { &Method::GET } else { incoming.head.method() };
    let Some(endpoint) = resource.endpoints.iter().find(|endpoint| endpoint.route.method == *method) else {
        return ("methodNotAllowed", clients_of(resource), Err(method_not_allowed(&resource.endpoints)));
    };
    let (operation, clients) = (endpoint.route.operation_id, endpoint.route.clients);
    Span::current().record("operation", operation);
    record_project(&incoming.path);
    let work = (endpoint.serve)(resource.app.clone(), incoming);
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    // The panic hook has logged the place and the message; the payload says nothing more.
    (operation, clients, outcome.unwrap_or_else(|_| Err(Error::internal("the handler panicked"))))
}

/// Whom a path answers, whatever it is asked.
fn clients_of<App>(resource: &Resource<App>) -> Clients {
    resource.endpoints.first().map_or(Clients::Any, |endpoint| endpoint.route.clients)
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

/// The idempotency key of a creating request, if it has one (contract, section 4).
fn idempotency(head: &Head, operation: &'static str) -> Result<Option<Idempotency>> {
    let mut values = head.all("Idempotency-Key");
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let key = value.to_str().ok().filter(|key| {
        let printable = key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        printable && !key.trim().is_empty() && key.len() <= IDEMPOTENCY_KEY_MAX_CHARS
    });
    match (key, values.next()) {
        (Some(key), None) => Ok(Some(Idempotency { key: key.to_owned(), operation })),
        _ => Err(Error::new(
            Code::InvalidIdempotencyKey,
            format!(
                "`Idempotency-Key` must be one value of 1 to {IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters."
            ),
        )),
    }
}

fn complete_headers(response: &mut HttpResponse, request_id: &str, clients: Clients) {
    let headers = response.headers_mut();
    if let Ok(request_id) = HeaderValue::from_str(request_id) {
        headers.insert(request_id::HEADER, request_id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if clients == Clients::Tus {
        headers.insert(TUS_RESUMABLE, HeaderValue::from_static(envelope::TUS_VERSION));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// The root span of a request: what every log line below it shows. Paths and queries stay out of it, as they
/// may hold names and secrets; the operation and the ids say as much.
fn root_span(http: &HttpRequest, request_id: &str) -> Span {
    let span = tracing::info_span!(
        "request",
        "request.id" = request_id,
        "http.method" = http.method().as_str(),
        operation = field::Empty,
        "trace.id" = field::Empty,
        "trace.parent" = field::Empty,
        "actor.user" = field::Empty,
        "actor.key" = field::Empty,
        "project.id" = field::Empty,
    );
    if let Some(trace) = trace_context::of(http) {
        span.record("trace.id", trace.trace_id);
        span.record("trace.parent", trace.parent_id);
    }
    span
}

fn record_actor(actor: &Actor) {
    let key = actor.key().map(field::display);
    record_all!(Span::current(), "actor.user" = %actor.user, "actor.key" = key);
}

fn record_project(path: &[(String, String)]) {
    let project = path.iter().find(|(name, _)| name == PROJECT);
    let id = project.and_then(|(_, project)| project.get(..PROJECT_ID_CHARS));
    if let Some(id) = id.and_then(|id| uuid::Uuid::try_parse(id).ok()) {
        Span::current().record("project.id", field::display(id));
    }
}

/// The one line that a request leaves in the log. A failure that is not the client's shows its chain of causes.
fn log(status: u16, started: Instant, error: Option<&Error>) {
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let code = error.and_then(|error| serde_json::to_value(error.code).ok());
    let code = code.as_ref().and_then(Value::as_str);
    match (status, error) {
        (500, Some(error)) => {
            tracing::error!(
                "http.status" = status,
                duration_ms,
                "error.code" = code,
                "error.chain" = error.chain(),
                "request failed"
            );
        }
        (501.., Some(error)) => {
            tracing::warn!(
                "http.status" = status,
                duration_ms,
                "error.code" = code,
                "error.chain" = error.chain(),
                "request could not be served"
            );
        }
        _ => tracing::info!("http.status" = status, duration_ms, "error.code" = code, "request answered"),
    }
}
