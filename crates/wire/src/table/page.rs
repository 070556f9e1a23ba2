//! Pages: what a plane serves beside its API, to people and to programs that look around. They take no credential, count
//! against no rate limit, are not in the OpenAPI document, and are no tools.

use std::sync::{Arc, LazyLock, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use api::operation::{NoBody, NoPath, NoQuery};
use bytes::Bytes;
use domain::{Code, Error, Result};
use serde_json::{Value, json};

use crate::contract::authenticate::Authenticate;
use crate::contract::etag::ETag;
use crate::contract::head::RequestHead;
use crate::contract::kept::Packed;
use crate::contract::protocol::Protocol;
use crate::contract::reply::Reply;
use crate::table::description;
use crate::table::endpoint::{Endpoint, Route};
use crate::table::unchecked_request::UncheckedRequest;

/// Everybody may keep a copy, and asks each time whether it is current.
const REVALIDATE: &str = "public, no-cache";
/// Everybody may keep a copy for a year, the most that caches honour.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Bytes that are served as they are, with their `ETag`. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StaticContent {
    media_type: &'static str,
    bytes: Bytes,
    packed: Packed,
    tag: ETag,
    caching: &'static str,
}

impl StaticContent {
    /// Content that clients revalidate each time.
    pub fn new(media_type: &'static str, bytes: Bytes) -> Self {
        Self {
            media_type,
            tag: ETag::of_bytes(&bytes),
            bytes,
            packed: Packed::of_static(),
            caching: REVALIDATE,
        }
    }

    /// This content, whose address changes with it.
    #[must_use]
    pub fn immutable(self) -> Self {
        Self { caching: IMMUTABLE, ..self }
    }

    /// The content.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// 200 with the content, or 304 if the client has it.
    ///
    /// # Errors
    /// Those of [`RequestHead::require_expected`].
    pub fn respond(&self, head: &RequestHead) -> Result<HttpResponse> {
        head.require_expected(&self.tag)?;
        let is_known = head.has_current(&self.tag);
        let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((ETAG, self.tag.as_str()));
        response.insert_header((CACHE_CONTROL, self.caching));
        if is_known {
            return Ok(response.finish());
        }
        let mut response = response.insert_header((CONTENT_TYPE, self.media_type)).body(self.bytes.clone());
        response.extensions_mut().insert(self.packed.clone());
        Ok(response)
    }

    /// 404 with the content, which nobody keeps.
    pub fn not_found(&self) -> HttpResponse {
        HttpResponse::NotFound().insert_header((CONTENT_TYPE, self.media_type)).body(self.bytes.clone())
    }
}

/// The OpenAPI document of a plane, which can be made once the plane serves, and is made when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct PublishedDocument(pub(crate) Arc<OnceLock<LazyLock<StaticContent, MakeContent>>>);

/// Makes a content once.
type MakeContent = Box<dyn FnOnce() -> StaticContent + Send>;

impl PublishedDocument {
    /// The document as it is served.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` before the plane serves.
    pub fn content(&self) -> Result<&StaticContent> {
        let made = self.0.get().ok_or_else(|| Error::internal("the plane doesn't serve yet"))?;
        Ok(LazyLock::force(made))
    }
}

/// A page at `path`, under `name` in logs and metrics. A path that ends with `/{*rest}` stands for all paths below it.
/// `answer` gets the head of the request and that rest.
pub fn page<App: Authenticate>(
    path: &str,
    name: &'static str,
    answer: impl Fn(&RequestHead, &str) -> Result<HttpResponse> + Send + Sync + 'static,
) -> Endpoint<App> {
    let answer = Arc::new(answer);
    Endpoint {
        route: Route { public: true, is_page: true, ..Route::at(Method::GET, path, name) },
        serve: Arc::new(move |_, request| {
            let answer = Arc::clone(&answer);
            let UncheckedRequest { head, path, .. } = request;
            let rest = path.into_iter().next().map(|(_, rest)| rest).unwrap_or_default();
            Box::pin(async move { answer(&head, &rest) })
        }),
        invoke: None,
        describe: description::describe::<NoPath, NoQuery, NoBody, Reply<Value>>,
    }
}

/// A POST without a body at `path`, for pages of this plane, under `name` in logs and metrics. It takes no credential of
/// the API, so `answer` decides by the head alone; it counts against the limit of its address.
pub fn page_action<App: Authenticate, Answer: Future<Output = Result<HttpResponse>> + 'static>(
    path: &str,
    name: &'static str,
    answer: fn(App, RequestHead) -> Answer,
) -> Endpoint<App> {
    Endpoint {
        route: Route { public: true, audited: false, ..Route::at(Method::POST, path, name) },
        serve: Arc::new(move |app, request| Box::pin(answer(app, request.head))),
        invoke: None,
        describe: description::describe::<NoPath, NoQuery, NoBody, Reply<Value>>,
    }
}

/// The page that a browser gets at an unknown path; `None` where it gets a refusal like every program.
pub(crate) type UnknownPage = Arc<dyn Fn(&RequestHead, &str) -> Option<HttpResponse> + Send + Sync>;

/// The answer to unknown paths. It doesn't depend on any resource.
#[derive(Clone)]
pub(crate) struct UnknownPath {
    pub(crate) document_path: &'static str,
    /// Beginnings of paths of another plane, and where their requests belong.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
    /// Beginnings of paths whose clients speak a protocol of their own.
    pub(crate) protocols: &'static [(&'static str, &'static Protocol)],
    pub(crate) page: Option<UnknownPage>,
}

impl UnknownPath {
    /// The protocol of the clients of a path.
    pub(crate) fn protocol(&self, path: &str) -> &'static Protocol {
        let found = self.protocols.iter().find(|(begin, _)| path.starts_with(begin));
        found.map_or(Protocol::OWN, |(_, protocol)| protocol)
    }

    /// The answer to a request to `path`.
    ///
    /// # Errors
    /// `NOT_FOUND`, unless there is a page.
    pub(crate) fn answer(&self, head: &RequestHead, path: &str) -> Result<HttpResponse> {
        let reads = *head.method() == Method::GET || head.is_head();
        let page = self.page.as_ref().filter(|_| reads).and_then(|page| page(head, path));
        page.ok_or_else(|| self.refusal(path))
    }

    fn refusal(&self, path: &str) -> Error {
        let elsewhere = self.elsewhere.iter().find(|(begin, _)| path.starts_with(begin));
        let hint = elsewhere.map(|(_, hint)| format!(" {hint}")).unwrap_or_default();
        let document = self.document_path;
        let message =
            format!("There is no such path.{hint} The OpenAPI document at {document} lists all paths.");
        Error::new(Code::NotFound, message).with_details(json!({ "openapi": document }))
    }
}
