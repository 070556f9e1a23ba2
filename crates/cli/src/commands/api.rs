//! Send any request to the API.

use std::io::Read;

use bytes::BytesMut;
use client::{Client, ErrorAnswer, RequestError};
use futures_util::TryStreamExt;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;

/// A request as it was typed.
#[derive(Debug)]
pub(crate) struct ApiRequest {
    /// Path and query.
    pub(crate) path: String,
    /// Method.
    pub(crate) method: Option<String>,
    /// Body, or `@` and a file.
    pub(crate) data: Option<String>,
    /// Headers.
    pub(crate) headers: Vec<String>,
}

/// Sends the request, and prints the body of its answer as it is.
pub(crate) async fn run(client: &Client, request: ApiRequest) -> CommandResult<Exit> {
    if !request.path.starts_with('/') {
        return Err(
            CommandFailure::usage("the path must begin with /").next("For example: atelier api /api/v2/me")
        );
    }
    let body = request.data.map(|data| body(&data)).transpose()?;
    let method = match &request.method {
        Some(method) => Method::from_bytes(method.to_uppercase().as_bytes())
            .map_err(|_| CommandFailure::usage(format!("\"{method}\" is not a method")))?,
        None if body.is_some() => Method::POST,
        None => Method::GET,
    };
    let mut headers = HeaderMap::new();
    if body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for header in &request.headers {
        let (name, value) = parse_header(header).ok_or_else(|| {
            CommandFailure::usage(format!("\"{header}\" is not a header, as in \"If-Match: *\""))
        })?;
        headers.insert(name, value);
    }
    let response = match client.request(method, &request.path, headers, body.map(Into::into)).await {
        Ok(response) => response,
        Err(RequestError::Refused(answer)) => return Ok(refused(*answer)),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = response.bytes_stream();
    // A character may be cut between two chunks, a line's end is never within one.
    let mut line = BytesMut::new();
    let broken = |_| CommandFailure::new(Exit::Unreachable, "the connection broke within the answer");
    while let Some(chunk) = bytes.try_next().await.map_err(broken)? {
        let end = chunk.iter().rposition(|byte| *byte == b'\n').map(|end| line.len() + end + 1);
        line.extend_from_slice(&chunk);
        if let Some(end) = end {
            output::stream(&line.split_to(end));
        }
    }
    line.extend_from_slice(b"\n");
    output::stream(&line);
    Ok(Exit::Done)
}

/// Prints the answer of a refusal: its body as it is, and its words as a message.
fn refused(mut answer: ErrorAnswer) -> Exit {
    let mut body = std::mem::take(&mut answer.body);
    body.push(b'\n');
    // The fields of the request are its author's own words.
    let message = answer.message.clone();
    let is_absent = answer.status == 404;
    let mut failure = CommandFailure::from(RequestError::Refused(Box::new(answer)));
    failure.message = message;
    if is_absent {
        failure = failure.next("See the paths: atelier api /api/v2/openapi.json");
    }
    output::note(&failure.to_string());
    output::stream(&body);
    failure.exit
}

fn body(data: &str) -> CommandResult<Vec<u8>> {
    let failed = |error: std::io::Error| CommandFailure::io("read the body", &error);
    match data.strip_prefix('@') {
        None => Ok(data.as_bytes().to_vec()),
        Some("-") => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map_err(failed)?;
            Ok(bytes)
        }
        Some(path) => {
            std::fs::read(path).map_err(|error| CommandFailure::io(&format!("read {path}"), &error))
        }
    }
}

fn parse_header(text: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':')?;
    Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, HeaderValue::from_str(value.trim()).ok()?))
}
