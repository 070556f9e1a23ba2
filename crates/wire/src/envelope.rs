//! The one shape of every failure, and the one place that knows the HTTP status of a code (specification,
//! "Errors"; contract, section 2).

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ALLOW, CONTENT_RANGE, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use auth::credential::Clients;
use domain::error::Refusal;
use domain::{Code, Error};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// The version of tus, the protocol of resumable uploads, that its operations speak.
pub const TUS_VERSION: &str = "1.0.0";

/// The envelope of every failure. Extra properties may be added at any time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(crate) struct Envelope {
    /// Always false.
    success: bool,
    /// What went wrong.
    error: Refusal,
    /// The error's message once more, in answers to Git's own clients: where Git LFS looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// The HTTP status of a code, for answers that hold failures of parts of a request.
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
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::Forbidden
        | Code::InsufficientScope
        | Code::CredentialNotPermitted
        | Code::RepositoryReadOnly
        | Code::ProjectLimitReached => StatusCode::FORBIDDEN,
        Code::NotFound | Code::ToolNotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::IdempotencyInProgress
        | Code::CardHistoryConflict
        | Code::TagNameTaken
        | Code::SprintNotPlanned
        | Code::SprintEmpty
        | Code::SprintAlreadyActive
        | Code::SprintNotActive
        | Code::StatusNameTaken
        | Code::TeamNameTaken
        | Code::WipLimitReached
        | Code::McpServerLimitReached
        | Code::PositionConflict
        | Code::BranchConflict
        | Code::MergeConflict
        | Code::IncludeCycle
        | Code::NothingToCommit
        | Code::ReservedObject
        | Code::RunInProgress
        | Code::ModelNotConfigured
        | Code::RunLimitReached => StatusCode::CONFLICT,
        Code::CreditsExhausted => StatusCode::PAYMENT_REQUIRED,
        Code::ModelError => StatusCode::BAD_GATEWAY,
        Code::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Code::UploadOffsetMismatch => StatusCode::CONFLICT,
        Code::UploadInProgress => StatusCode::LOCKED,
        // No registered status: the one that tus gives it.
        Code::ChecksumMismatch => StatusCode::from_u16(460).unwrap_or(StatusCode::BAD_REQUEST),
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::ToolError | Code::ToolTimeout | Code::LanguageNotSupported => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The envelope of `error` as JSON. An internal error shows its request's id and nothing else.
pub(crate) fn body(error: &Error, request_id: &str, clients: Clients) -> Vec<u8> {
    let of_bug = (error.code == Code::InternalError).then(|| json!({ "requestId": request_id }));
    let refusal = Refusal::from(error);
    let message = (clients == Clients::Git).then(|| refusal.message.clone());
    let envelope = Envelope {
        success: false,
        error: Refusal { details: of_bug.or(refusal.details), ..refusal },
        message,
    };
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// The answer to a request that failed with `error`.
pub(crate) fn response(error: &Error, request_id: &str, clients: Clients) -> HttpResponse {
    let mut response = HttpResponse::build(status(error.code));
    response.insert_header((CONTENT_TYPE, "application/json"));
    match error.code {
        Code::Unauthenticated => {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
            if clients == Clients::Git {
                // What makes Git ask its user, or its credential helper.
                let basic = HeaderValue::from_static("Basic realm=\"Atelier\", charset=\"UTF-8\"");
                response.append_header((WWW_AUTHENTICATE, basic));
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
        Code::PreconditionFailed if clients == Clients::Tus => {
            response.insert_header(("Tus-Version", TUS_VERSION));
        }
        _ => {}
    }
    let retry_after = error.retry_after_secs.or((error.code == Code::Unavailable).then_some(1));
    if let Some(seconds) = retry_after {
        response.insert_header((RETRY_AFTER, seconds.max(1).to_string()));
    }
    response.body(body(error, request_id, clients))
}

fn detail<'a>(error: &'a Error, name: &str) -> Option<&'a Value> {
    error.details.as_ref()?.get(name)
}
