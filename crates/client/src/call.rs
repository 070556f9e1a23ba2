//! One call of an operation, before it is sent: its headers, its parameters, its body.

use std::fmt::Display;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::time::Duration;

use api::operation::{Declaration, Effect, JsonBody, Operation, OptionalBody};
use bytes::Bytes;
use domain::time::Timestamp;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::address::joined;
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::retry::Repeat;
use crate::service::Service;

/// Characters that stay as they are in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Longest time for a small answer.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A call of an operation with the parameters `Q`, which answers `A`. `.await` sends it and yields the body;
/// [`Call::send`] also its headers.
#[must_use = "a call is sent by `.await` or `send`"]
#[derive(Debug)]
pub struct Call<A, Q> {
    client: Client,
    operation: Declaration,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Option<Bytes>,
    /// A request that can't be made, for example for a header with a line break.
    invalid: Option<String>,
    types: PhantomData<fn(Q) -> A>,
}

/// The answer to a call.
#[derive(Clone, Debug)]
pub struct Answer<A> {
    /// The body.
    pub value: A,
    /// The entity tag, quoted as it was sent.
    pub etag: Option<String>,
    /// The service's time.
    pub date: Option<Timestamp>,
    /// True for the remembered answer of an earlier request with the same idempotency key.
    pub is_replayed: bool,
}

impl Client {
    /// Calls an operation of the control plane without a body: `client.call(GetProject, project)`. Bodies that only
    /// state a card's history head are left out so, because [`Call::if_match`] states it, too.
    pub fn call<O>(&self, _: O, path: impl Into<O::Path>) -> Call<O::Answer, O::Query>
    where
        O: Operation<Body: OptionalBody>,
    {
        Call::new(self, O::DECLARATION, &path.into())
    }

    /// Calls an operation of the control plane with a body.
    pub fn call_with<O>(
        &self,
        _: O,
        path: impl Into<O::Path>,
        body: &<O::Body as JsonBody>::Value,
    ) -> Call<O::Answer, O::Query>
    where
        O: Operation<Body: JsonBody>,
    {
        Call::new(self, O::DECLARATION, &path.into()).json(body)
    }
}

impl<A, Q> Call<A, Q> {
    fn new(client: &Client, operation: Declaration, path: &impl Serialize) -> Self {
        let path = filled_path(operation.path, path);
        let mut call = Self {
            client: client.clone(),
            operation,
            invalid: path.is_none().then(|| "the path lacks a parameter".to_owned()),
            path: path.unwrap_or_default(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: None,
            types: PhantomData,
        };
        // Every attempt has the same key.
        if operation.takes_key() {
            call = call.idempotency_key(&Uuid::new_v4().to_string());
        }
        call
    }

    /// The key that makes repeats safe, in place of a random one.
    pub fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// The entity tag that the resource must have.
    pub fn if_match(self, etag: &str) -> Self {
        self.header("if-match", etag)
    }

    /// A header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => drop(self.headers.insert(HeaderName::from_static(name), value)),
            Err(_) => self.invalid = Some(format!("{name} has a character that no header takes")),
        }
        self
    }

    /// Adds parameters to the query.
    pub(crate) fn parameters(mut self, parameters: &(impl Serialize + ?Sized)) -> Self {
        match serde_html_form::to_string(parameters) {
            Ok(text) if text.is_empty() => {}
            Ok(text) if self.query.is_empty() => self.query = text,
            Ok(text) => self.query = format!("{}&{text}", self.query),
            Err(error) => self.invalid = Some(error.to_string()),
        }
        self
    }

    /// The body, as JSON.
    pub(crate) fn json<B: Serialize + ?Sized>(mut self, body: &B) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => {
                self.body = Some(body.into());
                self.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
            Err(error) => self.invalid = Some(error.to_string()),
        }
        self
    }

    /// Sends the call; the answer's body is not read yet.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn response(&self) -> RequestResult<Response> {
        self.response_within(None).await
    }

    async fn response_within(&self, timeout: Option<Duration>) -> RequestResult<Response> {
        if let Some(invalid) = &self.invalid {
            return Err(self.client.unexpected(invalid));
        }
        let method = Method::from_bytes(self.operation.method.as_str().as_bytes()).unwrap_or_default();
        let mut url = joined(self.client.url(), &self.path)?;
        url.set_query((!self.query.is_empty()).then_some(&self.query));
        self.client
            .send(Service::Control, repeat_of(self.operation.effect), || {
                let request = self.client.authorized(method.clone(), url.clone());
                let mut request = request.headers(self.headers.clone());
                if let Some(body) = self.body.clone() {
                    request = request.body(body);
                }
                if let Some(timeout) = timeout {
                    request = request.timeout(timeout);
                }
                std::future::ready(Ok(request)).boxed()
            })
            .await
    }
}

