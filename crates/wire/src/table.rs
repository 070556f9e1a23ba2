//! The endpoint table: one line per endpoint. Routing, checks, the OpenAPI document and the coverage tests all
//! come from it, so that none of them can know another set of endpoints.

pub(crate) mod clients;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::Requirement;
use auth::credential::Clients;
use auth::permission::Permission;
use bytes::Bytes;
use domain::{Error, Result};
use futures_util::future::LocalBoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use store::Outcome;

use crate::authenticate::Authenticate;
use crate::body::Body;
use crate::dispatch;
use crate::incoming::Incoming;
use crate::openapi::{self, Description, Schemas};
use crate::operation::Operation;
use crate::reply::{Answer, Reply};
use crate::request::Request;

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
    /// Whether it takes the grant of a running execution alone.
    pub automation_only: bool,
    /// Whether it needs no credential.
    pub public: bool,
    /// Whose requests it takes.
    pub clients: Clients,
    /// Whether it creates something, and so takes an `Idempotency-Key`.
    pub creates: bool,
}

/// What a line of the table may end with: an
/// `async fn(App, Request<P, Path, Query, B>) -> Result<impl Answer>`, whose types say everything else.
pub trait Handler<App, Input>: Copy + Send + Sync + 'static {
    /// The endpoint that a line makes of this handler.
    fn endpoint(self, line: Line) -> Endpoint<App>;
}

/// What a line of the table says.
#[derive(Clone, Debug)]
pub struct Line {
    method: Method,
    path: &'static str,
    operation_id: &'static str,
    summary: &'static str,
    clients: Clients,
}

impl Line {
    /// A line for anybody's clients.
    fn of(method: Method, path: &'static str, operation_id: &'static str, summary: &'static str) -> Self {
        Self { method, path, operation_id, summary, clients: Clients::Any }
    }
}

/// A line of the table, with everything that its handler's types say.
pub struct Endpoint<App> {
    pub(crate) route: Route,
    pub(crate) serve: Run<App, HttpResponse>,
    /// The same for a caller within the process; `None` where the answer is not one for programs.
    pub(crate) invoke: Option<Run<App, Outcome<Box<RawValue>>>>,
    pub(crate) describe: fn(&mut Schemas) -> Description,
}

/// Checks a request, runs its handler, and puts the answer into the form `A`.
pub(crate) type Run<App, A> = Arc<dyn Fn(App, Incoming) -> LocalBoxFuture<'static, Result<A>> + Send + Sync>;

impl<App: Authenticate> Table<App> {
    /// An empty table of the plane that is called `title` in its OpenAPI document.
    pub fn new(title: &'static str) -> Self {
        Self { title, endpoints: Vec::new(), document: Arc::new(OnceLock::new()) }
    }

