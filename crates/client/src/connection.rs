//! The client, and the way of every request: its turn, its credential, its repeats.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use api::operation::Plane;
use backon::Retryable;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, Stream};
use futures_util::{FutureExt, StreamExt};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::address::joined;
use crate::bandwidth::Bandwidth;
use crate::error::{ErrorAnswer, RequestError, RequestResult};
use crate::pace::Pacer;
use crate::retry::{Repeat, RetryPolicy, delay, may_repeat};

/// Time that every request to the data service has.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(120);
/// Slowest connection that is waited for, in bytes a second.
const SLOWEST: u64 = 16 * 1024;
/// Longest time to establish a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest error body that is read, in bytes.
const ERROR_MAX_BYTES: usize = 1024 * 1024;

/// A client of one deployment, with one credential. Cheap to clone; clones share connections and pace.
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
    retry: RetryPolicy,
    bandwidth: Option<Bandwidth>,
}

#[derive(Debug)]
struct Shared {
    url: Url,
    key: Option<SecretString>,
    http: reqwest::Client,
    control: Pacer,
    data: Pacer,
    backpressure: AtomicU64,
}

/// Settings of a client.
#[derive(Debug)]
pub struct ClientBuilder {
    url: Url,
    key: Option<SecretString>,
    retry: RetryPolicy,
    user_agent: String,
}

impl ClientBuilder {
    /// The API key, or a browser token.
    #[must_use]
    pub fn key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The limits of repeats.
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// The program that the service's logs name.
    #[must_use]
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Makes the client. Nothing is sent.
    ///
    /// # Errors
    /// `Unexpected` if the system's certificates can't be read.
    pub fn build(self) -> RequestResult<Client> {
        let Self { url, key, retry, user_agent } = self;
        let http = reqwest::Client::builder()
            .user_agent(user_agent)
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| RequestError::Unexpected { host: host(&url), cause: cause(&error) })?;
        let (control, data, backpressure) = (Pacer::default(), Pacer::default(), AtomicU64::new(0));
        let shared = Arc::new(Shared { url, key, http, control, data, backpressure });
        Ok(Client { shared, retry, bandwidth: None })
    }
}

impl Client {
    /// The settings of a client of the control service at `url`.
    pub fn builder(url: Url) -> ClientBuilder {
        let user_agent = concat!("atelier-client/", env!("CARGO_PKG_VERSION")).to_owned();
        ClientBuilder { url, key: None, retry: RetryPolicy::default(), user_agent }
    }

    /// The same client with other limits of repeats.
    #[must_use]
    pub fn with_retry(&self, retry: RetryPolicy) -> Self {
        Self { retry, ..self.clone() }
    }

    /// The same client with a limit of the bytes that its uploads and downloads move in a second.
    #[must_use]
    pub fn with_bandwidth(&self, bandwidth: Bandwidth) -> Self {
        Self { bandwidth: Some(bandwidth), ..self.clone() }
    }

    /// The chunks of a file at the pace of this client's bandwidth.
    pub(crate) fn paced<E: Send + 'static>(
        &self,
        chunks: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> BoxStream<'static, Result<Bytes, E>> {
        match self.bandwidth.clone() {
            Some(bandwidth) => bandwidth.paced(chunks),
            None => chunks.boxed(),
        }
    }

    /// The time that a request with this number of bytes has.
    pub(crate) fn time_for(&self, size_bytes: u64) -> Duration {
        let slowest = self.bandwidth.as_ref().map_or(SLOWEST, |bandwidth| bandwidth.share().min(SLOWEST));
        TRANSFER_TIMEOUT + Duration::from_secs(size_bytes / slowest)
    }

    /// The address of the control service.
    pub fn url(&self) -> &Url {
        &self.shared.url
    }

    /// Number of answers so far by which the service asked for fewer requests. Senders in parallel slow down when it
    /// grows.
    pub fn backpressure(&self) -> u64 {
        self.shared.backpressure.load(Ordering::Relaxed)
    }

    /// Sends any request to the control service, for operations that have no method here.
    ///
    /// # Errors
    /// Those of every request; `Path` for a path that leads to another host. Nothing is sent then.
    pub async fn request(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> RequestResult<Response> {
        let url = joined(&self.shared.url, path)?;
        let repeat = repeat_of(&method, &headers);
        self.send(Plane::Control, repeat, || {
            let mut request = self.authorized(method.clone(), url.clone()).headers(headers.clone());
            if let Some(body) = body.clone() {
                request = request.body(body);
            }
            std::future::ready(Ok(request)).boxed()
        })
        .await
    }

    /// A request to the control service with this client's credential.
    pub(crate) fn authorized(&self, method: Method, url: Url) -> RequestBuilder {
        let request = self.shared.http.request(method, url);
        match &self.shared.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
        }
    }

    /// A request with another credential.
    pub(crate) fn with_grant(&self, method: Method, url: Url, grant: &SecretString) -> RequestBuilder {
        self.shared.http.request(method, url).bearer_auth(grant.expose_secret())
    }

    /// Sends a request, built again for each attempt, until it succeeds or a repeat can't help.
    pub(crate) async fn send<'a>(
        &'a self,
        plane: Plane,
        repeat: Repeat,
        build: impl Fn() -> BoxFuture<'a, RequestResult<RequestBuilder>> + Send + Sync + 'a,
    ) -> RequestResult<Response> {
        let failures = AtomicUsize::new(0);
        let attempt = || async {
            self.pacer(plane).turn().await;
            let answered = self.attempt(plane, build().await?).await;
            if answered.as_ref().is_err_and(|error| error.answer().is_some_and(|a| a.status == 500)) {
                failures.fetch_add(1, Ordering::Relaxed);
            }
            answered
        };
        attempt
            .retry(self.retry.backoff())
            .sleep(tokio::time::sleep)
            .when(|error| may_repeat(error, repeat, failures.load(Ordering::Relaxed)))
            .adjust(delay)
            .await
    }

    /// Sends one request. Every status from 400 on is an error; the body is read for it.
    async fn attempt(&self, plane: Plane, request: RequestBuilder) -> RequestResult<Response> {
        let answer = request.send().await.map_err(|error| failure(&self.shared.url, &error))?;
        self.pacer(plane).learn(answer.headers());
        let status = answer.status();
        if !status.is_client_error() && !status.is_server_error() {
            return Ok(answer);
        }
        let headers = answer.headers().clone();
        let body = beginning(answer).await;
        let mut refused = ErrorAnswer::of_body(status.as_u16(), &body);
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        refused.request_id = text("x-request-id").map(str::to_owned);
        refused.retry_after = text(RETRY_AFTER.as_str()).and_then(seconds);
        if matches!(refused.status, 429 | 503) {
            self.shared.backpressure.fetch_add(1, Ordering::Relaxed);
            self.pacer(plane).hold(refused.retry_after.unwrap_or_default());
        }
        Err(RequestError::Refused(Box::new(refused)))
    }

    pub(crate) fn unexpected(&self, cause: &dyn std::fmt::Display) -> RequestError {
        RequestError::Unexpected { host: host(&self.shared.url), cause: cause.to_string() }
    }

    pub(crate) fn interrupted(&self, cause: &dyn std::fmt::Display) -> RequestError {
        RequestError::Interrupted { host: host(&self.shared.url), cause: cause.to_string() }
    }

    fn pacer(&self, plane: Plane) -> &Pacer {
        match plane {
            Plane::Control => &self.shared.control,
            Plane::Data => &self.shared.data,
        }
    }
}

