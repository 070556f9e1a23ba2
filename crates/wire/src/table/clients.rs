//! Operations whose clients speak a protocol of their own: Git's, and tus.

use std::sync::Arc;

use actix_web::http::Method;
use auth::credential::Clients;
use schemars::JsonSchema;

use crate::authenticate::Authenticate;
use crate::body::NoBody;
use crate::openapi;
use crate::reply::Answer;
use crate::request::NoQuery;
use crate::table::{Endpoint, Handler, Line, Route, Table};

/// A handler that answers certain clients.
#[derive(Clone, Copy, Debug)]
pub struct Answering<H> {
    clients: Clients,
    handler: H,
}

/// The handler of an operation for Git's own clients.
pub fn for_git<H>(handler: H) -> Answering<H> {
    Answering { clients: Clients::Git, handler }
}

/// The handler of an operation for clients of resumable uploads.
pub fn for_tus<H>(handler: H) -> Answering<H> {
    Answering { clients: Clients::Tus, handler }
}

impl<App, Input, H: Handler<App, Input>> Handler<App, Input> for Answering<H> {
    fn endpoint(self, line: Line) -> Endpoint<App> {
        self.handler.endpoint(Line { clients: self.clients, ..line })
    }
}

impl<App: Authenticate> Table<App> {
    /// An OPTIONS endpoint for clients of resumable uploads: it asks for no credential, as it says what is public
    /// knowledge, and what its `Path` names is not looked up.
    #[must_use]
    pub fn tus_options<Path, A>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        answer: fn() -> A,
    ) -> Self
    where
        Path: JsonSchema,
        A: Answer,
    {
        self.with(Endpoint {
            route: Route {
                method: Method::OPTIONS,
                path,
                operation_id,
                summary,
                permission: None,
                browser_only: false,
                automation_only: false,
                public: true,
                clients: Clients::Tus,
                creates: false,
            },
            serve: Arc::new(move |_, incoming| {
                Box::pin(async move { answer().into_response(&incoming.head) })
            }),
            invoke: None,
            describe: openapi::describe::<Path, NoQuery, NoBody, A>,
        })
    }
}
