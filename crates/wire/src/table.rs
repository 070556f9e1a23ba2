//! The endpoint table of a plane. Routing, checks, tools, the OpenAPI document and the coverage tests all read it, so
//! they always agree on the set of endpoints.

pub(crate) mod checks;
pub(crate) mod declaration;
pub(crate) mod description;
pub(crate) mod endpoint;
pub(crate) mod failures;
pub(crate) mod handler;
pub(crate) mod limits;
pub(crate) mod openapi;
pub(crate) mod operation;
pub(crate) mod texts;
pub(crate) mod unchecked_request;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ptr;
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use bytes::Bytes;
use domain::Error;
use serde_json::Value;

use crate::contract::authenticate::Authenticate;
use crate::contract::body::NoBody;
use crate::contract::etag::ETag;
use crate::contract::reply::TaggedReply;
use crate::contract::request::{NoPath, NoQuery};
use crate::contract::schemas::Schemas;
use crate::table::declaration::line;
use crate::table::endpoint::{Endpoint, Route};
use crate::table::operation::Operation;
use crate::table::texts::{Documentation, Texts};

/// The endpoints of one plane.
pub struct Table<App> {
    title: &'static str,
    texts: Texts,
    endpoints: Vec<Endpoint<App>>,
    document: Arc<OnceLock<Document>>,
}

/// The document as it is served.
struct Document {
    bytes: Bytes,
    tag: ETag,
}

impl<App: Authenticate> Table<App> {
    /// A table with these endpoints, and with one that serves its OpenAPI document, named `title`, at `document_path`.
    pub fn new(
        title: &'static str,
        document_path: &'static str,
        documentation: Documentation<'_>,
        endpoints: impl IntoIterator<Item = Endpoint<App>>,
    ) -> Self {
        let document = Arc::new(OnceLock::new());
        let mut all = vec![document_endpoint(document_path, Arc::clone(&document))];
        all.extend(endpoints);
        Self { title, texts: Texts::read(documentation), endpoints: all, document }
    }

    /// The routes of all endpoints, in their order.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.endpoints.iter().map(|endpoint| &endpoint.route)
    }

    /// The ids of all operations, with the statuses of their successes.
    pub(crate) fn successes(&self) -> impl Iterator<Item = (&'static str, Vec<u16>)> {
        self.endpoints.iter().map(|endpoint| {
            let answers = (endpoint.describe)(&mut Schemas::for_operation()).responses;
            (endpoint.route.operation_id, answers.into_iter().map(|(status, _)| status).collect())
        })
    }

    /// The operations that callers within the process can use, in the order of the endpoints.
    pub fn operations(&self) -> Vec<Operation<App>> {
        let text = |route: &Route| self.texts.operations.get(route.operation_id);
        self.endpoints.iter().filter_map(|endpoint| Operation::of(endpoint, text(&endpoint.route))).collect()
    }

    /// The OpenAPI 3.1 document, for a plane at `public_url`.
    pub fn openapi(&self, public_url: &str) -> Value {
        openapi::document(self.title, public_url, App::ACCEPTS, &self.texts, &self.endpoints)
    }

    /// The contradictions in the table: endpoints that exclude each other, paths whose placeholders differ from the
    /// fields of the handler's path type, and operations without a text. The server refuses a table with defects.
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
            let fields = describe(&mut Schemas::for_operation()).path_parameters();
            if placeholders != fields {
                defects.push(format!("{operation_id} reads {fields:?} from {path}"));
            }
            if !self.texts.operations.contains_key(*operation_id) {
                defects.push(format!("{operation_id} has no text"));
            }
        }
        let unknown = self.texts.operations.keys().filter(|id| !operations.contains(&id.as_str()));
        defects.extend(unknown.map(|id| format!("the text of {id} has no operation")));
        defects
    }

    /// Makes the document that the table's own endpoint serves.
    pub(crate) fn publish(&self, public_url: &str) {
        self.document.get_or_init(|| {
            let bytes = Bytes::from(self.openapi(public_url).to_string());
            Document { tag: ETag::of_bytes(&bytes), bytes }
        });
    }

    /// The endpoints by path.
    pub(crate) fn by_path(self) -> BTreeMap<String, Vec<Endpoint<App>>> {
        let mut paths: BTreeMap<String, Vec<Endpoint<App>>> = BTreeMap::new();
        for endpoint in self.endpoints {
            paths.entry(endpoint.route.path.clone()).or_default().push(endpoint);
        }
        paths
    }
}

/// Serves the OpenAPI document without a credential; one that is sent is ignored.
fn document_endpoint<App: Authenticate>(
    path: &'static str,
    document: Arc<OnceLock<Document>>,
) -> Endpoint<App> {
    let line = line(Method::GET, path, "getOpenapi", "Read this document");
    let endpoint = Endpoint {
        route: Route { public: true, has_etag: true, ..line },
        invoke: None,
        serve: Arc::new(move |_, request| {
            let document = Arc::clone(&document);
            Box::pin(async move {
                let made = document.get().ok_or_else(|| Error::internal("the document is not made yet"))?;
                let is_known = request.head.has_current(&made.tag);
                let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
                response.insert_header((ETAG, made.tag.as_str()));
                response.insert_header((CACHE_CONTROL, "public, no-cache"));
                if is_known {
                    return Ok(response.finish());
                }
                Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(made.bytes.clone()))
            })
        }),
        describe: description::describe::<NoPath, NoQuery, NoBody, TaggedReply<Value>>,
    };
    endpoint.not_a_tool("describes the operations")
}
