//! Sends the HTTP requests of executed code: to the data plane, and to no other address.

use std::time::Duration;

use execution::CallAnswer;
use futures_util::StreamExt;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use url::Url;

/// Longest answer, in bytes.
const ANSWER_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longest time of a request.
const TIME: Duration = Duration::from_secs(120);
/// Longest time to connect to the data plane.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Headers of the connection, which code can't set.
const CONNECTION_HEADERS: [&str; 8] =
    ["host", "content-length", "connection", "transfer-encoding", "upgrade", "te", "trailer", "expect"];

/// The client of executed code.
pub(super) struct Broker(Client);

/// A request of executed code.
pub(super) struct CodeRequest {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Broker {
    pub(super) fn new() -> reqwest::Result<Self> {
        // No proxy leads to the deployment's own data plane. Code sees each answer, redirects included.
        let client = Client::builder().redirect(Policy::none()).no_proxy().referer(false);
        Ok(Self(client.timeout(TIME).connect_timeout(CONNECT_TIME).build()?))
    }

    /// Sends a request to the data plane at `base`. An error is a message for people.
    pub(super) async fn fetch(&self, base: &Url, request: CodeRequest) -> Result<CallAnswer, String> {
        let CodeRequest { method, url, headers, body } = request;
        let url = Url::parse(&url).map_err(|error| format!("{url} is no URL: {error}"))?;
        if !is_under(base, &url) {
            return Err(format!("nothing but the data plane at {base} can be reached"));
        }
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| format!("{method} is no method"))?;
        let mut sent = self.0.request(method, url).body(body);
        for (name, value) in headers {
            let name = HeaderName::try_from(&name).map_err(|_| format!("{name} is no name of a header"))?;
            let value =
                HeaderValue::try_from(value).map_err(|_| format!("{name} has a value that no header has"))?;
            if !CONNECTION_HEADERS.contains(&name.as_str()) {
                sent = sent.header(name, value);
            }
        }
        // The cause may name addresses of the deployment.
        let answered = sent.send().await.map_err(|_| "the data plane can't be reached".to_owned())?;
        let status = answered.status().as_u16();
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
        Ok(CallAnswer { status, headers, body })
    }
}

/// True if a URL is below `base`.
fn is_under(base: &Url, url: &Url) -> bool {
    let folder = base.path().trim_end_matches('/');
    let below = url.path().strip_prefix(folder);
    url.origin() == base.origin()
        && below.is_some_and(|below| below.starts_with('/'))
        && url.username().is_empty()
        && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use super::is_under;

    #[test]
    fn only_urls_below_the_base_are_reachable() {
        let is_under = |base: &str, url: &str| is_under(&base.parse().unwrap(), &url.parse().unwrap());
        for good in ["http://data:81/", "http://data:81/api/v1/file?x=http://other"] {
            assert!(is_under("http://data:81", good), "{good}");
        }
        for bad in [
            "http://data/",
            "https://data:81/",
            "http://other:81/",
            "http://data:81@other/",
            "http://user@data:81/",
            "http://data.other:81/",
            "file:///etc/passwd",
            "data:text/plain,x",
        ] {
            assert!(!is_under("http://data:81", bad), "{bad}");
        }
        assert!(is_under("http://all/data/", "http://all/data/api"));
        for bad in
            ["http://all/", "http://all/database", "http://all/data/../api", "http://all/data/%2e%2e/api"]
        {
            assert!(!is_under("http://all/data/", bad), "{bad}");
        }
    }
}
