//! The answers of handlers. The type of an answer fixes its status, in HTTP and in the OpenAPI document.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue};
use api::operation::Raw;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use store::Outcome;

use crate::contract::etag::ETag;
use crate::contract::head::RequestHead;
use crate::contract::kept::KeptJson;
use crate::contract::schemas::Schemas;

/// Marks an answer that repeats the answer of an earlier request with the same key.
const IDEMPOTENCY_REPLAYED: &str = "Idempotency-Replayed";
/// The header of entity tags, as the document spells it.
const ETAG_NAME: &str = "ETag";
/// Only the caller may cache the answer, and has to revalidate it each time.
const REVALIDATE: &str = "private, no-cache";

/// A successful answer.
pub trait HandlerAnswer: Sized + 'static {
    /// The answer in the declaration of an operation.
    type Declared;

    /// True if the operation creates something and so accepts an `Idempotency-Key`.
    const CREATES: bool = false;
    /// True if the answer is JSON, so that callers within the process can use it.
    const IS_JSON: bool = false;
    /// True if the answer has an `ETag`.
    const HAS_ETAG: bool = false;

    /// The HTTP response to a request with this head.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the value can't be serialised.
    fn into_response(self, head: &RequestHead) -> Result<HttpResponse>;

    /// The JSON of the body, for a caller within the process.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the answer is not JSON, or can't be serialised.
    fn into_json(self) -> Result<Box<RawValue>> {
        Err(Error::internal("this answer is not JSON"))
    }

    /// True if the answer repeats that of an earlier request with the same idempotency key.
    fn is_replay(&self) -> bool {
        false
    }

    /// The successful `responses` of the OpenAPI operation, by status.
    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)>;
}

/// 200 with a JSON body.
#[derive(Clone, Debug)]
pub struct Reply<T>(T);

/// 200 with a JSON body and its `ETag`, or 304 without a body if a reading client has the current state.
#[derive(Clone, Debug)]
pub struct TaggedReply<T> {
    body: TaggedBody<T>,
    tag: TagSource,
}

/// The body of an answer with an `ETag`.
#[derive(Clone, Debug)]
enum TaggedBody<T> {
    Value(T),
    Kept(KeptJson<T>),
    /// The client has the current state.
    Unchanged,
}

/// 201 with a JSON body. Only an [`Outcome`] of `store` makes one, so a replay always has its header.
#[derive(Clone, Debug)]
pub struct Created<T>(Outcome<T>);

/// 201 with a JSON body and the `ETag` of the new resource, as its read answers it.
#[derive(Clone, Debug)]
pub struct TaggedCreated<T> {
    outcome: Outcome<T>,
    tag: TagSource,
}

/// 200 with a JSON body, for work that an idempotency key does at most once; made like [`Created`].
#[derive(Clone, Debug)]
pub struct IdempotentReply<T>(Outcome<T>);

/// 202 with a JSON body, for work that goes on after the answer; made like [`Created`].
#[derive(Clone, Debug)]
pub struct Accepted<T>(Outcome<T>);

/// A file: a response with status 200 or 206 that the handler has built.
#[derive(Debug)]
pub struct Download(pub HttpResponse);

#[derive(Clone, Debug)]
enum TagSource {
    Given(ETag),
    OfBody,
}

impl<T> Reply<T> {
    /// 200.
    pub fn ok(value: T) -> Self {
        Self(value)
    }

    /// 201, marked as a replay if the outcome is one.
    pub fn created(outcome: Outcome<T>) -> Created<T> {
        Created(outcome)
    }

    /// 202, marked as a replay if the outcome is one.
    pub fn accepted(outcome: Outcome<T>) -> Accepted<T> {
        Accepted(outcome)
    }

    /// 200 for an operation with an idempotency key, marked as a replay if the outcome is one.
    pub fn idempotent(outcome: Outcome<T>) -> IdempotentReply<T> {
        IdempotentReply(outcome)
    }

