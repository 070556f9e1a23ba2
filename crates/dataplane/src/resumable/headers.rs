//! Request headers of the tus protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::error::Location;
use domain::{Code, Error, Result};
use wire::RequestHead;

use crate::blobs::hashing::Checksum;
use crate::resumable::protocol::VERSION;

/// Longest `Upload-Metadata`, in bytes; fits any file name.
const METADATA_MAX_BYTES: usize = 4096;

/// Requires the supported protocol version.
///
/// # Errors
/// `PRECONDITION_FAILED` for another version or none.
pub fn require_version(head: &RequestHead) -> Result<()> {
    if head.header("Tus-Resumable") == Some(VERSION) {
        return Ok(());
    }
    Err(Error::new(Code::PreconditionFailed, format!("`Tus-Resumable` must be {VERSION}.")))
}

/// A header whose value is a number of bytes.
///
/// # Errors
/// `INVALID_REQUEST` if it is missing or not a number.
pub fn bytes(head: &RequestHead, name: &'static str) -> Result<u64> {
    let digits = head.header(name).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Error::invalid(name, "bytes", "must be a number of bytes").at(Location::Header))
}

/// The `Upload-Metadata` header, unchanged, and the file name in it.
///
/// # Errors
/// `INVALID_REQUEST` if it is too long or malformed.
pub fn metadata(head: &RequestHead) -> Result<(String, Option<String>)> {
    let text = head.header("Upload-Metadata").unwrap_or_default();
    let invalid = |rule, message| Error::invalid("Upload-Metadata", rule, message).at(Location::Header);
    if text.len() > METADATA_MAX_BYTES {
        return Err(invalid("max", "must not be longer than 4096 bytes"));
    }
    let mut name = None;
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
        let value =
            STANDARD.decode(value.trim()).map_err(|_| invalid("base64", "must hold values in Base64"))?;
        if key == "filename" {
            let value =
                String::from_utf8(value).map_err(|_| invalid("utf8", "must name the file in UTF-8"))?;
            name = Some(value);
        }
    }
    Ok((text.to_owned(), name))
}

/// The expected checksum of a piece, if the client sends one.
///
/// # Errors
/// `INVALID_REQUEST` for an unknown algorithm or a malformed value.
pub fn checksum(head: &RequestHead) -> Result<Option<Checksum>> {
    let Some(text) = head.header("Upload-Checksum") else { return Ok(None) };
    parse_checksum(text).map(Some).ok_or_else(|| {
        Error::invalid("Upload-Checksum", "checksum", "must be `sha1` or `sha256`, a space, and it in Base64")
            .at(Location::Header)
    })
}

fn parse_checksum(text: &str) -> Option<Checksum> {
    let (algorithm, value) = text.trim().split_once(' ')?;
    let value = STANDARD.decode(value.trim()).ok()?;
    match algorithm {
        "sha1" => value.try_into().ok().map(Checksum::Sha1),
        "sha256" => value.try_into().ok().map(Checksum::Sha256),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_checksum;
    use crate::blobs::hashing::Checksum;

    #[test]
    fn a_checksum_has_a_known_algorithm_and_length() {
        let sha1 = parse_checksum("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").unwrap();
        assert!(matches!(sha1, Checksum::Sha1([0x2a, 0xae, ..])));
        for bad in
            ["", "sha1", "sha1 ", "sha1 AAAA", "md5 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha1 Kq5sNcl Pz7Q="]
        {
            assert_eq!(parse_checksum(bad), None, "{bad}");
        }
    }
}
