//! The lines of the table: one function for each method, and [`Resource`] for the path that lines share.
//!
//! ```ignore
//! Resource::at("/api/v2/projects/{projectId}/cards").with([
//!     get("", "listCards", "List a project's cards", list::handle).tool("cards"),
//!     post("", "createCard", "Create a card", create::handle).tool("cards"),
//! ])
//! ```

use std::sync::Arc;

use actix_web::http::Method;
use schemars::JsonSchema;

use crate::contract::authenticate::Authenticate;
use crate::contract::body::NoBody;
use crate::contract::protocol::Protocol;
use crate::contract::reply::HandlerAnswer;
use crate::contract::request::{NoPath, NoQuery};
use crate::table::description;
use crate::table::endpoint::{Endpoint, Route, ToolMembership};
use crate::table::handler::Handler;

/// The common path of a resource's endpoints.
#[derive(Clone, Copy, Debug)]
pub struct Resource(&'static str);

impl Resource {
    /// The resource at `path`.
    pub fn at(path: &'static str) -> Self {
        Self(path)
    }

    /// The endpoints of the resource. Their paths are relative to its own.
    pub fn with<App>(self, endpoints: impl IntoIterator<Item = Endpoint<App>>) -> Vec<Endpoint<App>> {
        endpoints.into_iter().map(|endpoint| endpoint.below(self.0)).collect()
    }
}

/// A GET endpoint. It answers HEAD too.
pub fn get<App, Input>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    handler: impl Handler<App, Input>,
) -> Endpoint<App> {
    handler.endpoint(line(Method::GET, path, operation_id, summary))
}

/// A POST endpoint. If it answers [`Created`](crate::Created), it accepts an `Idempotency-Key`.
pub fn post<App, Input>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    handler: impl Handler<App, Input>,
) -> Endpoint<App> {
    handler.endpoint(line(Method::POST, path, operation_id, summary))
}

/// A PUT endpoint.
pub fn put<App, Input>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    handler: impl Handler<App, Input>,
) -> Endpoint<App> {
    handler.endpoint(line(Method::PUT, path, operation_id, summary))
}

/// A PATCH endpoint.
pub fn patch<App, Input>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    handler: impl Handler<App, Input>,
) -> Endpoint<App> {
    handler.endpoint(line(Method::PATCH, path, operation_id, summary))
}

/// A DELETE endpoint.
pub fn delete<App, Input>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    handler: impl Handler<App, Input>,
) -> Endpoint<App> {
    handler.endpoint(line(Method::DELETE, path, operation_id, summary))
}

/// An OPTIONS endpoint, which describes the service and so needs no credential. `Path` documents the parameters of the
/// path; the resource itself is not read.
pub fn options<App: Authenticate, Path: JsonSchema, A: HandlerAnswer>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    answer: fn() -> A,
) -> Endpoint<App> {
    Endpoint {
        route: Route { public: true, ..line(Method::OPTIONS, path, operation_id, summary) },
        serve: Arc::new(move |_, request| Box::pin(async move { answer().into_response(&request.head) })),
        invoke: None,
        describe: description::describe::<Path, NoQuery, NoBody, A>,
    }
}

/// A GET endpoint that describes the deployment and so needs no credential. The answer is made of the plane's state and
/// its public URL, which has no slash at its end; the request is not read.
pub fn public_get<App: Authenticate, A: HandlerAnswer>(
    path: &str,
    operation_id: &'static str,
    summary: &'static str,
    answer: fn(&App, &str) -> A,
) -> Endpoint<App> {
    Endpoint {
        route: Route {
            public: true,
            has_etag: A::HAS_ETAG,
            ..line(Method::GET, path, operation_id, summary)
        },
        serve: Arc::new(move |app, request| {
            Box::pin(async move { answer(&app, &request.public_url).into_response(&request.head) })
        }),
        invoke: None,
        describe: description::describe::<NoPath, NoQuery, NoBody, A>,
    }
}

/// The part of a route that its line states.
pub(crate) fn line(method: Method, path: &str, operation_id: &'static str, summary: &'static str) -> Route {
    Route {
        destroys: method == Method::DELETE,
        audited: !method.is_safe(),
        method,
        path: path.to_owned(),
        operation_id,
        summary,
        permission: None,
        browser_only: false,
        automation_only: false,
        public: false,
        is_page: false,
        creates: false,
        has_etag: false,
        conditional: false,
        protocol: Protocol::OWN,
        shows_secret: false,
        has_closed_statuses: false,
        request_headers: Vec::new(),
        answer_headers: Vec::new(),
        tool: ToolMembership::Unstated,
        everyday: false,
    }
}