    /// This answer with an `ETag`.
    #[must_use]
    pub fn etag(self, tag: ETag) -> TaggedReply<T> {
        TaggedReply { body: TaggedBody::Value(self.0), tag: TagSource::Given(tag) }
    }

    /// This answer with the strong `ETag` of its body, for single resources.
    #[must_use]
    pub fn etag_of_body(self) -> TaggedReply<T> {
        TaggedReply { body: TaggedBody::Value(self.0), tag: TagSource::OfBody }
    }
}

impl<T> Created<T> {
    /// This answer with the `ETag` of the resource.
    #[must_use]
    pub fn etag(self, tag: ETag) -> TaggedCreated<T> {
        TaggedCreated { outcome: self.0, tag: TagSource::Given(tag) }
    }

    /// This answer with the strong `ETag` of its body, for a resource whose read has the same body.
    #[must_use]
    pub fn etag_of_body(self) -> TaggedCreated<T> {
        TaggedCreated { outcome: self.0, tag: TagSource::OfBody }
    }
}

impl<T> TaggedReply<T> {
    /// 200 with a body that was kept.
    pub fn kept(json: KeptJson<T>, tag: ETag) -> Self {
        Self { body: TaggedBody::Kept(json), tag: TagSource::Given(tag) }
    }

    /// 304, for a client that has the current state by [`RequestHead::has_current`].
    pub fn unchanged(tag: ETag) -> Self {
        Self { body: TaggedBody::Unchanged, tag: TagSource::Given(tag) }
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for Reply<T> {
    type Declared = T;

    const IS_JSON: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let body = serde_json::to_vec(&self.0).map_err(Error::internal)?;
        Ok(json_response(StatusCode::OK, body))
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        to_raw_value(&self.0).map_err(Error::internal)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(200, json_answer::<T>(schemas, "Success"))]
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for Accepted<T> {
    type Declared = T;

    const CREATES: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        outcome_response(StatusCode::ACCEPTED, self.0)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(
            202,
            outcome_answer::<T>(schemas, "Accepted, now or by an earlier call with the same key: it goes on"),
        )]
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for TaggedReply<T> {
    type Declared = T;

    const IS_JSON: bool = true;
    const HAS_ETAG: bool = true;

    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        let not_modified = |tag: &ETag| tagged(HttpResponse::NotModified().finish(), tag);
        if let TagSource::Given(tag) = &self.tag {
            head.require_expected(tag)?;
        }
        let (value, tag) = match (self.body, self.tag) {
            (TaggedBody::Unchanged, TagSource::Given(tag)) => return not_modified(&tag),
            (_, TagSource::Given(tag)) if head.has_current(&tag) => return not_modified(&tag),
            (TaggedBody::Kept(json), TagSource::Given(tag)) => return tagged(json.response(), &tag),
            (TaggedBody::Value(value), tag) => (value, tag),
            (_, TagSource::OfBody) => return Err(Error::internal("a kept answer without its tag")),
        };
        let body = serde_json::to_vec(&value).map_err(Error::internal)?;
        match tag {
            TagSource::Given(tag) => tagged(json_response(StatusCode::OK, body), &tag),
            TagSource::OfBody => {
                let tag = ETag::of_bytes(&body);
                head.require_expected(&tag)?;
                if head.has_current(&tag) {
                    not_modified(&tag)
                } else {
                    tagged(json_response(StatusCode::OK, body), &tag)
                }
            }
        }
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        match self.body {
            TaggedBody::Value(value) => to_raw_value(&value).map_err(Error::internal),
            TaggedBody::Kept(json) => Ok(json.to_raw()),
            TaggedBody::Unchanged => to_raw_value(&()).map_err(Error::internal),
        }
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        vec![
            (200, with_header(json_answer::<T>(schemas, "Success"), ETAG_NAME)),
            (304, json!({ "description": "The client has the current state already" })),
        ]
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for Created<T> {
    type Declared = T;

    const CREATES: bool = true;
    const IS_JSON: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        outcome_response(StatusCode::CREATED, self.0)
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        to_raw_value(&self.0.value).map_err(Error::internal)
    }

    fn is_replay(&self) -> bool {
        self.0.replayed
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(201, outcome_answer::<T>(schemas, "Created, now or by an earlier call with the same key"))]
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for TaggedCreated<T> {
    type Declared = T;

    const CREATES: bool = true;
    const IS_JSON: bool = true;
    const HAS_ETAG: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let tag = match self.tag {
            TagSource::Given(tag) => tag,
            TagSource::OfBody => ETag::of_json(&self.outcome.value)?,
        };
        tagged(outcome_response(StatusCode::CREATED, self.outcome)?, &tag)
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        to_raw_value(&self.outcome.value).map_err(Error::internal)
    }

    fn is_replay(&self) -> bool {
        self.outcome.replayed
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let described = Created::<T>::describe(schemas).into_iter();
        described.map(|(status, answer)| (status, with_header(answer, ETAG_NAME))).collect()
    }
}

impl<T: Serialize + JsonSchema + 'static> HandlerAnswer for IdempotentReply<T> {
    type Declared = T;

    const CREATES: bool = true;
    const IS_JSON: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        outcome_response(StatusCode::OK, self.0)
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        to_raw_value(&self.0.value).map_err(Error::internal)
    }

