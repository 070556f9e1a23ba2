//! The endpoint table of a plane. Routing, checks, tools, the OpenAPI document and the coverage tests all read it, so
//! they always agree on the set of endpoints.

pub(crate) mod binding;
pub(crate) mod checks;
pub(crate) mod description;
pub(crate) mod document_text;
pub(crate) mod endpoint;
pub(crate) mod failures;
pub(crate) mod handler;
pub(crate) mod limits;
pub(crate) mod openapi;
pub(crate) mod operation;
pub(crate) mod page;
pub(crate) mod sharing;
pub(crate) mod texts;
pub(crate) mod unchecked_request;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ptr;
use std::sync::{Arc, LazyLock};

use actix_web::HttpResponse;
use api::operation::{Declaration, NoBody, NoPath, NoQuery, PlaneDeclaration};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::contract::authenticate::Authenticate;
use crate::contract::head::RequestHead;
use crate::contract::protocol::Protocol;
use crate::contract::reply::TaggedReply;
use crate::contract::schemas::Schemas;
use crate::table::endpoint::{Endpoint, Route};
use crate::table::operation::LocalOperation;
use crate::table::page::{PublishedDocument, StaticContent, UnknownPath};
use crate::table::texts::Texts;

/// The endpoints of one plane.
pub struct Table<App> {
    plane: &'static PlaneDeclaration,
    texts: Arc<Texts>,
    endpoints: Vec<Endpoint<App>>,
    /// Endpoints outside of the document.
    pages: Vec<Endpoint<App>>,
    unknown: UnknownPath,
    document: PublishedDocument,
    /// The toolboxes of a plane with tools.
    toolboxes: Option<&'static [&'static str]>,
}

impl<App: Authenticate> Table<App> {
    /// A table with these endpoints of `plane`, and with one that serves its OpenAPI document. `examples` is JSON that
    /// has, by operation, a `request` and its `answer`.
    pub fn new(
        plane: &'static PlaneDeclaration,
        examples: &str,
        endpoints: impl IntoIterator<Item = Endpoint<App>>,
    ) -> Self {
        let document = PublishedDocument::default();
        let mut all = vec![document_endpoint(plane.document, document.clone())];
        all.extend(endpoints);
        let document_path = plane.document.path;
        let unknown = UnknownPath { document_path, elsewhere: &[], protocols: &[], page: None };
        let texts = Arc::new(Texts::of(plane, examples));
        Self { plane, texts, endpoints: all, pages: Vec::new(), unknown, document, toolboxes: None }
    }

