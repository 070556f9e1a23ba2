//! The pages of the control plane: `/`, which says what this is, and the documentation below `/docs`.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, VARY};
use bytes::Bytes;
use domain::{Code, Error, Result};
use serde_json::{Map, Value, json};
use site::Site;
use wire::{PublishedDocument, RequestHead, StaticContent, Table, page};

use crate::app::App;
use crate::routes::mcp;

/// The path of the data plane's document.
const DATA_DOCUMENT: &str = "/api/v1/openapi.json";

/// The table with the pages of a deployment whose data plane is at `data_url`.
pub fn mount(table: Table<App>, data_url: &str) -> Table<App> {
    let index = StaticContent::new(
        "application/json",
        Bytes::from(Value::Object(index(&table, data_url)).to_string()),
    );
    let pages = Arc::new(Pages {
        document: table.document(),
        data_url: data_url.to_owned(),
        index,
        made: OnceLock::new(),
    });
    let root = Arc::clone(&pages);
    // The last path doesn't stand for those before it: its rest is never empty.
    let docs = [("/docs", "readDocs"), ("/docs/", "readDocsSlash"), ("/docs/{*rest}", "readDocsBelow")];
    let docs = docs.map(|(path, name)| {
        let pages = Arc::clone(&pages);
        page(path, name, move |head, rest| pages.docs(head, rest))
    });
    table.with_pages([page("/", "readIndex", move |head, _| root.index(head))]).with_pages(docs)
}

/// The index for programs at `/`.
fn index(table: &Table<App>, data_url: &str) -> Map<String, Value> {
    let data_url = data_url.trim_end_matches('/');
    let mut index = table.index();
    index.insert("docs".to_owned(), json!("/docs"));
    index.insert("mcp".to_owned(), json!(mcp::ADDRESS));
    let data_plane = json!({ "url": data_url, "openapi": format!("{data_url}{DATA_DOCUMENT}") });
    index.insert("dataPlane".to_owned(), data_plane);
    index
}

/// The pages, made when the first is asked for: in a few milliseconds, and most processes of tests need none.
struct Pages {
    document: PublishedDocument,
    data_url: String,
    index: StaticContent,
    made: OnceLock<Made>,
}

struct Made {
    pages: BTreeMap<String, StaticContent>,
    welcome: StaticContent,
    not_found: StaticContent,
}

impl Pages {
    /// A page for browsers, JSON for programs.
    fn index(&self, head: &RequestHead) -> Result<HttpResponse> {
        let mut response = if wants_page(head) {
            for_people(self.made()?.welcome.respond(head))
        } else {
            self.index.respond(head)
        };
        response.headers_mut().append(VARY, HeaderValue::from_name(ACCEPT));
        Ok(response)
    }

    /// The page or file at `/docs/{rest}`.
    fn docs(&self, head: &RequestHead, rest: &str) -> Result<HttpResponse> {
        let made = self.made()?;
        let rest = rest.trim_end_matches('/');
        let path = if rest.is_empty() { "/docs".to_owned() } else { format!("/docs/{rest}") };
        match made.pages.get(&path) {
            Some(content) => Ok(for_people(content.respond(head))),
            None if wants_page(head) => {
                let mut response = made.not_found.respond(head);
                *response.status_mut() = StatusCode::NOT_FOUND;
                Ok(for_people(response))
            }
            None => Err(Error::new(Code::NotFound, "There is no such page. /docs lists all pages.")),
        }
    }

    fn made(&self) -> Result<&Made> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let document: Value =
            serde_json::from_slice(self.document.content()?.bytes()).map_err(Error::internal)?;
        let Site { pages, welcome, not_found } =
            Site::new(&document, &self.data_url).map_err(Error::internal)?;
        let made = Made {
            pages: pages.into_iter().map(|(path, page)| (path, content(page))).collect(),
            welcome: content(welcome),
            not_found: content(not_found),
        };
        Ok(self.made.get_or_init(|| made))
    }
}

fn content(page: site::Page) -> StaticContent {
    let content = StaticContent::new(page.media_type, page.body);
    if page.is_immutable { content.immutable() } else { content }
}

/// True for a browser that opens an address.
fn wants_page(head: &RequestHead) -> bool {
    head.header(ACCEPT.as_str()).is_some_and(|accepted| accepted.contains("text/html"))
}

/// A response for browsers, which load nothing into it from elsewhere and tell nobody where a link was followed.
fn for_people(mut response: HttpResponse) -> HttpResponse {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(site::CONTENT_SECURITY_POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