    fn is_replay(&self) -> bool {
        self.0.replayed
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(200, outcome_answer::<T>(schemas, "Done, now or by an earlier call with the same key"))]
    }
}

impl HandlerAnswer for Download {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = self.0;
        if !response.headers().contains_key(CACHE_CONTROL) {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(REVALIDATE));
        }
        Ok(response)
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let bytes = json!({ "schema": { "type": "string", "format": "binary" } });
        // The media type is that of the file. Generators of clients know the first as bytes.
        let bytes = json!({ "application/octet-stream": bytes, "*/*": bytes });
        vec![
            (200, with_header(json!({ "description": "The whole file", "content": bytes }), ETAG_NAME)),
            (
                206,
                with_header(json!({ "description": "The range of the file", "content": bytes }), ETAG_NAME),
            ),
            (304, json!({ "description": "The client has the file already" })),
        ]
    }
}

fn tagged(mut response: HttpResponse, tag: &ETag) -> Result<HttpResponse> {
    let headers = response.headers_mut();
    headers.insert(ETAG, tag.as_str().parse().map_err(Error::internal)?);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(REVALIDATE));
    Ok(response)
}

fn outcome_response<T: Serialize>(status: StatusCode, outcome: Outcome<T>) -> Result<HttpResponse> {
    let body = serde_json::to_vec(&outcome.value).map_err(Error::internal)?;
    let mut response = HttpResponse::build(status);
    response.insert_header((CONTENT_TYPE, "application/json"));
    if outcome.replayed {
        response.insert_header((IDEMPOTENCY_REPLAYED, "true"));
    }
    Ok(response.body(body))
}

fn json_response(status: StatusCode, body: Vec<u8>) -> HttpResponse {
    HttpResponse::build(status).insert_header((CONTENT_TYPE, "application/json")).body(body)
}

fn outcome_answer<T: JsonSchema>(schemas: &mut Schemas, description: &str) -> Value {
    with_header(json_answer::<T>(schemas, description), IDEMPOTENCY_REPLAYED)
}

/// The description of an answer with one more of the document's headers.
fn with_header(mut answer: Value, name: &str) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        let headers = answer.entry("headers").or_insert_with(|| json!({}));
        if let Some(headers) = headers.as_object_mut() {
            let shared = format!("#/components/headers/{name}");
            headers.insert(name.to_owned(), json!({ "$ref": shared }));
        }
    }
    answer
}

fn json_answer<T: JsonSchema>(schemas: &mut Schemas, description: &str) -> Value {
    json!({
        "description": description,
        "content": { "application/json": { "schema": schemas.answer::<T>() } },
    })
}
