//! Compression of answers for clients that accept gzip. Answers with secrets are sent as they are: their length must not
//! depend on text that somebody else chose. So are streams and files.

use std::io::{self, Write};

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::contract::head::RequestHead;

/// Smallest body that is compressed: a smaller one fits into a packet anyway.
const LEAST_BYTES: u64 = 1_024;
/// Media types that compress well.
const MEDIA_TYPES: [&str; 7] = [
    "application/json",
    "application/x-ndjson",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
];

/// The response, compressed if the client accepts that.
pub(crate) async fn compressed(head: &RequestHead, mut response: HttpResponse) -> HttpResponse {
    if !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    let is_large = matches!(response.body().size(), BodySize::Sized(bytes) if bytes >= LEAST_BYTES);
    if !is_large || !accepts_gzip(head) {
        return response;
    }
    let (mut response, body) = response.into_parts();
    let plain = match body.try_into_bytes() {
        Ok(bytes) => bytes,
        Err(body) => return response.set_body(body),
    };
    let bytes = plain.clone();
    let packed = actix_web::rt::task::spawn_blocking(move || gzip(&bytes)).await;
    let Ok(Ok(packed)) = packed else { return response.set_body(BoxBody::new(plain)) };
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    // A strong tag stands for the bytes, and these are others.
    let weak = headers.get(ETAG).and_then(|tag| weakened(tag.to_str().ok()?));
    if let Some(weak) = weak {
        headers.insert(ETAG, weak);
    }
    response.set_body(BoxBody::new(packed))
}

fn is_compressible(response: &HttpResponse) -> bool {
    let headers = response.headers();
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES.contains(&media_type) && !headers.contains_key(CONTENT_ENCODING)
}

/// True if `Accept-Encoding` has gzip, or everything, with a weight above zero.
fn accepts_gzip(head: &RequestHead) -> bool {
    let values = head.all(ACCEPT_ENCODING.as_str()).filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(',')).map(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix("q=")).and_then(|q| q.parse::<f32>().ok());
        (name, weight.unwrap_or(1.0))
    });
    codings.any(|(name, weight)| matches!(name.as_str(), "gzip" | "x-gzip" | "*") && weight > 0.0)
}

fn weakened(tag: &str) -> Option<HeaderValue> {
    if tag.starts_with("W/") { None } else { HeaderValue::from_str(&format!("W/{tag}")).ok() }
}

fn gzip(bytes: &Bytes) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish().map(Bytes::from)
}
