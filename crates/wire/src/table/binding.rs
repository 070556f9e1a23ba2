//! Endpoints of operations: a handler, bound to the operation that its request names.
//!
//! ```ignore
//! [endpoint(list::handle), endpoint(create::handle), endpoint(get::handle)]
//! ```

use std::sync::Arc;

use api::operation::{NoBody, Operation};
use domain::{Error, Result};
use store::CallContext;

use crate::contract::authenticate::Authenticate;
use crate::contract::reply::HandlerAnswer;
use crate::contract::request::CapabilityRequest;
use crate::contract::syntax;
use crate::table::description;
use crate::table::endpoint::{Endpoint, Route};
use crate::table::handler::Handler;
use crate::table::unchecked_request::UncheckedRequest;

/// The endpoint of a handler's operation.
pub fn endpoint<App, Input>(handler: impl Handler<App, Input>) -> Endpoint<App> {
    handler.endpoint()
}

/// The endpoint of an operation that describes the service, and so needs no credential. The resource that its path names
/// is not read.
pub fn options<O: Operation, App: Authenticate, A>(answer: fn() -> A) -> Endpoint<App>
where
    A: HandlerAnswer<Declared = O::Answer>,
{
    Endpoint {
        route: Route { public: true, ..Route::of(&O::DECLARATION) },
        serve: Arc::new(move |_, request| Box::pin(async move { answer().into_response(&request.head) })),
        invoke: None,
        describe: description::describe::<O::Path, O::Query, NoBody, A>,
    }
}

/// The endpoint of an operation that describes the deployment and so needs no credential. The answer is made of the
/// plane's state and its public URL, which has no slash at its end; the request is not read.
pub fn public_get<O: Operation, App: Authenticate, A>(answer: fn(&App, &str) -> A) -> Endpoint<App>
where
    A: HandlerAnswer<Declared = O::Answer>,
{
    Endpoint {
        route: Route { public: true, has_etag: A::HAS_ETAG, ..Route::of(&O::DECLARATION) },
        serve: Arc::new(move |app, request| {
            Box::pin(async move { answer(&app, &request.public_url).into_response(&request.head) })
        }),
        invoke: None,
        describe: description::describe::<O::Path, O::Query, NoBody, A>,
    }
}

/// The endpoint of a read whose path holds a secret, for clients that send no credential. A path that can't be read is
/// answered as an unknown secret; credentials and the query are not read. It counts against the limit of its address.
pub fn capability_get<O, App, A, Answer>(answer: fn(App, CapabilityRequest<O>) -> Answer) -> Endpoint<App>
where
    O: Operation,
    App: Authenticate,
    A: HandlerAnswer<Declared = O::Answer>,
    Answer: Future<Output = Result<A>> + 'static,
{
    Endpoint {
        route: Route { public: true, has_etag: A::HAS_ETAG, ..Route::of(&O::DECLARATION) },
        serve: Arc::new(move |app, request| {
            let UncheckedRequest { head, path, now, request_id, public_url, .. } = request;
            Box::pin(async move {
                let path = syntax::path(&path).map_err(|_| Error::not_found())?;
                let context = CallContext { now, request_id, idempotency: None, trail: None };
                let request = CapabilityRequest { path, context, head: head.clone(), public_url };
                answer(app, request).await?.into_response(&head)
            })
        }),
        invoke: None,
        describe: description::describe::<O::Path, O::Query, NoBody, A>,
    }
}
