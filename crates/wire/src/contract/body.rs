//! How the bodies of requests are read: those that operations declare, and those that a handler reads its own way.

use std::marker::PhantomData;

use api::operation::{JSON_LIMIT_BYTES, Json, NoBody, Raw};
use bytes::Bytes;
use domain::{Code, Error, Result, Rule};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::contract::aside;
use crate::contract::body_stream::BodyStream;
use crate::contract::raw_body::RawBody;
use crate::contract::schemas::Schemas;
use crate::contract::syntax;

/// Most bytes read of a body that should be absent, to distinguish `{}` from content.
const NO_BODY_LIMIT_BYTES: u64 = 64;

/// The media type of a piece of a resumable upload.
const OFFSET_BYTES: &str = "application/offset+octet-stream";
/// The same by the IETF's draft of resumable uploads.
const PARTIAL_UPLOAD: &str = "application/partial-upload";

/// A way to read a body.
pub trait RequestBody: Sized + 'static {
    /// The body in the declaration of an operation.
    type Declared;

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

/// A JSON body that is declared as `D` and read as `T`, whose schema is the same.
pub struct JsonAs<D, T, const LIMIT_BYTES: u64 = JSON_LIMIT_BYTES> {
    /// The value.
    pub value: T,
    declared: PhantomData<fn() -> D>,
}

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

impl RequestBody for NoBody {
    type Declared = Self;

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
    type Declared = Self;

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
    type Declared = Self;

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

impl<D, T, const LIMIT_BYTES: u64> RequestBody for JsonAs<D, T, LIMIT_BYTES>
where
    D: 'static,
    T: DeserializeOwned + JsonSchema + Send + 'static,
{
    type Declared = Json<D, LIMIT_BYTES>;

    async fn read(raw: RawBody, text: &mut Bytes) -> Result<Self> {
        let Json(value) = Json::<T, LIMIT_BYTES>::read(raw, text).await?;
        Ok(Self { value, declared: PhantomData })
    }

    async fn broken_rules(text: Bytes) -> Option<Error> {
        search_broken_rules::<T>(text).await
    }

    fn describe(schemas: &mut Schemas) -> Option<Value> {
        Some(json_body::<T>(schemas, true))
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> RequestBody for UnreadJson<T> {
    type Declared = Json<T>;

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
    type Declared = Raw;

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
    type Declared = Raw;

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
    type Declared = Raw;

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
