//! The capabilities of resumable uploads.

use actix_web::http::header::HeaderName;

use domain::content::upload::FILE_MAX_BYTES;

use crate::resumable::protocol::VERSION;
use crate::routes::resumable::{NoContent, WithHeaders};

/// The supported extensions of the protocol.
const EXTENSIONS: &str =
    "creation,creation-defer-length,creation-with-upload,checksum,concatenation,expiration,termination";

/// The supported checksums of a piece.
const CHECKSUMS: &str = "sha1,sha256";

/// Answers the capabilities.
pub fn handle() -> WithHeaders<NoContent> {
    let headers = vec![
        (HeaderName::from_static("tus-version"), VERSION.to_owned()),
        (HeaderName::from_static("tus-extension"), EXTENSIONS.to_owned()),
        (HeaderName::from_static("tus-checksum-algorithm"), CHECKSUMS.to_owned()),
        (HeaderName::from_static("tus-max-size"), FILE_MAX_BYTES.to_string()),
    ];
    WithHeaders { answer: NoContent, headers }
}
