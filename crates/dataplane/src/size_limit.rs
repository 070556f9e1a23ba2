//! The size limit of uploaded files.

use domain::content::upload::FILE_MAX_BYTES;
use domain::{Code, Error};
use serde_json::json;

/// Maximum size of a body with several files, in bytes: 256 MiB.
pub const MAX_FILES_BODY_BYTES: u64 = 256 * 1024 * 1024;

/// The failure of a body with several files beyond the maximum size.
pub fn files_too_large() -> Error {
    let message = format!(
        "The body is larger than {MAX_FILES_BODY_BYTES} bytes. Send large files by `uploadFile` or in pieces."
    );
    Error::new(Code::PayloadTooLarge, message).with_details(json!({ "limitBytes": MAX_FILES_BODY_BYTES }))
}

/// The failure of a file beyond the maximum size.
pub fn too_large() -> Error {
    Error::new(Code::PayloadTooLarge, format!("The file is larger than {FILE_MAX_BYTES} bytes."))
        .with_details(json!({ "limitBytes": FILE_MAX_BYTES }))
}
