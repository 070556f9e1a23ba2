//! Forms: `multipart/form-data` of a file and typed fields, read by `actix-multipart`, the file to the disk.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use actix_multipart::MultipartError;
use actix_multipart::form::{MultipartCollect, MultipartForm, MultipartFormConfig};
use actix_web::FromRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use api::operation::Raw;
use bytes::Bytes;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::contract::body::RequestBody;
use crate::contract::body_stream::BodyStream;
use crate::contract::gzip::too_large;
use crate::contract::raw_body::RawBody;
use crate::contract::schemas::Schemas;

/// Most bytes of any form, with its file.
const FORM_LIMIT_BYTES: usize = 65 * 1024 * 1024;
/// Forms that a process has on its disk at once (docs/operations.md).
const FORMS_AT_ONCE: usize = 4;
/// Most bytes of the fields of a form that are kept in memory.
const MEMORY_LIMIT_BYTES: usize = 1024 * 1024;

/// Longest time in which a form arrives: others wait for its turn.
const FORM_TIME: Duration = Duration::from_secs(300);

/// Longest time in which a form waits for its turn: a handful of small ones at once is read, each in turn.
const TURN_TIME: Duration = Duration::from_secs(5);

/// Turns to have a form on the disk.
static TURNS: Semaphore = Semaphore::const_new(FORMS_AT_ONCE);

/// A form, read whole.
pub struct FormBody<T> {
    /// The fields.
    pub fields: T,
    /// Ends when the form is dropped, and with it the file.
    _turn: SemaphorePermit<'static>,
}

/// The fields of a form, for the OpenAPI document.
pub trait FormFields: MultipartCollect + 'static {
    /// Names of the fields that every form has.
    const REQUIRED: &'static [&'static str];
    /// Most bytes of the form, with its file.
    const LIMIT_BYTES: usize = FORM_LIMIT_BYTES;

    /// The schema of each field by its name.
    fn properties(schemas: &mut Schemas) -> Value;

    /// A form, in the form of the document.
    fn example() -> Value;
}

/// The limits of all forms, as data of actix's application.
pub(crate) fn form_config() -> MultipartFormConfig {
    MultipartFormConfig::default().total_limit(FORM_LIMIT_BYTES).memory_limit(MEMORY_LIMIT_BYTES)
}

impl<T: FormFields> RequestBody for FormBody<T> {
    type Declared = Raw;

    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        raw.require_media_type("multipart/form-data")?;
        raw.require_unencoded()?;
        let limit = u64::try_from(T::LIMIT_BYTES).unwrap_or(u64::MAX);
        if raw.length_bytes.is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        let RawBody { http, stream, .. } = raw;
        let http = http.ok_or_else(|| Error::internal("a form in memory"))?;
        let turn = timeout(TURN_TIME, TURNS.acquire()).await.map_err(|_| busy())?.map_err(Error::internal)?;
        let failure = Rc::default();
        let mut payload = payload(stream, Rc::clone(&failure));
        let form = timeout(FORM_TIME, MultipartForm::<T>::from_request(&http, &mut payload)).await;
        let form = form.map_err(|_| Error::new(Code::RequestTimeout, "The form did not arrive in time."))?;
        form.map(|form| Self { fields: form.into_inner(), _turn: turn })
            .map_err(|error| failure.take().unwrap_or_else(|| refusal(&error, limit)))
    }

    fn describe(schemas: &mut Schemas) -> Option<Value> {
        Some(json!({
            "required": true,
            "content": { "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": T::REQUIRED,
                    "additionalProperties": false,
                    "properties": T::properties(schemas),
                },
                "example": T::example(),
            } },
        }))
    }
}

/// The body for actix. The error that ends it early stays in `failure`: actix knows fewer kinds.
fn payload(body: BodyStream, failure: Rc<RefCell<Option<Error>>>) -> Payload {
    let chunks = stream::unfold(body, move |mut body| {
        let failure = Rc::clone(&failure);
        async move {
            let chunk = body.next().await?.map_err(|error| {
                failure.replace(Some(error));
                PayloadError::Incomplete(None)
            });
            Some((chunk, body))
        }
    });
    // actix-multipart 0.8.5 asks once more after the end.
    Payload::Stream { payload: Box::pin(chunks.fuse()) }
}

fn busy() -> Error {
    let mut error = Error::new(Code::RateLimited, "Other forms are being read. Try again in a moment.")
        .with_details(json!({ "scope": "forms" }));
    error.retry_after_secs = Some(1);
    error
}

fn refusal(error: &actix_web::Error, limit: u64) -> Error {
    match error.as_error::<MultipartError>() {
        Some(MultipartError::MissingField(name)) => Error::broken(name.as_str(), Rule::Required),
        Some(MultipartError::UnknownField(name)) => Error::broken(name.as_str(), Rule::Unknown),
        Some(MultipartError::DuplicateField(name)) => Error::broken(name.as_str(), Rule::Duplicate),
        Some(MultipartError::Payload(PayloadError::Overflow)) => too_large(limit),
        Some(MultipartError::Field { name, source }) => {
            // A file that can't be written is no fault of the form.
            if source.as_response_error().status_code().is_server_error() {
                return Error::new(Code::InternalError, "The form could not be kept.")
                    .with_source(source.to_string());
            }
            Error::invalid(name.as_str(), Rule::Syntax, "can't be read").with_source(source.to_string())
        }
        _ => Error::invalid("", Rule::Syntax, "is not a complete multipart/form-data")
            .at(Location::Body)
            .with_source(error.to_string()),
    }
}