impl<A, Q> Clone for Call<A, Q> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            operation: self.operation,
            path: self.path.clone(),
            query: self.query.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            invalid: self.invalid.clone(),
            types: PhantomData,
        }
    }
}

impl<A, Q: Serialize> Call<A, Q> {
    /// The parameters of the query.
    pub fn query(self, query: &Q) -> Self {
        self.parameters(query)
    }
}

impl<A: DeserializeOwned, Q> Call<A, Q> {
    /// Sends the call.
    ///
    /// # Errors
    /// Those of every request; `Unexpected` for another body than the operation's.
    pub async fn send(&self) -> RequestResult<Answer<A>> {
        let response = self.response_within(Some(TIMEOUT)).await?;
        let headers = response.headers().clone();
        let body = response.bytes().await.map_err(|error| failure(self.client.url(), &error))?;
        let value = serde_json::from_slice(&body).map_err(|error| self.unexpected(&error))?;
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        Ok(Answer {
            value,
            etag: text(ETAG).map(str::to_owned),
            date: text(DATE).and_then(date),
            is_replayed: headers.contains_key("idempotency-replayed"),
        })
    }

    fn unexpected(&self, error: &dyn Display) -> RequestError {
        self.client.unexpected(&format!("{} answered another body: {error}", self.operation.id))
    }
}

impl<A: DeserializeOwned + 'static, Q: 'static> IntoFuture for Call<A, Q> {
    type Output = RequestResult<A>;
    type IntoFuture = BoxFuture<'static, RequestResult<A>>;

    fn into_future(self) -> Self::IntoFuture {
        async move { self.send().await.map(|answer| answer.value) }.boxed()
    }
}

/// The time of an HTTP date.
pub(crate) fn date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    Timestamp::from_unix_seconds(i64::try_from(seconds).ok()?)
}

/// Encodes a segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// Fills a path; `None` if a parameter is missing.
fn filled_path(template: &str, parameters: &impl Serialize) -> Option<String> {
    let parameters = serde_json::to_value(parameters).ok()?;
    let filled = template.split('/').map(|part| {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => Some(segment(parameters.get(name)?.as_str()?)),
            None => Some(part.to_owned()),
        }
    });
    Some(filled.collect::<Option<Vec<String>>>()?.join("/"))
}

/// The effect of a repeat. Keys make repeats of creations safe.
fn repeat_of(effect: Effect) -> Repeat {
    match effect {
        Effect::Reads | Effect::Idempotent | Effect::Creates => Repeat::Safe,
        Effect::Changes => Repeat::Unsafe,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{date, filled_path};

    #[test]
    fn a_path_is_filled_by_names_and_encoded() {
        let path = "/projects/{projectId}/branches/{branch}";
        let filled = filled_path(path, &json!({ "branch": "feature/é", "projectId": "p" }));
        assert_eq!(filled.as_deref(), Some("/projects/p/branches/feature%2F%C3%A9"));
        assert_eq!(filled_path(path, &json!({ "projectId": "p" })), None);
    }

    #[test]
    fn the_services_date_is_read() {
        let read = date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(read.to_string(), "1994-11-06T08:49:37.000Z");
        assert_eq!(date("yesterday"), None);
    }
}
