//! The endpoint table: one line per endpoint. Routing, checks, the OpenAPI document and the coverage tests all
//! come from it, so that none of them can know another set of endpoints.

use std::sync::{Arc, OnceLock};

use actix_web::http::Method;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, dev};
use auth::actor::Needs;
use auth::permission::Permission;
use bytes::Bytes;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::LocalBoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::authenticate::Authenticate;
use crate::body::Body;
use crate::dispatch;
use crate::openapi::{self, Description, Schemas};
use crate::pace::Pace;
use crate::reply::{Answer, Reply};
use crate::request::{Head, Request};

/// The endpoints of one plane.
pub struct Table<App> {
    title: &'static str,
    endpoints: Vec<Endpoint<App>>,
    document: Arc<OnceLock<Bytes>>,
}

/// What the table knows about an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with `{placeholders}`.
    pub path: &'static str,
    /// The operation's id, unique in the table.
    pub operation_id: &'static str,
    /// What the operation does, in a few words.
    pub summary: &'static str,
    /// The permission that it needs, where it needs one.
    pub permission: Option<Permission>,
    /// Whether it takes a browser token alone.
    pub browser_only: bool,
    /// Whether it needs no credential.
    pub public: bool,
    /// Whether it creates something, and so takes an `Idempotency-Key`.
    pub creates: bool,
}

/// One line of the table, with everything that the handler's types said.
pub(crate) struct Endpoint<App> {
    pub(crate) route: Route,
    pub(crate) run: Run<App>,
    pub(crate) describe: fn(&mut Schemas) -> Description,
}

/// Checks a request and runs its handler.
pub(crate) type Run<App> =
    Arc<dyn Fn(App, Incoming) -> LocalBoxFuture<'static, Result<HttpResponse>> + Send + Sync>;

/// A request that nothing has been checked of.
pub(crate) struct Incoming {
    pub(crate) http: actix_web::HttpRequest,
    pub(crate) payload: dev::Payload,
    pub(crate) now: Timestamp,
    pub(crate) request_id: String,
    pub(crate) pace: Pace,
}

impl<App: Authenticate> Table<App> {
    /// An empty table of the plane that is called `title` in its OpenAPI document.
    pub fn new(title: &'static str) -> Self {
        Self { title, endpoints: Vec::new(), document: Arc::new(OnceLock::new()) }
    }

    /// A GET endpoint; it answers HEAD too.
    #[must_use]
    pub fn get<P, Path, Query, B, A, Fut>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoint(Method::GET, (path, operation_id, summary), handler)
    }

    /// A POST endpoint. One that answers [`Created`](crate::Created) takes an `Idempotency-Key`.
    #[must_use]
    pub fn post<P, Path, Query, B, A, Fut>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoint(Method::POST, (path, operation_id, summary), handler)
    }

    /// A PUT endpoint.
    #[must_use]
    pub fn put<P, Path, Query, B, A, Fut>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoint(Method::PUT, (path, operation_id, summary), handler)
    }

    /// A PATCH endpoint.
    #[must_use]
    pub fn patch<P, Path, Query, B, A, Fut>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoint(Method::PATCH, (path, operation_id, summary), handler)
    }

    /// A DELETE endpoint.
    #[must_use]
    pub fn delete<P, Path, Query, B, A, Fut>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoint(Method::DELETE, (path, operation_id, summary), handler)
    }

    /// A GET endpoint that asks for no credential and ignores one that is sent.
    #[must_use]
    pub fn public_get<A, Fut>(
        mut self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Fn(App) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoints.push(Endpoint {
            route: public(path, operation_id, summary),
            run: Arc::new(move |app, incoming| {
                Box::pin(async move { handler(app).await?.into_response(&Head::new(incoming.http)) })
            }),
            describe: openapi::describe_public::<A>,
        });
        self
    }

    /// The public endpoint that serves this table's OpenAPI document.
    #[must_use]
    pub fn openapi_at(mut self, path: &'static str) -> Self {
        let document = Arc::clone(&self.document);
        self.endpoints.push(Endpoint {
            route: public(path, "getOpenapi", "Read this document"),
            run: Arc::new(move |_, _| {
                let document = document.get().cloned();
                Box::pin(async move {
                    let document = document.ok_or_else(|| Error::internal("the document is not made yet"))?;
                    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(document))
                })
            }),
            describe: openapi::describe_public::<Reply<Value>>,
        });
        self
    }

    /// What the table knows about each endpoint, in the order of its lines.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.endpoints.iter().map(|endpoint| &endpoint.route)
    }

    /// The OpenAPI 3.1 document of the table, for a plane that is reached at `public_url`.
    pub fn openapi(&self, public_url: &str) -> Value {
        openapi::document(self.title, public_url, App::ACCEPTS, &self.endpoints)
    }

    /// Makes the document that [`Table::openapi_at`] serves.
    pub(crate) fn publish(&self, public_url: &str) {
        self.document.get_or_init(|| Bytes::from(self.openapi(public_url).to_string()));
    }

    /// The endpoints by path, in the order in which paths have to be tried: where two paths fit a request, the
    /// one with the literal segment means it.
    pub(crate) fn by_path(self) -> Vec<(&'static str, Vec<Endpoint<App>>)> {
        let mut paths: Vec<(&'static str, Vec<Endpoint<App>>)> = Vec::new();
        for endpoint in self.endpoints {
            let path = endpoint.route.path;
            match paths.iter_mut().find(|(known, _)| *known == path) {
                Some((_, endpoints)) => endpoints.push(endpoint),
                None => paths.push((path, vec![endpoint])),
            }
        }
        paths.sort_by_key(|(path, _)| {
            path.split('/').map(|segment| segment.starts_with('{')).collect::<Vec<_>>()
        });
        paths
    }

    fn endpoint<P, Path, Query, B, A, Fut>(
        mut self,
        method: Method,
        (path, operation_id, summary): (&'static str, &'static str, &'static str),
        handler: impl Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
    ) -> Self
    where
        P: Needs,
        Path: DeserializeOwned + JsonSchema + 'static,
        Query: DeserializeOwned + JsonSchema + 'static,
        B: Body,
        A: Answer,
        Fut: Future<Output = Result<A>> + 'static,
    {
        self.endpoints.push(Endpoint {
            route: Route {
                method,
                path,
                operation_id,
                summary,
                permission: P::PERMISSION,
                browser_only: P::BROWSER_ONLY,
                public: false,
                creates: A::CREATES,
            },
            run: Arc::new(move |app, incoming| {
                Box::pin(dispatch::checked(app, incoming, operation_id, handler))
            }),
            describe: openapi::describe::<Path, Query, B, A>,
        });
        self
    }
}

fn public(path: &'static str, operation_id: &'static str, summary: &'static str) -> Route {
    Route {
        method: Method::GET,
        path,
        operation_id,
        summary,
        permission: None,
        browser_only: false,
        public: true,
        creates: false,
    }
}
