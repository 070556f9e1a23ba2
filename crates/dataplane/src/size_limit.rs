//! The size limit of uploaded files.

use domain::{Code, Error};
use serde_json::json;

/// Maximum size of a file, in bytes: 2 GiB.
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024 * 1024;

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
    Error::new(Code::PayloadTooLarge, format!("The file is larger than {MAX_FILE_BYTES} bytes."))
        .with_details(json!({ "limitBytes": MAX_FILE_BYTES }))
}
