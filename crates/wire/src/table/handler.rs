//! Handlers: asynchronous functions, each bound to the operation that its request names.

use std::sync::Arc;

use api::operation::Operation;
use auth::actor::Requirement;
use domain::Result;
use store::Outcome;

use crate::contract::authenticate::Authenticate;
use crate::contract::body::RequestBody;
use crate::contract::reply::HandlerAnswer;
use crate::contract::request::Request;
use crate::table::checks;
use crate::table::description;
use crate::table::endpoint::{Endpoint, Route};

/// An `async fn(App, Request<P, O>) -> Result<impl HandlerAnswer>`: the handler of the operation `O`. Its types state
/// the permission and the status, the operation's declaration the rest.
pub trait Handler<App, Input>: Copy + Send + Sync + 'static {
    /// The endpoint of this handler's operation.
    fn endpoint(self) -> Endpoint<App>;
}

impl<App, P, O, B, A, Fut, F> Handler<App, (P, O, B)> for F
where
    App: Authenticate,
    P: Requirement,
    O: Operation,
    B: RequestBody<Declared = O::Body>,
    A: HandlerAnswer<Declared = O::Answer>,
    Fut: Future<Output = Result<A>> + 'static,
    F: Fn(App, Request<P, O, B>) -> Fut + Copy + Send + Sync + 'static,
{
    fn endpoint(self) -> Endpoint<App> {
        const {
            assert!(
                A::CREATES == O::DECLARATION.takes_key(),
                "the answer must be made of an `Outcome` if it creates"
            );
        }
        Endpoint {
            route: Route {
                permission: P::PERMISSION,
                browser_only: P::BROWSER_ONLY,
                automation_only: P::AUTOMATION_ONLY,
                has_etag: A::HAS_ETAG,
                ..Route::of(&O::DECLARATION)
            },
            serve: Arc::new(move |app, request| {
                Box::pin(async move {
                    let (head, answer) = checks::run(app, request, self).await?;
                    answer.into_response(&head)
                })
            }),
            invoke: A::IS_JSON.then_some(Arc::new(move |app, request| {
                Box::pin(async move {
                    let (_, answer) = checks::run(app, request, self).await?;
                    let replayed = answer.is_replay();
                    Ok(Outcome { value: answer.into_json()?, replayed })
                })
            })),
            describe: description::describe::<O::Path, O::Query, B, A>,
        }
    }
}
