//! Sends the HTTP requests of executed code: to the data plane, and to no other address.
//!
//! All executions of a process share its address. So each request carries a grant of its own execution, by which the data
//! plane counts it: the broker sends no other credential, adds the execution's grant to a request without one, and sends
//! nothing after the data plane has refused a grant. No header of the code's can claim another origin.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use agent::outbound;
use auth::credential::{AuthorizationSchemes, Credential};
use auth::grant::Grant;
use execution::CallAnswer;
use futures_util::StreamExt;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, StatusCode};
use url::Url;

/// Longest answer, in bytes.
const ANSWER_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most headers of a request.
const HEADERS_MAX: usize = 64;
/// Longest time of a request.
const TIME: Duration = Duration::from_secs(120);
/// Longest time to connect to the data plane.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Headers of the connection and of proxies, which code can't set.
const OMITTED_HEADERS: [&str; 14] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];

/// The HTTP client for the requests of one execution.
pub(super) struct Broker {
    client: Client,
    /// URL of the data plane.
    base: Url,
    /// The execution's own grants: the first is for requests without one, the others belong to its evaluation runs.
    grants: RefCell<Vec<String>>,
    /// True once the data plane has refused one of them.
    is_refused: Cell<bool>,
}

/// A request of executed code.
pub(super) struct CodeRequest {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// The client that the brokers of a process share.
///
/// # Errors
/// It can't be made.
pub(super) fn client() -> reqwest::Result<Client> {
    // No proxy leads to the deployment's own data plane. Code sees each answer, redirects included.
    let client = Client::builder().redirect(Policy::none()).no_proxy().referer(false);
    client.timeout(TIME).connect_timeout(CONNECT_TIME).build()
}

impl Broker {
    /// A broker for the execution that has this grant, to the data plane at `base`.
    pub(super) fn new(client: Client, base: Url, grant: &Grant) -> Self {
        let grants = RefCell::new(vec![grant.reveal().to_owned()]);
        Self { client, base, grants, is_refused: Cell::new(false) }
    }

    /// Adds the grant of an evaluation run of this execution.
    pub(super) fn add_grant(&self, grant: String) {
        self.grants.borrow_mut().push(grant);
    }

    /// Sends a request to the data plane. An error is a message for people.
    pub(super) async fn fetch(&self, request: CodeRequest) -> Result<CallAnswer, String> {
        let CodeRequest { method, url, headers, body } = request;
        let url = Url::parse(&url).map_err(|error| format!("{url} is no URL: {error}"))?;
        if !outbound::is_under(&self.base, &url) {
            return Err(format!("nothing but the data plane at {} can be reached", self.base));
        }
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| format!("{method} is no method"))?;
        let headers = self.headers(headers)?;
        if self.is_refused.get() {
            return Err("the execution's access to the data plane has ended".to_owned());
        }
        let sent = self.client.request(method, url).headers(headers).body(body);
        // The cause may name addresses of the deployment.
        let answered = sent.send().await.map_err(|_| "the data plane can't be reached".to_owned())?;
        let status = answered.status();
        if status == StatusCode::UNAUTHORIZED {
            self.is_refused.set(true);
        }
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers =
            answered.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let mut chunks = answered.bytes_stream();
        let mut body = Vec::new();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| "the answer broke off".to_owned())?;
            if body.len() + chunk.len() > ANSWER_MAX_BYTES {
                return Err(format!(
                    "the answer is larger than {ANSWER_MAX_BYTES} bytes: ask for a range of it"
                ));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(CallAnswer { status: status.as_u16(), headers, body })
    }

    /// The headers to send: those of the code, and a grant of the execution.
    fn headers(&self, headers: Vec<(String, String)>) -> Result<HeaderMap, String> {
        if headers.len() > HEADERS_MAX {
            return Err(format!("a request has at most {HEADERS_MAX} headers"));
        }
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(&name).map_err(|_| format!("{name} is no name of a header"))?;
            let value =
                HeaderValue::try_from(value).map_err(|_| format!("{name} has a value that no header has"))?;
            if !OMITTED_HEADERS.contains(&name.as_str()) {
                sent.append(name, value);
            }
        }
        let presented = sent.get_all(AUTHORIZATION).into_iter().map(HeaderValue::as_bytes);
        let presented = Credential::from_authorization(presented, AuthorizationSchemes::BearerAndBasic);
        let grants = self.grants.borrow();
        match presented {
            Ok(Some(presented)) if grants.iter().any(|own| own == presented.reveal()) => {}
            Ok(None) => {
                let own = grants.first().map(|own| format!("Bearer {own}")).unwrap_or_default();
                let mut own = HeaderValue::try_from(own).map_err(|_| "the grant can't be sent".to_owned())?;
                own.set_sensitive(true);
                sent.insert(AUTHORIZATION, own);
            }
            _ => return Err("only grants of this execution can be sent".to_owned()),
        }
        Ok(sent)
    }
}
