//! HTTP callers: a service's address, a credential, and requests.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::future::IntoFuture;
use std::pin::Pin;

use reqwest::{Body, Client, Method, RequestBuilder, Response};
use serde_json::Value;

use crate::answer::Answer;

/// A client of one service, with or without a credential. Cheap to clone.
#[derive(Clone)]
pub struct Caller {
    /// The service's address.
    pub url: String,
    http: Client,
    credential: Option<String>,
}

/// The resource of a test, for requests to paths below it.
pub trait Base {
    /// The caller.
    fn caller(&self) -> &Caller;

    /// A path below the resource.
    fn at(&self, path: &str) -> String;

    /// GET.
    fn get(&self, path: &str) -> Request {
        self.caller().get(&self.at(path))
    }

    /// POST with a JSON body.
    fn post(&self, path: &str, body: Value) -> Request {
        self.caller().post(&self.at(path)).json(body)
    }

    /// PUT.
    fn put(&self, path: &str) -> Request {
        self.caller().put(&self.at(path))
    }

    /// PATCH with a JSON body.
    fn patch(&self, path: &str, body: Value) -> Request {
        self.caller().patch(&self.at(path)).json(body)
    }

    /// DELETE.
    fn delete(&self, path: &str) -> Request {
        self.caller().delete(&self.at(path))
    }
}

/// A request, sent when awaited.
pub struct Request {
    builder: RequestBuilder,
    head: bool,
}

impl Caller {
    /// Creates a caller without a credential.
    pub fn anonymous(url: &str, http: &Client) -> Self {
        Self { url: url.to_owned(), http: http.clone(), credential: None }
    }

    /// Returns the same caller with another credential.
    #[must_use]
    pub fn with(&self, credential: &str) -> Self {
        Self { credential: Some(credential.to_owned()), ..self.clone() }
    }

    /// Returns the same caller without a credential.
    #[must_use]
    pub fn without_credential(&self) -> Self {
        Self { credential: None, ..self.clone() }
    }

    /// Returns the same caller for another service.
    #[must_use]
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// The credential's text.
    pub fn credential(&self) -> &str {
        self.credential.as_deref().unwrap_or_default()
    }

    /// GET.
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    /// HEAD.
    pub fn head(&self, path: &str) -> Request {
        self.request(Method::HEAD, path)
    }

    /// POST.
    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    /// PUT.
    pub fn put(&self, path: &str) -> Request {
        self.request(Method::PUT, path)
    }

    /// PATCH.
    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, path)
    }

    /// DELETE.
    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    /// A request with any method.
    pub fn request(&self, method: Method, path: &str) -> Request {
        let head = method == Method::HEAD;
        let url = if path.starts_with('/') { format!("{}{path}", self.url) } else { path.to_owned() };
        let mut builder = self.http.request(method, url);
        if let Some(credential) = &self.credential {
            builder = builder.bearer_auth(credential);
        }
        Request { builder, head }
    }
}

impl Request {
    /// Adds a JSON body.
    #[must_use]
    pub fn json(self, body: Value) -> Self {
        let builder = self.builder.header("content-type", "application/json").body(body.to_string());
        Self { builder, ..self }
    }

    /// Adds a text as the body, with or without a media type.
    #[must_use]
    pub fn raw_body(self, content_type: Option<&str>, body: &str) -> Self {
        let builder = match content_type {
            Some(content_type) => self.builder.header("content-type", content_type),
            None => self.builder,
        };
        Self { builder: builder.body(body.to_owned()), ..self }
    }

    /// Adds a body of any type.
    #[must_use]
    pub fn body(self, content_type: &str, body: impl Into<Body>) -> Self {
        let builder = self.builder.header("content-type", content_type).body(body);
        Self { builder, ..self }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        let builder = self.builder.header(name, value);
        Self { builder, ..self }
    }

    /// Adds an `Idempotency-Key`.
    #[must_use]
    pub fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sends the request and returns when the response head arrives.
    ///
    /// # Errors
    /// Errors of the connection.
    pub async fn begin(self) -> Result<Response, reqwest::Error> {
        self.builder.send().await
    }

    /// Sends the request and reads the whole response.
    ///
    /// # Errors
    /// Errors of the connection before the response is complete.
    pub async fn try_send(self) -> Result<Answer, reqwest::Error> {
        let response = self.builder.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        let answer = Answer { status, headers, body };
        check(&answer, self.head);
        Ok(answer)
    }
}

impl IntoFuture for Request {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.try_send().await.unwrap() })
    }
}

/// Checks the rules of every response: a request id, and for failures the envelope and the headers of their status. A
/// 500 is always a bug.
pub fn check(answer: &Answer, is_head: bool) {
    let shown = String::from_utf8_lossy(&answer.body);
    assert_ne!(answer.header("x-request-id"), "", "no X-Request-Id: {} {shown}", answer.status);
    assert_ne!(answer.status, 500, "{shown}");
    if answer.status < 400 {
        return;
    }
    // MCP refuses in its own terms.
    let is_rpc = || answer.json().get("jsonrpc").is_some();
    if !is_head && !is_rpc() {
        check_envelope(answer);
        let outcome =
            answer.json().pointer("/error/details/outcome").and_then(Value::as_str).map(str::to_owned);
        let is_told = matches!(outcome.as_deref(), Some("none" | "unknown"));
        assert_eq!(is_told, answer.status == 503, "{shown}");
    }
    match answer.status {
        401 => assert!(answer.header("www-authenticate").starts_with("Bearer"), "{shown}"),
        405 => assert_ne!(answer.header("allow"), "", "{shown}"),
        429 | 503 => assert!(answer.header("retry-after").parse::<u32>().unwrap() >= 1, "{shown}"),
        _ => {}
    }
}

/// Panics unless the response is the error envelope.
pub fn check_envelope(answer: &Answer) {
    let json = answer.json();
    assert!(answer.header("content-type").starts_with("application/json"), "{json}");
    assert_eq!(json.get("success"), Some(&Value::Bool(false)), "{json}");
    let error = json.get("error").unwrap();
    let code = error.get("code").and_then(Value::as_str).unwrap();
    let upper = |c: char| c.is_ascii_uppercase() || c == '_';
    assert!(!code.is_empty() && code.chars().all(upper), "{json}");
    let message = error.get("message").and_then(Value::as_str).unwrap();
    assert!(!message.is_empty(), "{json}");
    let details = error.get("details");
    assert!(
        details.is_none_or(|details| details.as_object().is_some_and(|fields| !fields.is_empty())),
        "{json}"
    );
}
