//! The order of checks before a handler runs: credential, rate limits, permission, path, query, idempotency key, body.

use actix_web::http::header::HeaderValue;
use auth::actor::{Actor, Requirement};
use auth::credential::{AuthorizationSchemes, Credential, CredentialKind};
use domain::error::Location;
use domain::{Code, Error, Result};
use serde::de::DeserializeOwned;
use store::{Call, CallContext, Idempotency};
use tracing::{Span, field, record_all};

use crate::contract::authenticate::Authenticate;
use crate::contract::body::RequestBody;
use crate::contract::head::RequestHead;
use crate::contract::reply::HandlerAnswer;
use crate::contract::request::Request;
use crate::contract::syntax;
use crate::table::unchecked_request::{Caller, UncheckedRequest};

/// Maximum length of an idempotency key, in characters.
const IDEMPOTENCY_KEY_MAX_CHARS: usize = 255;

/// Runs the checks of an operation and then its handler. No check depends on a resource: the handler's call of `store`
/// looks the path's resource up and answers 404, or 403 for the role. Returns the request's head beside the answer.
/// The journal notes each change, and each refusal of a known caller.
pub(crate) async fn run<App, P, Path, Query, B, A, Fut>(
    app: App,
    request: UncheckedRequest,
    operation: &'static str,
    handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut,
) -> Result<(RequestHead, A)>
where
    App: Authenticate,
    P: Requirement,
    Path: DeserializeOwned,
    Query: DeserializeOwned,
    B: RequestBody,
    A: HandlerAnswer,
    Fut: Future<Output = Result<A>>,
{
    let UncheckedRequest { caller, head, path, query, body, now, request_id, trail } = request;
    let (actor, admission) = match caller {
        Caller::Unverified { authorization, schemes, admission } => {
            let accepted = if P::AUTOMATION_ONLY { &[CredentialKind::Grant] } else { App::ACCEPTS };
            let credential = credential(&authorization, schemes, accepted)?;
            let verified = app.authenticate(&credential, now).await;
            if let Err(error) = &verified
                && !error.is_server_fault()
            {
                admission.refute();
            }
            (verified?, Some(admission))
        }
        Caller::Verified(actor) => (*actor, None),
    };
    record_actor(&actor);
    let noted = trail.clone().map(|trail| (app.journal().clone(), trail, actor.clone()));
    let work = async {
        if let Some(admission) = admission {
            admission.accept(&actor).await?;
        }
        P::check(&actor)?;
        let path = syntax::path(&path)?;
        let query = syntax::query(&query)?;
        let idempotency = if A::CREATES { idempotency(&head, operation)? } else { None };
        let body = B::read(body).await.map_err(in_body)?;
        let call = Call::authorise(actor, CallContext { now, request_id, idempotency, trail })?;
        let request = Request { call, path, query, body, head: head.clone() };
        handler(app, request).await.map_err(in_body)
    };
    let answered = work.await;
    if let Some((journal, trail, actor)) = noted
        && !answered.as_ref().is_ok_and(A::is_replay)
    {
        journal.note(&trail, &actor, now, answered.as_ref().err().map(|error| error.code));
    }
    Ok((head, answered?))
}

/// Locates the input that a handler refuses in the body, if the failure names no other part of the request.
fn in_body(error: Error) -> Error {
    error.or_at(Location::Body)
}

/// The credential in the values of `Authorization`, of an accepted kind and not verified yet.
fn credential(
    authorization: &[HeaderValue],
    schemes: AuthorizationSchemes,
    accepted: &[CredentialKind],
) -> Result<Credential> {
    let authorization = authorization.iter().map(HeaderValue::as_bytes);
    let credential =
        Credential::from_authorization(authorization, schemes)?.ok_or_else(Error::unauthenticated)?;
    credential.require(accepted)?;
    Ok(credential)
}

/// The idempotency key of a creating request, if present.
fn idempotency(head: &RequestHead, operation: &'static str) -> Result<Option<Idempotency>> {
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

fn record_actor(actor: &Actor) {
    let key = actor.key().map(field::display);
    record_all!(Span::current(), "actor.user" = %actor.user, "actor.key" = key);
}