    /// This table, whose operations all state whether they are tools, in these toolboxes.
    #[must_use]
    pub fn with_tools(mut self, toolboxes: &'static [&'static str]) -> Self {
        self.toolboxes = Some(toolboxes);
        self
    }

    /// This table with pages beside its API.
    #[must_use]
    pub fn with_pages(mut self, pages: impl IntoIterator<Item = Endpoint<App>>) -> Self {
        self.pages.extend(pages);
        self
    }

    /// Protocols of the clients that ask for unknown paths with these beginnings.
    #[must_use]
    pub fn unknown_speak(mut self, protocols: &'static [(&'static str, &'static Protocol)]) -> Self {
        self.unknown.protocols = protocols;
        self
    }

    /// This table, which says where requests to paths of another plane belong: beginnings of paths, and a sentence each.
    #[must_use]
    pub fn elsewhere(mut self, hints: &'static [(&'static str, &'static str)]) -> Self {
        self.unknown.elsewhere = hints;
        self
    }

    /// This table, which answers GET and HEAD of unknown paths by `page` where that has an answer.
    #[must_use]
    pub fn with_unknown_page(
        mut self,
        page: impl Fn(&RequestHead, &str) -> Option<HttpResponse> + Send + Sync + 'static,
    ) -> Self {
        self.unknown.page = Some(Arc::new(page));
        self
    }

    /// The document that the plane serves.
    pub fn document(&self) -> PublishedDocument {
        self.document.clone()
    }

    /// The fields with which an index of the plane begins: its name, the interface's version, the document's path.
    pub fn index(&self) -> Map<String, Value> {
        let fields = [
            ("name", json!(self.plane.title)),
            ("version", json!(openapi::VERSION)),
            ("openapi", json!(self.unknown.document_path)),
        ];
        fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }

    /// The answer to unknown paths.
    pub(crate) fn unknown(&self) -> UnknownPath {
        self.unknown.clone()
    }

    /// The routes of all endpoints, in their order.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.endpoints.iter().map(|endpoint| &endpoint.route)
    }

    /// The ids of all operations, with the statuses of their successes.
    pub(crate) fn successes(&self) -> impl Iterator<Item = (&'static str, Vec<u16>)> {
        self.endpoints.iter().chain(&self.pages).map(|endpoint| {
            let answers = (endpoint.describe)(&mut Schemas::outline()).responses;
            (endpoint.route.operation_id, answers.into_iter().map(|(status, _)| status).collect())
        })
    }

    /// The operations that callers within the process can use, in the order of the endpoints.
    pub fn operations(&self) -> Vec<LocalOperation<App>> {
        let text = |route: &Route| self.texts.operations.get(route.operation_id);
        self.endpoints
            .iter()
            .filter_map(|endpoint| LocalOperation::of(endpoint, text(&endpoint.route)))
            .collect()
    }

    /// The OpenAPI 3.1 document, for a plane at `public_url`.
    pub fn openapi(&self, public_url: &str) -> Value {
        self.make_openapi(public_url)()
    }

    /// Makes the OpenAPI document, also without the table.
    fn make_openapi(&self, public_url: &str) -> impl FnOnce() -> Value + Send + use<App> {
        let (plane, public_url, texts) = (self.plane, public_url.to_owned(), Arc::clone(&self.texts));
        let declared: Vec<_> =
            self.endpoints.iter().map(|endpoint| (endpoint.route.clone(), endpoint.describe)).collect();
        move || openapi::document(plane, &public_url, App::ACCEPTS, &texts, &declared)
    }

    /// The contradictions in the table: endpoints that exclude each other, paths whose placeholders differ from the
    /// fields of its type, operations that the plane lists and none is bound to or the other way round, and tools that
    /// can't be. The server refuses a table with defects.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        let (mut methods, mut operations, mut protocols) = (HashSet::new(), HashSet::new(), HashMap::new());
        for Endpoint { route, describe, .. } in &self.endpoints {
            let Route { method, path, operation_id, protocol, .. } = route;
            if !methods.insert((method, path)) {
                defects.push(format!("{method} {path} occurs twice"));
            }
            if !operations.insert(operation_id) {
                defects.push(format!("{operation_id} occurs twice"));
            }
            if !ptr::eq(*protocols.entry(path).or_insert(*protocol), *protocol) {
                defects.push(format!("{path} has two protocols"));
            }
            let placeholders =
                path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
            let placeholders: BTreeSet<String> = placeholders.map(str::to_owned).collect();
            let fields = describe(&mut Schemas::outline()).path_parameters();
            if placeholders != fields {
                defects.push(format!("{operation_id} reads {fields:?} from {path}"));
            }
            if !self.texts.operations.contains_key(*operation_id) {
                defects.push(format!("{operation_id} is not listed by the plane"));
            }
        }
        for Endpoint { route, .. } in &self.pages {
            if !methods.insert((&route.method, &route.path)) {
                defects.push(format!("{} {} occurs twice", route.method, route.path));
            }
        }
        if let Some(toolboxes) = self.toolboxes {
            defects.extend(self.endpoints.iter().filter_map(|endpoint| endpoint.tool_defect(toolboxes)));
        }
        let unbound = self.texts.operations.keys().filter(|id| !operations.contains(id));
        defects.extend(unbound.map(|id| format!("{id} has no handler")));
        defects
    }

    /// Publishes the document that the table's own endpoint serves. It is made when it is first asked for: a process that
    /// has just started has more urgent work.
    pub(crate) fn publish(&self, public_url: &str) {
        let make = self.make_openapi(public_url);
        let content =
            move || StaticContent::new("application/json", Bytes::from(document_text::text(&make())));
        self.document.0.get_or_init(|| LazyLock::new(Box::new(content)));
    }

    /// The endpoints and pages by path.
    pub(crate) fn by_path(self) -> BTreeMap<String, Vec<Endpoint<App>>> {
        let mut paths: BTreeMap<String, Vec<Endpoint<App>>> = BTreeMap::new();
        for endpoint in self.endpoints.into_iter().chain(self.pages) {
            paths.entry(endpoint.route.path.clone()).or_default().push(endpoint);
        }
        paths
    }
}

/// Serves the OpenAPI document without a credential; one that is sent is ignored.
fn document_endpoint<App: Authenticate>(
    operation: &Declaration,
    document: PublishedDocument,
) -> Endpoint<App> {
    Endpoint {
        route: Route { public: true, has_etag: true, ..Route::of(operation) },
        invoke: None,
        serve: Arc::new(move |_, request| {
            let document = document.clone();
            Box::pin(async move { document.content()?.respond(&request.head) })
        }),
        describe: description::describe::<NoPath, NoQuery, NoBody, TaggedReply<Value>>,
    }
}
