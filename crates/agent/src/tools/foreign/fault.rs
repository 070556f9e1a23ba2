//! The meaning of the status of a server's answer, for those who configure the server.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode};
use serde_json::json;
use tokio::time::timeout;
use url::Url;

/// Why a server can't be used, as the end of a sentence.
pub(super) type Fault = Cow<'static, str>;

/// Longest time of the question.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Longest target of a redirect, in characters.
const TARGET_MAX_CHARS: usize = 300;

/// The fault of a server with which no conversation begins: asks it once more and reads the status; `None` if that says
/// nothing.
pub(super) async fn of_status(
    client: &Client,
    url: &Url,
    headers: HashMap<HeaderName, HeaderValue>,
) -> Option<Fault> {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let request = client.post(url.clone()).headers(headers.into_iter().collect());
    let request = request.header(ACCEPT, "application/json, text/event-stream").json(&message);
    let answer = timeout(TIMEOUT, request.send()).await.ok()?.ok()?;
    of_answer(&answer, url)
}

fn of_answer(answer: &Response, url: &Url) -> Option<Fault> {
    let status = answer.status();
    if status.is_redirection() {
        let location = answer.headers().get(LOCATION).and_then(|target| target.to_str().ok());
        let Some(target) = location.and_then(|target| url.join(target).ok()) else {
            return Some(format!("it redirects ({status}), which is not followed").into());
        };
        let target: String = target.as_str().chars().take(TARGET_MAX_CHARS).collect();
        return Some(format!("it redirects to {target} ({}), which is not followed", status.as_u16()).into());
    }
    Some(match status {
        StatusCode::UNAUTHORIZED => "it wants other credentials than its headers (401)".into(),
        StatusCode::FORBIDDEN => "it forbids the access (403)".into(),
        StatusCode::NOT_FOUND => "there is no MCP server at its address (404)".into(),
        StatusCode::METHOD_NOT_ALLOWED => "its address takes no MCP messages (405)".into(),
        status if status.is_client_error() || status.is_server_error() => {
            format!("it answered with status {}", status.as_u16()).into()
        }
        _ => return None,
    })
}
