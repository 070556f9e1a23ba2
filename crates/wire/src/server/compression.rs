//! Compression of answers for clients that accept Brotli or gzip. Answers with secrets are sent as they are: their length must not
//! depend on text that somebody else chose. So are streams and files.

use std::io::{self, Write};

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderValue, VARY};
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::contract::head::RequestHead;
use crate::contract::kept::{Coding, Packed};

/// Smallest body that is compressed: a smaller one fits into a packet anyway.
const LEAST_BYTES: u64 = 1_024;
/// Media types that compress well.
const MEDIA_TYPES: [&str; 8] = [
    "application/json",
    "application/x-ndjson",
    "image/svg+xml",
    "text/calendar",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
];

/// The quality of Brotli. It takes little longer than gzip by default, and leaves less; the next one takes twice as long.
const BROTLI_QUALITY: i32 = 4;

/// The response, compressed if the client accepts that.
pub(crate) async fn compressed(head: &RequestHead, mut response: HttpResponse) -> HttpResponse {
    if !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    let is_large = matches!(response.body().size(), BodySize::Sized(bytes) if bytes >= LEAST_BYTES);
    let Some(coding) = Coding::accepted(head).filter(|_| is_large) else { return response };
    let kept = response.extensions().get::<Packed>().cloned();
    let (mut response, body) = response.into_parts();
    let plain = match body.try_into_bytes() {
        Ok(bytes) => bytes,
        Err(body) => return response.set_body(body),
    };
    let Ok(packed) = packed(coding, &plain, kept).await else {
        return response.set_body(BoxBody::new(plain));
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    // A strong tag stands for the bytes, and these are others.
    let weak = headers.get(ETAG).and_then(|tag| weakened(tag.to_str().ok()?));
    if let Some(weak) = weak {
        headers.insert(ETAG, weak);
    }
    response.set_body(BoxBody::new(packed))
}

/// The body by a coding: kept with it, or packed on a thread of its own.
async fn packed(coding: Coding, plain: &Bytes, kept: Option<Packed>) -> io::Result<Bytes> {
    if let Some(packed) = kept.as_ref().and_then(|kept| kept.form(coding).get()) {
        return Ok(packed.clone());
    }
    let bytes = plain.clone();
    let level = match &kept {
        Some(kept) if kept.is_static() => Compression::best(),
        _ => Compression::default(),
    };
    let packed = actix_web::rt::task::spawn_blocking(move || coding.pack(&bytes, level)).await??;
    if let Some(kept) = kept {
        // Another request may have been quicker.
        let _kept = kept.form(coding).set(packed.clone());
    }
    Ok(packed)
}

fn is_compressible(response: &HttpResponse) -> bool {
    let headers = response.headers();
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES.contains(&media_type) && !headers.contains_key(CONTENT_ENCODING)
}

impl Coding {
    /// The coding of smaller answers among those that a client accepts: by name, or all, with a weight above zero.
    fn accepted(head: &RequestHead) -> Option<Self> {
        let values = head.all(ACCEPT_ENCODING.as_str()).filter_map(|value| value.to_str().ok());
        let codings = values.flat_map(|value| value.split(',')).map(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts.find_map(|part| part.strip_prefix("q=")).and_then(|q| q.parse::<f32>().ok());
            (name, weight.unwrap_or(1.0) > 0.0)
        });
        let codings: Vec<(String, bool)> = codings.collect();
        let accepts =
            |name: &str| codings.iter().find(|(coding, _)| coding == name).map(|(_, is_taken)| *is_taken);
        // A client that takes everything may be an old one: it gets what all know.
        let gzip = accepts("gzip").or_else(|| accepts("x-gzip")).or_else(|| accepts("*"));
        match (accepts("br"), gzip) {
            (Some(true), _) => Some(Self::Brotli),
            (_, Some(true)) => Some(Self::Gzip),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The bytes in this coding. `level` is gzip's.
    fn pack(self, bytes: &Bytes, level: Compression) -> io::Result<Bytes> {
        match self {
            Self::Brotli => {
                let mut packed = Vec::new();
                let params =
                    BrotliEncoderParams { quality: BROTLI_QUALITY, ..BrotliEncoderParams::default() };
                brotli::BrotliCompress(&mut bytes.as_ref(), &mut packed, &params)?;
                Ok(packed.into())
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes)?;
                encoder.finish().map(Bytes::from)
            }
        }
    }
}

fn weakened(tag: &str) -> Option<HeaderValue> {
    if tag.starts_with("W/") { None } else { HeaderValue::from_str(&format!("W/{tag}")).ok() }
}
