//! The form of every failure, and the HTTP status of each error code.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_ENCODING, ALLOW, CONTENT_RANGE, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use domain::error::Refusal;
use domain::{Code, Error};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::protocol::Protocol;

/// The envelope of every failure. Extra properties may be added at any time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(crate) struct Envelope {
    /// Always false.
    success: bool,
    /// The error.
    error: Refusal,
    /// Repeats the error's message in answers to Git clients, where Git LFS expects it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// The HTTP status of a code, for answers that report failures of parts of a request.
pub fn status_of(code: Code) -> u16 {
    status(code).as_u16()
}

/// The HTTP status of a code.
pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidRequest
        | Code::InvalidPagination
        | Code::InvalidIdempotencyKey
        | Code::InvalidConnectionId
        | Code::InvalidUpload
        | Code::HistoryHeadMismatch
        | Code::AssigneeNotMember => StatusCode::BAD_REQUEST,
        Code::Unauthenticated | Code::CredentialExpired => StatusCode::UNAUTHORIZED,
        Code::Forbidden
        | Code::InsufficientScope
        | Code::CredentialNotPermitted
        | Code::RepositoryReadOnly
        | Code::ProjectLimitReached
        | Code::LimitReached => StatusCode::FORBIDDEN,
        Code::NotFound | Code::ToolNotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::IdempotencyInProgress
        | Code::CardHistoryConflict
        | Code::TagNameTaken
        | Code::CardTypeNameTaken
        | Code::FieldNameTaken
        | Code::FieldInUse
        | Code::ProjectKeyTaken
        | Code::SprintNotPlanned
        | Code::SprintEmpty
        | Code::SprintAlreadyActive
        | Code::SprintNotActive
        | Code::StatusNameTaken
        | Code::TeamNameTaken
        | Code::LastOwner
        | Code::OrganizationNotEmpty
        | Code::ProjectLinked
        | Code::AlreadyMember
        | Code::WipLimitReached
        | Code::McpServerLimitReached
        | Code::PositionConflict
        | Code::BranchConflict
        | Code::MergeConflict
        | Code::IncludeCycle
        | Code::NothingToCommit
        | Code::ReservedObject
        | Code::FileNotReplaceable
        | Code::RunInProgress
        | Code::ApprovalNotPending
        | Code::ModelNotConfigured
        | Code::RunLimitReached => StatusCode::CONFLICT,
        Code::CreditsExhausted => StatusCode::PAYMENT_REQUIRED,
        Code::ModelError => StatusCode::BAD_GATEWAY,
        Code::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Code::UploadOffsetMismatch => StatusCode::CONFLICT,
        Code::UploadInProgress => StatusCode::LOCKED,
        // Not a registered status; tus defines it.
        Code::ChecksumMismatch => StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST),
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::ToolError | Code::ToolTimeout | Code::LanguageNotSupported | Code::MomentNotKnown => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Code::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The envelope of `error` as JSON. An internal error discloses only its request's id.
pub(crate) fn body(error: &Error, request_id: &str, protocol: &Protocol) -> Vec<u8> {
    let internal_details = (error.code == Code::InternalError).then(|| json!({ "requestId": request_id }));
    let refusal = Refusal::from(error);
    let message = protocol.repeats_message.then(|| refusal.message.clone());
    let envelope = Envelope {
        success: false,
        error: Refusal { details: internal_details.or(refusal.details), ..refusal },
        message,
    };
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// The answer to a request that failed with `error`.
pub(crate) fn response(error: &Error, request_id: &str, protocol: &Protocol) -> HttpResponse {
    let mut response = HttpResponse::build(status(error.code));
    response.insert_header((CONTENT_TYPE, "application/json"));
    match error.code {
        Code::Unauthenticated | Code::CredentialExpired => {
            response.insert_header((WWW_AUTHENTICATE, challenge(error)));
        }
        Code::UnsupportedMediaType => {
            if let Some(codings) = detail(error, "acceptEncoding").and_then(Value::as_str) {
                response.insert_header((ACCEPT_ENCODING, codings));
            }
        }
        Code::MethodNotAllowed => {
            if let Some(allow) = detail(error, "allow").and_then(Value::as_str) {
                response.insert_header((ALLOW, allow));
            }
        }
        Code::RangeNotSatisfiable => {
            if let Some(size) = detail(error, "sizeBytes").and_then(Value::as_u64) {
                response.insert_header((CONTENT_RANGE, format!("bytes */{size}")));
            }
        }
        _ => {}
    }
    let retry_after = error.retry_after_secs.or((error.code == Code::Unavailable).then_some(1));
    if let Some(seconds) = retry_after {
        response.insert_header((RETRY_AFTER, seconds.max(1).to_string()));
    }
    response.body(body(error, request_id, protocol))
}

/// The challenge of RFC 6750. A request without a credential is told nothing but the scheme.
fn challenge(error: &Error) -> &'static str {
    let has_credential = std::error::Error::source(error).is_some();
    match error.code {
        Code::CredentialExpired => {
            r#"Bearer error="invalid_token", error_description="The credential has expired""#
        }
        _ if has_credential => r#"Bearer error="invalid_token""#,
        _ => "Bearer",
    }
}

fn detail<'a>(error: &'a Error, name: &str) -> Option<&'a Value> {
    error.details.as_ref()?.get(name)
}
