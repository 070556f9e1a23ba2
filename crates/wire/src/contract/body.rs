//! The bodies that operations accept; the type of a handler's argument chooses one.

use std::marker::PhantomData;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use bytes::{Bytes, BytesMut};
use domain::{Code, Error, Result, Rule};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::contract::aside;
use crate::contract::body_stream::BodyStream;
use crate::contract::gzip::{inflate, too_large};
use crate::contract::head::RequestHead;
use crate::contract::schemas::Schemas;
use crate::contract::syntax;

/// Default limit of a JSON body, in bytes.
const JSON_LIMIT_BYTES: u64 = 1024 * 1024;
/// Most bytes read of a body that should be absent, to distinguish `{}` from content.
const NO_BODY_LIMIT_BYTES: u64 = 64;

/// The media type of a piece of a resumable upload.
const OFFSET_BYTES: &str = "application/offset+octet-stream";
/// The same by the IETF's draft of resumable uploads.
const PARTIAL_UPLOAD: &str = "application/partial-upload";

/// A type of body.
pub trait RequestBody: Sized + 'static {
    /// Reads the body of a request, after credential and scope are checked. A body that is read whole also stays in
    /// `text`, for [`RequestBody::broken_rules`].
    ///
    /// # Errors
    /// `INVALID_REQUEST`, `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, `REQUEST_TIMEOUT`.
    fn read(raw: RawBody, text: &mut Bytes) -> impl Future<Output = Result<Self>>;

    /// The rules that a body breaks that is still unread, where the request is refused for another part.
    fn refuse_unread(self) -> impl Future<Output = Option<Error>> {
        async { None }
    }

    /// The rules of its schema that a body breaks, beside the one for which its handler refused it.
    fn broken_rules(_text: Bytes) -> impl Future<Output = Option<Error>> {
        async { None }
    }

    /// The `requestBody` of the OpenAPI operation; `None` if the operation accepts no body.
    fn describe(schemas: &mut Schemas) -> Option<Value>;
}

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
}

/// The absent body. `{}` is accepted from clients that send it with every request. Anything else is refused, as
/// unknown fields are: the client expects an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBody;

/// A JSON body of at most `LIMIT_BYTES`. `T` has `deny_unknown_fields`, so an unknown field is a 400 that names it.
///
/// `Option<Json<T>>` is an optional body.
#[derive(Clone, Debug)]
pub struct Json<T, const LIMIT_BYTES: u64 = JSON_LIMIT_BYTES>(pub T);

/// A JSON body whose limit is a setting of the service, so the handler reads it, as its first step.
pub struct UnreadJson<T> {
    raw: RawBody,
    value: PhantomData<fn() -> T>,
}

/// A file upload: `multipart/form-data` with one to `MAX_FILES` parts named `file`, unread.
pub struct Upload<const MAX_FILES: usize = 1> {
    /// The whole `Content-Type`, boundary included.
    pub content_type: String,
    /// The declared length in bytes; `None` for a chunked body.
    pub length_bytes: Option<u64>,
    /// The bytes.
    pub stream: BodyStream,
}

/// A piece of a resumable upload: `application/offset+octet-stream` or `application/partial-upload`, unread.
///
/// `Option<OffsetBytes>` is for operations that can begin an upload without a first piece.
pub struct OffsetBytes {
    /// The declared length in bytes; `None` for a chunked body.
    pub length_bytes: Option<u64>,
    /// The bytes.
    pub stream: BodyStream,
}

