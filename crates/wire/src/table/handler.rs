//! Handlers: asynchronous functions whose types describe an operation.

use std::sync::Arc;

use auth::actor::Requirement;
use domain::Result;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use store::Outcome;

use crate::contract::authenticate::Authenticate;
use crate::contract::body::RequestBody;
use crate::contract::reply::HandlerAnswer;
use crate::contract::request::Request;
use crate::table::checks;
use crate::table::description;
use crate::table::endpoint::{Endpoint, Route};

/// An `async fn(App, Request<P, Path, Query, B>) -> Result<impl HandlerAnswer>`. Its types state permission,
/// parameters, body and status; the line in the table states the rest.
pub trait Handler<App, Input>: Copy + Send + Sync + 'static {
    /// The endpoint of a line with this handler.
    fn endpoint(self, line: Route) -> Endpoint<App>;
}

impl<App, P, Path, Query, B, A, Fut, F> Handler<App, (P, Path, Query, B)> for F
where
    App: Authenticate,
    P: Requirement,
    Path: DeserializeOwned + JsonSchema + 'static,
    Query: DeserializeOwned + JsonSchema + 'static,
    B: RequestBody,
    A: HandlerAnswer,
    Fut: Future<Output = Result<A>> + 'static,
    F: Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
{
    fn endpoint(self, line: Route) -> Endpoint<App> {
        let operation = line.operation_id;
        Endpoint {
            route: Route {
                permission: P::PERMISSION,
                browser_only: P::BROWSER_ONLY,
                automation_only: P::AUTOMATION_ONLY,
                creates: A::CREATES,
                has_etag: A::HAS_ETAG,
                ..line
            },
            serve: Arc::new(move |app, request| {
                Box::pin(async move {
                    let (head, answer) = checks::run(app, request, operation, self).await?;
                    answer.into_response(&head)
                })
            }),
            invoke: A::IS_JSON.then_some(Arc::new(move |app, request| {
                Box::pin(async move {
                    let (_, answer) = checks::run(app, request, operation, self).await?;
                    let replayed = answer.is_replay();
                    Ok(Outcome { value: answer.into_json()?, replayed })
                })
            })),
            describe: description::describe::<Path, Query, B, A>,
        }
    }
}
