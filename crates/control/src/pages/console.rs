//! The console's pages, as the deployment's sign-in makes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{ACCEPT, CROSS_ORIGIN_OPENER_POLICY, HeaderValue, VARY};
use console::{Console, ConsolePage, OpenIdClient, SignIn};
use domain::{Code, Error, Result};
use parking_lot::Mutex;
use url::Url;
use wire::{RequestHead, StaticContent};

use crate::credentials::issuers::Issuers;
use crate::pages::{for_people, wants_page};

/// Beginnings of the paths of programs and of operators. Unknown ones among them are refused to browsers, too.
const NO_PAGES: [&str; 8] =
    ["/api", "/mcp", "/git", "/.well-known", console::FILES, "/healthz", "/readyz", "/metrics"];

/// The console as a client of the deployment's issuers.
pub struct ConsoleClient {
    /// The accepted issuers.
    pub issuers: Arc<Issuers>,
    /// The client id at the OIDC issuer.
    pub client_id: Option<String>,
    /// The scopes to ask for.
    pub scope: String,
}

impl ConsoleClient {
    fn sign_in(&self) -> SignIn {
        let (Some(issuer), Some(client_id)) = (&self.issuers.oidc, &self.client_id) else {
            return if self.issuers.development.is_some() {
                SignIn::Development
            } else {
                SignIn::Unavailable
            };
        };
        let Some(metadata) = issuer.metadata() else { return SignIn::IssuerAway };
        let Some(token_url) = metadata.token_endpoint.clone() else { return SignIn::Unavailable };
        SignIn::Issuer(Box::new(OpenIdClient {
            issuer: issuer.issuer().to_owned(),
            audience: issuer.audience().to_owned(),
            client_id: client_id.clone(),
            authorization_url: metadata.authorization_endpoint.clone(),
            token_url,
            revocation_url: metadata.revocation_endpoint.clone(),
            end_session_url: metadata.end_session_endpoint.clone(),
            scope: self.scope.clone(),
        }))
    }
}

/// The console's page and files.
pub struct ConsolePages {
    data_url: Url,
    client: ConsoleClient,
    built: Mutex<Arc<Built>>,
}

/// The files of one build of the console.
struct Built {
    console: Console,
    files: BTreeMap<String, StaticContent>,
    /// The page as it was shown last: an issuer's addresses hardly change.
    page: Mutex<Option<Arc<ShownPage>>>,
}

struct ShownPage {
    sign_in: SignIn,
    content: StaticContent,
    policy: String,
}

impl ConsolePages {
    /// The pages of a deployment whose data plane is at `data_url`.
    pub fn new(data_url: Url, client: ConsoleClient) -> Self {
        let built = Mutex::new(Arc::new(Built::read(&data_url)));
        Self { data_url, client, built }
    }

    fn built(&self) -> Arc<Built> {
        let mut built = self.built.lock();
        if built.console.is_outdated() {
            *built = Arc::new(Built::read(&self.data_url));
        }
        Arc::clone(&built)
    }

    /// The page for browsers, JSON for programs.
    pub(super) fn index(&self, head: &RequestHead, index: &StaticContent) -> Result<HttpResponse> {
        let mut response = if wants_page(head) { self.open(head)? } else { index.respond(head)? };
        response.headers_mut().append(VARY, HeaderValue::from_name(ACCEPT));
        Ok(response)
    }

    /// The page, at any address of the console. It alone knows whether the address leads anywhere.
    pub(super) fn open(&self, head: &RequestHead) -> Result<HttpResponse> {
        if !wants_page(head) {
            return Err(Error::new(Code::NotFound, "This is a page for browsers. The API is below /api/v2."));
        }
        let page = self.page()?;
        Ok(shown(page.content.respond(head)?, &page.policy))
    }

    /// The page at an address without a page of its own: it says so there, and leads on.
    pub(super) fn unknown(&self, head: &RequestHead, path: &str) -> Option<HttpResponse> {
        let is_below = |begin: &&str| {
            path.strip_prefix(*begin).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let has_page = wants_page(head) && !NO_PAGES.iter().any(is_below);
        let page = has_page.then(|| self.page().ok()).flatten()?;
        Some(shown(page.content.not_found(), &page.policy))
    }

    /// The file at `rest` below the path of all files.
    pub(super) fn file(&self, head: &RequestHead, rest: &str) -> Result<HttpResponse> {
        let built = self.built();
        let file = built.files.get(&format!("{}/{rest}", console::FILES));
        let file = file.ok_or_else(|| {
            Error::new(Code::NotFound, "There is no such file of the console; load its page again.")
        })?;
        Ok(for_people(file.respond(head)?, &built.page(&self.client)?.policy))
    }

    fn page(&self) -> Result<Arc<ShownPage>> {
        self.built().page(&self.client)
    }
}

impl Built {
    fn read(data_url: &Url) -> Self {
        let mut console = Console::new(data_url.clone());
        let files = std::mem::take(&mut console.files)
            .into_iter()
            .map(|(path, file)| (path, StaticContent::new(file.media_type, file.body).immutable()))
            .collect();
        Self { console, files, page: Mutex::default() }
    }

    fn page(&self, client: &ConsoleClient) -> Result<Arc<ShownPage>> {
        let sign_in = client.sign_in();
        let mut last = self.page.lock();
        if let Some(page) = last.as_ref().filter(|page| page.sign_in == sign_in) {
            return Ok(Arc::clone(page));
        }
        let ConsolePage { body, policy } = self.console.page(&sign_in).map_err(Error::internal)?;
        let content = StaticContent::new("text/html; charset=utf-8", body);
        let page = Arc::new(ShownPage { sign_in, content, policy });
        *last = Some(Arc::clone(&page));
        Ok(page)
    }
}

fn shown(response: HttpResponse, policy: &str) -> HttpResponse {
    let mut response = for_people(response, policy);
    // No page of another origin keeps a handle on the console's window.
    response.headers_mut().insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
