//! The order of checks before a handler runs: credential, rate limits, permission, path, query, idempotency key, body.

use actix_web::http::header::HeaderValue;
use api::operation::Operation;
use auth::actor::{Actor, Requirement};
use auth::credential::{AuthorizationSchemes, Credential, CredentialKind};
use bytes::Bytes;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
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
pub(crate) async fn run<App, P, O, B, A, Fut>(
    app: App,
    request: UncheckedRequest,
    handler: impl Fn(App, Request<P, O, B>) -> Fut,
) -> Result<(RequestHead, A)>
where
    App: Authenticate,
    P: Requirement,
    O: Operation,
    B: RequestBody,
    A: HandlerAnswer,
    Fut: Future<Output = Result<A>>,
{
    let UncheckedRequest { caller, head, path, query, body, now, request_id, public_url, trail } = request;
    let (actor, admission) = match caller {
        Caller::Unverified { authorization, schemes, admission } => {
            let accepted = if P::AUTOMATION_ONLY { &[CredentialKind::Grant] } else { App::ACCEPTS };
            let wanted = if P::BROWSER_ONLY { &[CredentialKind::BrowserToken] } else { accepted };
            let credential = credential(&authorization, schemes)?.ok_or_else(|| no_credential(wanted))?;
            credential.require(accepted)?;
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
        let mut text = Bytes::new();
        let path = syntax::path(&path);
        let query = syntax::query(&query);
        let idempotency = if A::CREATES { idempotency(&head, O::DECLARATION.id) } else { Ok(None) };
        let body = B::read(body, &mut text).await.map_err(in_body);
        let (path, query, idempotency, body) = match (path, query, idempotency, body) {
            (Ok(path), Ok(query), Ok(idempotency), Ok(body)) => (path, query, idempotency, body),
            (path, query, idempotency, body) => {
                let body = match body {
                    Ok(body) => body.refuse_unread().await.map(in_body),
                    Err(error) => Some(error),
                };
                let failures = [path.err(), query.err(), idempotency.err(), head.if_match().err(), body];
                return Err(together(failures.into_iter().flatten()));
            }
        };
        let call = Call::authorise(actor, CallContext { now, request_id, idempotency, trail })?;
        let request = Request { call, path, query, body, head: head.clone(), public_url };
        match handler(app, request).await {
            Ok(answer) => Ok(answer),
            Err(error) if error.is_violation() => {
                let broken = B::broken_rules(text).await.map(in_body);
                Err(together(broken.into_iter().chain([in_body(error)])))
            }
            Err(error) => Err(error),
        }
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

/// All broken rules of a request. A failure of another kind counts only if it comes first.
fn together(failures: impl IntoIterator<Item = Error>) -> Error {
    let all = failures.into_iter().reduce(|all, next| match all.is_violation() {
        true => all.and(next),
        false => all,
    });
    all.unwrap_or_else(|| Error::internal("a request was refused without a failure"))
}

/// The credential in the values of `Authorization`, not verified yet.
fn credential(authorization: &[HeaderValue], schemes: AuthorizationSchemes) -> Result<Option<Credential>> {
    Ok(Credential::from_authorization(authorization.iter().map(HeaderValue::as_bytes), schemes)?)
}

/// The failure of a request without a credential; it names the first of the kinds that would do.
fn no_credential(wanted: &[CredentialKind]) -> Error {
    Error::no_credential(match wanted.first() {
        Some(CredentialKind::ApiKey) => "API key",
        Some(CredentialKind::BrowserToken) => "browser token",
        Some(CredentialKind::Grant) => "the session's grant",
        None => "credential",
    })
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
        _ => {
            let message =
                format!("must be one value of 1 to {IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters");
            let refused = Error::invalid("Idempotency-Key", Rule::format("idempotency-key"), message);
            Err(refused.at(Location::Header).under(Code::InvalidIdempotencyKey))
        }
    }
}

fn record_actor(actor: &Actor) {
    let key = actor.key().map(field::display);
    record_all!(Span::current(), "actor.user" = %actor.user, "actor.key" = key);
}
