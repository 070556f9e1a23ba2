//! One call of an operation, before it is sent: its headers, its parameters, its body.

use std::fmt::Display;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::time::Duration;

use api::operation::{Declaration, Effect, JsonBody, Operation, OptionalBody, Plane};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;
use uuid::Uuid;

use crate::address::joined;
use crate::answer::{Answer, date};
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::grant::Grant;
use crate::retry::Repeat;
use crate::session::Session;

/// Longest time for a small answer.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A call of an operation with the parameters `Q`, which answers `A`. `.await` sends it and yields the body;
/// [`Call::send`] also its headers.
#[must_use = "a call is sent by `.await` or `send`"]
#[derive(Debug)]
pub struct Call<A, Q> {
    client: Client,
    /// The session whose grant opens the data plane, for an operation of that plane.
    session: Option<Session>,
    operation: Declaration,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Option<Bytes>,
    /// A request that can't be made, for example for a header with a line break.
    invalid: Option<String>,
    types: PhantomData<fn(Q) -> A>,
}

impl Client {
    /// Calls an operation of the control plane without a body: `client.call(GetProject, project)`. Bodies that only
    /// state a card's history head are left out so, because [`Call::if_match`] states it, too.
    pub fn call<O>(&self, _: O, path: impl Into<O::Path>) -> Call<O::Answer, O::Query>
    where
        O: Operation<Body: OptionalBody>,
    {
        const { assert!(matches!(O::DECLARATION.plane(), Plane::Control), "call it through a session") };
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
        const { assert!(matches!(O::DECLARATION.plane(), Plane::Control), "call it through a session") };
        Call::new(self, O::DECLARATION, &path.into()).json(body)
    }
}

impl Session {
    /// Calls an operation of the data plane without a body, with the session's grant.
    pub fn call<O>(&self, _: O, path: impl Into<O::Path>) -> Call<O::Answer, O::Query>
    where
        O: Operation<Body: OptionalBody>,
    {
        const { assert!(matches!(O::DECLARATION.plane(), Plane::Data), "call it through a client") };
        let call = Call::new(self.client(), O::DECLARATION, &path.into());
        Call { session: Some(self.clone()), ..call }
    }
}

impl<A, Q> Call<A, Q> {
    fn new(client: &Client, operation: Declaration, path: &impl Serialize) -> Self {
        let path = operation.path_with(path);
        let mut call = Self {
            client: client.clone(),
            session: None,
            operation,
            invalid: path.contains('{').then(|| "the path lacks a parameter".to_owned()),
            path,
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
        let repeat = repeat_of(self.operation.effect);
        let complete = |request: RequestBuilder| {
            let mut request = request.headers(self.headers.clone());
            if let Some(body) = self.body.clone() {
                request = request.body(body);
            }
            if let Some(timeout) = timeout {
                request = request.timeout(timeout);
            }
            request
        };
        if let Some(session) = &self.session {
            let build = |grant: &Grant| {
                let url = self.address(&grant.url)?;
                Ok(complete(self.client.with_grant(method.clone(), url, &grant.token)))
            };
            return session.send(repeat, build).await;
        }
        let url = self.address(self.client.url())?;
        let build = || {
            let request = complete(self.client.authorized(method.clone(), url.clone()));
            std::future::ready(Ok(request)).boxed()
        };
        self.client.send(Plane::Control, repeat, build).await
    }

    /// Its address below that of its service.
    fn address(&self, base: &Url) -> RequestResult<Url> {
        let mut url = joined(base, &self.path)?;
        url.set_query((!self.query.is_empty()).then_some(&self.query));
        Ok(url)
    }
}

impl<A, Q> Clone for Call<A, Q> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            session: self.session.clone(),
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

/// The effect of a repeat. Keys make repeats of creations safe.
fn repeat_of(effect: Effect) -> Repeat {
    match effect {
        Effect::Reads | Effect::Idempotent | Effect::Creates => Repeat::Safe,
        Effect::Changes => Repeat::Unsafe,
    }
}
