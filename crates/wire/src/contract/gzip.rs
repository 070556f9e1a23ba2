//! Bodies compressed with gzip.

use std::io::Read;

use bytes::Bytes;
use domain::{Code, Error, Result, Rule};
use flate2::read::MultiGzDecoder;
use serde_json::json;

/// The content of a compressed body of at most `limit_bytes` bytes.
///
/// # Errors
/// `INVALID_REQUEST` if it is no gzip; `PAYLOAD_TOO_LARGE`.
pub(super) fn inflate(body: &[u8], limit_bytes: u64) -> Result<Bytes> {
    let mut inflated = Vec::new();
    // One byte beyond the limit tells a body of exactly the limit from a larger one.
    let read = MultiGzDecoder::new(body).take(limit_bytes.saturating_add(1)).read_to_end(&mut inflated);
    read.map_err(|error| {
        Error::invalid("", Rule::Syntax, "is not valid gzip").with_source(error.to_string())
    })?;
    match u64::try_from(inflated.len()).is_ok_and(|length| length > limit_bytes) {
        true => Err(too_large(limit_bytes)),
        false => Ok(inflated.into()),
    }
}

/// The refusal of a body of more than `limit_bytes` bytes.
pub(super) fn too_large(limit_bytes: u64) -> Error {
    Error::new(Code::PayloadTooLarge, format!("The body is larger than {limit_bytes} bytes."))
        .with_details(json!({ "limitBytes": limit_bytes }))
}