impl RawBody {
    pub(crate) fn new(head: &RequestHead, stream: BodyStream) -> Self {
        Self {
            content_type: head.header(CONTENT_TYPE.as_str()).map(str::to_owned),
            content_encoding: head.header(CONTENT_ENCODING.as_str()).map(str::to_owned),
            length_bytes: head.header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok()),
            stream,
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
    fn media_type(&self) -> Option<String> {
        let essence = self.content_type.as_deref()?.split(';').next()?;
        Some(essence.trim().to_ascii_lowercase())
    }

    /// Checks that the media type is JSON, in UTF-8 and without a content coding.
    fn require_json(&self) -> Result<()> {
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
    fn require_unencoded(&self) -> Result<()> {
        match self.content_encoding.as_deref() {
            None => Ok(()),
            Some(coding) if coding.trim().is_empty() || coding.trim().eq_ignore_ascii_case("identity") => {
                Ok(())
            }
            Some(_) => Err(unsupported_coding("identity")),
        }
    }
}

impl RequestBody for NoBody {
    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        let refused = || Error::invalid("", Rule::Unknown, "must be absent: this operation takes no body");
        let body = match raw.bytes(NO_BODY_LIMIT_BYTES).await {
            Err(error) if error.code == Code::PayloadTooLarge => return Err(refused()),
            body => body?,
        };
        let is_empty = body.iter().all(u8::is_ascii_whitespace) || is_empty_object(&body);
        if is_empty { Ok(Self) } else { Err(refused()) }
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        None
    }
}

impl<T, const LIMIT_BYTES: u64> RequestBody for Json<T, LIMIT_BYTES>
where
    T: DeserializeOwned + JsonSchema + Send + 'static,
{
    async fn read(raw: RawBody, text: &mut Bytes) -> Result<Self> {
        raw.require_json()?;
        let body = raw.bytes(LIMIT_BYTES).await?;
        *text = body.clone();
        read_json(body).await.map(Self)
    }

    async fn broken_rules(text: Bytes) -> Option<Error> {
        search_broken_rules::<T>(text).await
    }

    fn describe(schemas: &mut Schemas) -> Option<Value> {
        Some(json_body::<T>(schemas, true))
    }
}

impl<T, const LIMIT_BYTES: u64> RequestBody for Option<Json<T, LIMIT_BYTES>>
where
    T: DeserializeOwned + JsonSchema + Send + 'static,
{
    async fn read(raw: RawBody, text: &mut Bytes) -> Result<Self> {
        let (is_json, is_untyped) = (raw.require_json(), raw.content_type.is_none());
        let body = raw.bytes(LIMIT_BYTES).await?;
        if body.iter().all(u8::is_ascii_whitespace) || is_untyped && is_empty_object(&body) {
            return Ok(None);
        }
        is_json?;
        *text = body.clone();
        read_json(body).await.map(|value| Some(Json(value)))
    }

    async fn broken_rules(text: Bytes) -> Option<Error> {
        search_broken_rules::<T>(text).await
    }

    fn describe(schemas: &mut Schemas) -> Option<Value> {
        Some(json_body::<T>(schemas, false))
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> UnreadJson<T> {
    /// Reads and parses the body.
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` beyond `limit_bytes`; `INVALID_REQUEST`.
    pub async fn read(self, limit_bytes: u64) -> Result<T> {
        read_json(self.raw.bytes(limit_bytes).await?).await
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> RequestBody for UnreadJson<T> {
    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        raw.require_json()?;
        Ok(Self { raw, value: PhantomData })
    }

    async fn refuse_unread(self) -> Option<Error> {
        read_json::<T>(self.raw.bytes(syntax::SCHEMA_MAX_BYTES).await.ok()?).await.err()
    }

    fn describe(schemas: &mut Schemas) -> Option<Value> {
        Some(json_body::<T>(schemas, true))
    }
}

impl<const MAX_FILES: usize> RequestBody for Upload<MAX_FILES> {
    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        raw.require_media_type("multipart/form-data")?;
        raw.require_unencoded()?;
        Ok(Self {
            content_type: raw.content_type.unwrap_or_default(),
            length_bytes: raw.length_bytes,
            stream: raw.stream,
        })
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        let mut file = json!({ "type": "string", "format": "binary", "description": "The file's bytes." });
        let mut example = json!("Module 2, 20 teeth\n");
        if MAX_FILES > 1 {
            let description = format!(
                "1 to {MAX_FILES} files. The `filename` of each is its path, with `/` between names."
            );
            // Without minItems and maxItems: with them, Go of OpenAPI Generator does not compile for files.
            file = json!({ "type": "array", "items": file, "description": description });
            example = json!([example]);
        }
        Some(json!({
            "required": true,
            "content": { "multipart/form-data": { "schema": {
                "type": "object",
                "required": ["file"],
                "additionalProperties": false,
                "properties": { "file": file },
            }, "example": { "file": example } }},
        }))
    }
}

impl RequestBody for OffsetBytes {
    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        if raw.media_type().as_deref() != Some(PARTIAL_UPLOAD) {
            raw.require_media_type(OFFSET_BYTES)?;
        }
        raw.require_unencoded()?;
        Ok(Self { length_bytes: raw.length_bytes, stream: raw.stream })
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        Some(offset_bytes(true))
    }
}

impl RequestBody for Option<OffsetBytes> {
    async fn read(raw: RawBody, text: &mut Bytes) -> Result<Self> {
        if matches!(raw.media_type().as_deref(), Some(OFFSET_BYTES | PARTIAL_UPLOAD)) {
            return OffsetBytes::read(raw, text).await.map(Some);
        }
        NoBody::read(raw, text).await.map(|_| None)
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        Some(offset_bytes(false))
    }
}

/// True for `{}`, which some clients send with every request, also without a media type.
fn is_empty_object(body: &[u8]) -> bool {
    body.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(b"{}")
}

fn offset_bytes(required: bool) -> Value {
    let bytes = json!({ "type": "string", "format": "binary", "description": "The file's next bytes." });
    let content = json!({ "schema": bytes, "example": "Module 2, 20 teeth\n" });
    // Without the draft's type: with it, generators for Python leave the operation out.
    json!({ "required": required, "content": { OFFSET_BYTES: content } })
}

/// Reads a JSON body, a long one beside the event loop.
async fn read_json<T: DeserializeOwned + JsonSchema + Send + 'static>(body: Bytes) -> Result<T> {
    aside::run_if_long(body.len(), move || syntax::json(&body)).await?
}

async fn search_broken_rules<T: JsonSchema + 'static>(text: Bytes) -> Option<Error> {
    aside::run_if_long(text.len(), move || syntax::broken_rules::<T>(&text)).await.unwrap_or_else(Some)
}

fn json_body<T: JsonSchema>(schemas: &mut Schemas, required: bool) -> Value {
    json!({
        "required": required,
        "content": { "application/json": { "schema": schemas.request::<T>() } },
    })
}

/// The refusal of a content coding other than `accepted`, which clients find in `Accept-Encoding`.
fn unsupported_coding(accepted: &str) -> Error {
    let message = format!("The body's `Content-Encoding` must be `{accepted}` or absent.");
    Error::new(Code::UnsupportedMediaType, message).with_detail("acceptEncoding", accepted)
}

fn unsupported(expected: &str) -> Error {
    Error::new(Code::UnsupportedMediaType, format!("The body's media type must be `{expected}`."))
}