    /// A GET endpoint; it answers HEAD too.
    #[must_use]
    pub fn get<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        self.with(handler.endpoint(Line::of(Method::GET, path, operation_id, summary)))
    }

    /// A POST endpoint. One that answers [`Created`](crate::Created) takes an `Idempotency-Key`.
    #[must_use]
    pub fn post<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        self.with(handler.endpoint(Line::of(Method::POST, path, operation_id, summary)))
    }

    /// A PUT endpoint.
    #[must_use]
    pub fn put<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        self.with(handler.endpoint(Line::of(Method::PUT, path, operation_id, summary)))
    }

    /// A PATCH endpoint.
    #[must_use]
    pub fn patch<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        self.with(handler.endpoint(Line::of(Method::PATCH, path, operation_id, summary)))
    }

    /// A DELETE endpoint.
    #[must_use]
    pub fn delete<Input>(
        self,
        path: &'static str,
        operation_id: &'static str,
        summary: &'static str,
        handler: impl Handler<App, Input>,
    ) -> Self {
        self.with(handler.endpoint(Line::of(Method::DELETE, path, operation_id, summary)))
    }

    /// The endpoint that serves this table's OpenAPI document; it asks for no credential, and ignores one that is sent.
    #[must_use]
    pub fn openapi_at(self, path: &'static str) -> Self {
        let document = Arc::clone(&self.document);
        self.with(Endpoint {
            route: Route {
                method: Method::GET,
                path,
                operation_id: "getOpenapi",
                summary: "Read this document",
                permission: None,
                browser_only: false,
                automation_only: false,
                public: true,
                clients: Clients::Any,
                creates: false,
            },
            invoke: None,
            serve: Arc::new(move |_, _| {
                let document = document.get().cloned();
                Box::pin(async move {
                    let document = document.ok_or_else(|| Error::internal("the document is not made yet"))?;
                    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(document))
                })
            }),
            describe: openapi::describe_public::<Reply<Value>>,
        })
    }

    /// What the table knows about each endpoint, in the order of its lines.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.endpoints.iter().map(|endpoint| &endpoint.route)
    }

    /// Those operations that can be called within the process, in the order of the lines.
    pub fn operations(&self) -> Vec<Operation<App>> {
        self.endpoints.iter().filter_map(Operation::of).collect()
    }

    /// The OpenAPI 3.1 document of the table, for a plane that is reached at `public_url`.
    pub fn openapi(&self, public_url: &str) -> Value {
        openapi::document(self.title, public_url, App::ACCEPTS, &self.endpoints)
    }

    /// What makes no sense in the table: lines that contradict each other, or a path whose placeholders are not
    /// the fields of its handler's path type. A server refuses to serve a table that has any.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        let (mut places, mut operations) = (HashSet::new(), HashSet::new());
        for Endpoint { route, describe, .. } in &self.endpoints {
            let Route { method, path, operation_id, .. } = route;
            if !places.insert((method, path)) {
                defects.push(format!("{method} {path} stands there twice"));
            }
            if !operations.insert(operation_id) {
                defects.push(format!("{operation_id} stands there twice"));
            }
            let placeholders =
                path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
            let placeholders: BTreeSet<String> = placeholders.map(str::to_owned).collect();
            let fields = describe(&mut Schemas::new()).path_parameters();
            if placeholders != fields {
                defects.push(format!("{operation_id} reads {fields:?} from {path}"));
            }
        }
        defects
    }

    /// Makes the document that [`Table::openapi_at`] serves.
    pub(crate) fn publish(&self, public_url: &str) {
        self.document.get_or_init(|| Bytes::from(self.openapi(public_url).to_string()));
    }

    /// The endpoints by path.
    pub(crate) fn by_path(self) -> HashMap<&'static str, Vec<Endpoint<App>>> {
        let mut paths: HashMap<&'static str, Vec<Endpoint<App>>> = HashMap::new();
        for endpoint in self.endpoints {
            paths.entry(endpoint.route.path).or_default().push(endpoint);
        }
        paths
    }

    fn with(mut self, endpoint: Endpoint<App>) -> Self {
        self.endpoints.push(endpoint);
        self
    }
}

impl<App, P, Path, Query, B, A, Fut, F> Handler<App, (P, Path, Query, B)> for F
where
    App: Authenticate,
    P: Requirement,
    Path: DeserializeOwned + JsonSchema + 'static,
    Query: DeserializeOwned + JsonSchema + 'static,
    B: Body,
    A: Answer,
    Fut: Future<Output = Result<A>> + 'static,
    F: Fn(App, Request<P, Path, Query, B>) -> Fut + Copy + Send + Sync + 'static,
{
    fn endpoint(self, line: Line) -> Endpoint<App> {
        let Line { method, path, operation_id, summary, clients } = line;
        Endpoint {
            route: Route {
                method,
                path,
                operation_id,
                summary,
                permission: P::PERMISSION,
                browser_only: P::BROWSER_ONLY,
                automation_only: P::AUTOMATION_ONLY,
                public: false,
                clients,
                creates: A::CREATES,
            },
            serve: Arc::new(move |app, incoming| {
                Box::pin(async move {
                    let (head, answer) =
                        dispatch::checked(app, incoming, (operation_id, clients), self).await?;
                    answer.into_response(&head)
                })
            }),
            invoke: A::IS_JSON.then_some(Arc::new(move |app, incoming| {
                Box::pin(async move {
                    let (_, answer) = dispatch::checked(app, incoming, (operation_id, clients), self).await?;
                    let replayed = answer.is_replay();
                    Ok(Outcome { value: answer.into_json()?, replayed })
                })
            })),
            describe: openapi::describe::<Path, Query, B, A>,
        }
    }
}
