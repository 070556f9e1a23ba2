//! The conventions of Git's clients, as far as they differ from the service's own.

use actix_web::http::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use auth::credential::AuthorizationSchemes;
use domain::Code;
use wire::{AnswerContext, Protocol};

/// Git and Git LFS: HTTP Basic, and the message of an error where Git LFS expects it.
pub static GIT: Protocol =
    Protocol { schemes: AuthorizationSchemes::BearerAndBasic, repeats_message: true, add_headers: challenge };

/// Adds the challenge that makes Git ask its user or its credential helper.
fn challenge(headers: &mut HeaderMap, answer: AnswerContext<'_>) {
    if matches!(answer.failure, Some(Code::Unauthenticated | Code::CredentialExpired)) {
        let basic = HeaderValue::from_static("Basic realm=\"Atelier\", charset=\"UTF-8\"");
        headers.append(WWW_AUTHENTICATE, basic);
    }
}
