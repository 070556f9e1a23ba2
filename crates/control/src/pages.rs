//! The pages of the control plane: the console at `/` and below, and the documentation below `/docs`.

pub mod console;
mod sign_in;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::header::{
    ACCEPT, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use api::dataplane;
use api::operation::Operation;
use api::work::mcp::UseMcp;
use bytes::Bytes;
use domain::{Code, Error, Result};
use serde_json::{Map, Value, json};
use site::Site;
use wire::{PublishedDocument, RequestHead, StaticContent, Table, page, page_action};

use crate::app::App;
use crate::pages::console::ConsolePages;

/// Addresses of the console beside `/`.
const CONSOLE: [(&str, &str); 11] = [
    ("/sign-in", "openSignIn"),
    ("/projects", "openProjects"),
    ("/projects/{*rest}", "openProject"),
    ("/boards", "openBoards"),
    ("/views", "openViews"),
    ("/views/{*rest}", "openView"),
    ("/orgs", "openOrganizations"),
    ("/orgs/{*rest}", "openOrganization"),
    ("/account", "openAccount"),
    ("/account/{*rest}", "openAccountPage"),
    ("/invitations", "openInvitation"),
];

/// The table with the pages of a deployment whose data plane is at `data_url`.
pub fn mount(table: Table<App>, data_url: &str, console: ConsolePages) -> Table<App> {
    let index = StaticContent::new(
        "application/json",
        Bytes::from(Value::Object(index(&table, data_url)).to_string()),
    );
    let pages =
        Arc::new(Pages { document: table.document(), data_url: data_url.to_owned(), made: OnceLock::new() });
    let console = Arc::new(console);
    let (root, files, unknown) = (Arc::clone(&console), Arc::clone(&console), Arc::clone(&console));
    // The last path doesn't stand for those before it: its rest is never empty.
    let docs = [("/docs", "readDocs"), ("/docs/", "readDocsSlash"), ("/docs/{*rest}", "readDocsBelow")];
    let docs = docs.map(|(path, name)| {
        let pages = Arc::clone(&pages);
        page(path, name, move |head, rest| pages.docs(head, rest))
    });
    let places = CONSOLE.map(|(path, name)| {
        let console = Arc::clone(&console);
        page(path, name, move |head, _| console.open(head))
    });
    table
        .with_pages([page("/", "readIndex", move |head, _| root.index(head, &index))])
        .with_pages(places)
        .with_pages([page(&format!("{}/{{*rest}}", ::console::FILES), "readConsole", move |head, rest| {
            files.file(head, rest)
        })])
        .with_pages([page_action("/sign-in/ticket", "exchangeTicket", sign_in::exchange)])
        .with_pages(docs)
        .with_unknown_page(move |head, path| unknown.unknown(head, path))
}

/// The index for programs at `/`.
fn index(table: &Table<App>, data_url: &str) -> Map<String, Value> {
    let data_url = data_url.trim_end_matches('/');
    let mut index = table.index();
    index.insert("docs".to_owned(), json!("/docs"));
    index.insert("mcp".to_owned(), json!(UseMcp::DECLARATION.path));
    let data_plane =
        json!({ "url": data_url, "openapi": format!("{data_url}{}", dataplane::PLANE.document.path) });
    index.insert("dataPlane".to_owned(), data_plane);
    index
}

/// The pages, made when the first is asked for: in a few milliseconds, and most processes of tests need none.
struct Pages {
    document: PublishedDocument,
    data_url: String,
    made: OnceLock<Made>,
}

struct Made {
    pages: BTreeMap<String, StaticContent>,
    not_found: StaticContent,
}

impl Pages {
    /// The page or file at `/docs/{rest}`.
    fn docs(&self, head: &RequestHead, rest: &str) -> Result<HttpResponse> {
        let made = self.made()?;
        let rest = rest.trim_end_matches('/');
        let path = if rest.is_empty() { "/docs".to_owned() } else { format!("/docs/{rest}") };
        match made.pages.get(&path) {
            Some(content) => Ok(for_people(content.respond(head)?, site::CONTENT_SECURITY_POLICY)),
            None if wants_page(head) => {
                Ok(for_people(made.not_found.not_found(), site::CONTENT_SECURITY_POLICY))
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
        let Site { pages, not_found } = Site::new(&document, &self.data_url).map_err(Error::internal)?;
        let made = Made {
            pages: pages.into_iter().map(|(path, page)| (path, content(page))).collect(),
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

/// A response for browsers, which load nothing into it but by `policy` and tell nobody where a link was followed.
fn for_people(mut response: HttpResponse, policy: &str) -> HttpResponse {
    let headers = response.headers_mut();
    // The policies are made of origins, which are ASCII; one that isn't allows nothing.
    let policy = HeaderValue::from_str(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
