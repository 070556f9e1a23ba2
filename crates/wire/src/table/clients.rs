//! Lines of the table whose clients speak a protocol of their own: Git's, and tus.

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

impl<App: Authenticate> Table<App> {
    /// A GET endpoint for Git's own clients.
    #[must_use]
    pub fn git_get<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Git;
        self.with(handler.endpoint(Line { method: Method::GET, path, operation_id, summary, clients }))
    }

    /// A POST endpoint for Git's own clients.
    #[must_use]
    pub fn git_post<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Git;
        self.with(handler.endpoint(Line { method: Method::POST, path, operation_id, summary, clients }))
    }

    /// A POST endpoint for clients of resumable uploads.
    #[must_use]
    pub fn tus_post<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Tus;
        self.with(handler.endpoint(Line { method: Method::POST, path, operation_id, summary, clients }))
    }

    /// A GET endpoint for clients of resumable uploads; it answers HEAD too.
    #[must_use]
    pub fn tus_get<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Tus;
        self.with(handler.endpoint(Line { method: Method::GET, path, operation_id, summary, clients }))
    }

    /// A PATCH endpoint for clients of resumable uploads.
    #[must_use]
    pub fn tus_patch<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Tus;
        self.with(handler.endpoint(Line { method: Method::PATCH, path, operation_id, summary, clients }))
    }

    /// A DELETE endpoint for clients of resumable uploads.
    #[must_use]
    pub fn tus_delete<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        let clients = Clients::Tus;
        self.with(handler.endpoint(Line { method: Method::DELETE, path, operation_id, summary, clients }))
    }

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
