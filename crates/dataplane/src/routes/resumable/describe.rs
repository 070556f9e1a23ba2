//! What resumable uploads can do here.

use actix_web::http::header::HeaderName;
use wire::TUS_VERSION;

use crate::routes::resumable::NoContent;
use crate::routes::upload::MAX_FILE_BYTES;

/// What of the protocol is spoken.
const EXTENSIONS: &str = "creation,creation-with-upload,checksum,expiration,termination";

/// The kinds of checksum that a piece may have.
const CHECKSUMS: &str = "sha1,sha256";

/// Says it.
pub fn handle() -> NoContent {
    NoContent(vec![
        (HeaderName::from_static("tus-version"), TUS_VERSION.to_owned()),
        (HeaderName::from_static("tus-extension"), EXTENSIONS.to_owned()),
        (HeaderName::from_static("tus-checksum-algorithm"), CHECKSUMS.to_owned()),
        (HeaderName::from_static("tus-max-size"), MAX_FILE_BYTES.to_string()),
    ])
}
