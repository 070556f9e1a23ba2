//! The body of a request before it is read: its headers, its bytes, and the checks that depend on no type.

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use bytes::{Bytes, BytesMut};
use domain::{Code, Error, Result};
use serde_json::Value;

use crate::contract::aside;
use crate::contract::body_stream::BodyStream;
use crate::contract::gzip::{inflate, too_large};
use crate::contract::head::RequestHead;

/// A body before anything of it is read.
pub struct RawBody {
    /// The media type as sent, parameters included; `None` if it is absent or not text.
    pub content_type: Option<String>,
    /// The content coding as sent; `None` for an unencoded body.
    pub content_encoding: Option<String>,
    /// The declared length in bytes; `None` for a chunked body.
    pub length_bytes: Option<u64>,
    /// The bytes.
    pub stream: BodyStream,
    /// The request, for a reader of actix's; `None` for a body in memory.
    pub(crate) http: Option<HttpRequest>,
}

impl RawBody {
    pub(crate) fn new(http: HttpRequest, head: &RequestHead, stream: BodyStream) -> Self {
        Self {
            content_type: head.header(CONTENT_TYPE.as_str()).map(str::to_owned),
            content_encoding: head.header(CONTENT_ENCODING.as_str()).map(str::to_owned),
            length_bytes: head.header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok()),
            stream,
            http: Some(http),
        }
    }

    /// A body in memory: JSON, or empty.
    pub(crate) fn of_json(body: Option<&Value>) -> Self {
        let json = body.map(Value::to_string).unwrap_or_default();
        Self {
            content_type: body.map(|_| "application/json".to_owned()),
            content_encoding: None,
            length_bytes: u64::try_from(json.len()).ok(),
            stream: BodyStream::of_bytes(json.into()),
            http: None,
        }
    }

    /// Reads the whole body, as it was sent.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` beyond `limit_bytes`, at once if the declared length exceeds it; [`BodyStream::next`].
    pub async fn bytes(mut self, limit_bytes: u64) -> Result<Bytes> {
        if self.length_bytes.is_some_and(|length| length > limit_bytes) {
            return Err(too_large(limit_bytes));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = self.stream.next().await {
            let chunk = chunk?;
            let total = body.len().saturating_add(chunk.len());
            if u64::try_from(total).is_ok_and(|total| total > limit_bytes) {
                return Err(too_large(limit_bytes));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// Reads the whole body and inflates it if it is compressed with gzip. The limit holds for both forms.
    ///
    /// # Errors
    /// As [`RawBody::bytes`]; `INVALID_REQUEST` if it can't be inflated; `UNSUPPORTED_MEDIA_TYPE` for another coding.
    pub async fn inflated(self, limit_bytes: u64) -> Result<Bytes> {
        let encoding = self.content_encoding.as_deref().map(str::to_ascii_lowercase);
        match encoding.as_deref() {
            None | Some("identity") => self.bytes(limit_bytes).await,
            Some("gzip" | "x-gzip") => {
                let body = self.bytes(limit_bytes).await?;
                // A few bytes can hold many.
                aside::run(move || inflate(&body, limit_bytes)).await?
            }
            Some(_) => Err(unsupported_coding("gzip")),
        }
    }

    /// Checks the media type.
    ///
    /// # Errors
    /// `UNSUPPORTED_MEDIA_TYPE` if it is not `expected`.
    pub fn require_media_type(&self, expected: &str) -> Result<()> {
        if self.media_type().as_deref() == Some(expected) { Ok(()) } else { Err(unsupported(expected)) }
    }

    /// The media type without its parameters, in lower case.
    pub(crate) fn media_type(&self) -> Option<String> {
        let essence = self.content_type.as_deref()?.split(';').next()?;
        Some(essence.trim().to_ascii_lowercase())
    }

    /// Checks that the media type is JSON, in UTF-8 and without a content coding.
    pub(crate) fn require_json(&self) -> Result<()> {
        match self.media_type() {
            Some(essence)
                if essence == "application/json"
                    || (essence.starts_with("application/") && essence.ends_with("+json")) => {}
            _ => return Err(unsupported("application/json")),
        }
        let is_utf8 = |charset: String| matches!(charset.as_str(), "utf-8" | "utf8" | "us-ascii");
        if !self.charset().is_none_or(is_utf8) {
            let message = "The body's `charset` must be `utf-8`.";
            return Err(Error::new(Code::UnsupportedMediaType, message));
        }
        self.require_unencoded()
    }

    /// The parameter `charset` of the media type, in lower case.
    fn charset(&self) -> Option<String> {
        let parameters = self.content_type.as_deref()?.split(';').skip(1);
        let mut pairs = parameters.filter_map(|parameter| parameter.split_once('='));
        let (_, charset) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
        Some(charset.trim().trim_matches('"').to_ascii_lowercase())
    }

    /// Checks that the body has no content coding.
    pub(crate) fn require_unencoded(&self) -> Result<()> {
        match self.content_encoding.as_deref() {
            None => Ok(()),
            Some(coding) if coding.trim().is_empty() || coding.trim().eq_ignore_ascii_case("identity") => {
                Ok(())
            }
            Some(_) => Err(unsupported_coding("identity")),
        }
    }
}

/// The refusal of a content coding other than `accepted`, which clients find in `Accept-Encoding`.
fn unsupported_coding(accepted: &str) -> Error {
    let message = format!("The body's `Content-Encoding` must be `{accepted}` or absent.");
    Error::new(Code::UnsupportedMediaType, message).with_detail("acceptEncoding", accepted)
}

fn unsupported(expected: &str) -> Error {
    Error::new(Code::UnsupportedMediaType, format!("The body's media type must be `{expected}`."))
}