/// The failure of a request without an answer. A local file's failure passes through the body that reads it.
pub(crate) fn failure(url: &Url, error: &reqwest::Error) -> RequestError {
    let mut inner = error.source();
    while let Some(source) = inner {
        if let Some(own) = source.downcast_ref::<std::io::Error>().and_then(crate::body::failure_within) {
            return own;
        }
        inner = source.source();
    }
    let host = error.url().map_or_else(|| host(url), host);
    let cause = cause(error);
    if error.is_connect() || error.is_builder() {
        RequestError::Unreachable { host, cause }
    } else if error.is_decode() {
        RequestError::Unexpected { host, cause }
    } else {
        RequestError::Interrupted { host, cause }
    }
}

/// The effect of a repeat. Only creations take idempotency keys: a key makes no PATCH safe.
fn repeat_of(method: &Method, headers: &HeaderMap) -> Repeat {
    match *method {
        Method::POST if headers.contains_key("idempotency-key") => Repeat::Safe,
        Method::POST | Method::PATCH => Repeat::Unsafe,
        _ => Repeat::Safe,
    }
}

/// The first bytes of an error's body. What breaks after them changes nothing: the status is known.
async fn beginning(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        let room = ERROR_MAX_BYTES - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if body.len() >= ERROR_MAX_BYTES {
            break;
        }
    }
    body
}

fn host(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", url.host_str().unwrap_or_default())
}

/// The innermost cause, which says most, without the address.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// `Retry-After` in seconds. The service sends no dates.
fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use reqwest::Method;
    use reqwest::header::{HeaderMap, HeaderValue};

    use super::{Client, ERROR_MAX_BYTES, repeat_of};
    use crate::error::RequestError;
    use crate::retry::{Repeat, RetryPolicy};

    #[test]
    fn a_key_makes_a_creation_safe_to_repeat_and_nothing_else() {
        let keyed = HeaderMap::from_iter([(
            reqwest::header::HeaderName::from_static("idempotency-key"),
            HeaderValue::from_static("k"),
        )]);
        assert_eq!(repeat_of(&Method::POST, &keyed), Repeat::Safe);
        assert_eq!(repeat_of(&Method::POST, &HeaderMap::new()), Repeat::Unsafe);
        assert_eq!(repeat_of(&Method::PATCH, &keyed), Repeat::Unsafe);
        assert_eq!(repeat_of(&Method::PUT, &HeaderMap::new()), Repeat::Safe);
    }

    #[tokio::test]
    async fn an_error_without_an_end_is_read_in_part() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 418 Teapot\r\n\r\n").unwrap();
            let mut sent = 0;
            while stream.write_all(&[b'x'; 65_536]).is_ok() {
                sent += 65_536;
            }
            sent
        });
        let client = Client::builder(url.parse().unwrap()).retry(RetryPolicy::never()).build().unwrap();
        let failed = client.request(Method::GET, "/", HeaderMap::new(), None).await.unwrap_err();
        assert!(matches!(failed, RequestError::Refused(answer) if answer.status == 418));
        // More is in the buffers of the sockets.
        let sent = tokio::task::spawn_blocking(|| server.join().unwrap()).await.unwrap();
        assert!(sent < 64 * ERROR_MAX_BYTES, "{sent}");
    }

    #[test]
    fn a_key_is_not_in_debug_output() {
        let builder = Client::builder("http://localhost".parse().unwrap()).key("svc_ak_live_secret");
        assert!(!format!("{builder:?}").contains("secret"));
        assert!(!format!("{:?}", builder.build().unwrap()).contains("secret"));
    }
}
