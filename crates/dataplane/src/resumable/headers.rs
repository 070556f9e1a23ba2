//! The headers of tus, as clients send them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Code, Error, Result};
use wire::{Head, TUS_VERSION};

use crate::blobs::hashing::Checksum;

/// Longest `Upload-Metadata`, in bytes: room for any file name.
const METADATA_MAX_BYTES: usize = 4096;

/// Checks that the client speaks our version of the protocol.
///
/// # Errors
/// `PRECONDITION_FAILED` where it speaks another, or says nothing.
pub fn require_version(head: &Head) -> Result<()> {
    if head.header("Tus-Resumable") == Some(TUS_VERSION) {
        return Ok(());
    }
    Err(Error::new(Code::PreconditionFailed, format!("`Tus-Resumable` must be {TUS_VERSION}.")))
}

/// A header that is a number of bytes.
///
/// # Errors
/// `INVALID_REQUEST` where it is missing or none.
pub fn bytes(head: &Head, name: &'static str) -> Result<u64> {
    let digits = head.header(name).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Error::invalid(format!("header.{name}"), "bytes", "must be a number of bytes"))
}

/// What the client says of the file: the header as it was sent, and the file name in it.
///
/// # Errors
/// `INVALID_REQUEST` where it is too long or not as tus writes it.
pub fn metadata(head: &Head) -> Result<(String, Option<String>)> {
    let text = head.header("Upload-Metadata").unwrap_or_default();
    let invalid = |rule, message| Error::invalid("header.Upload-Metadata", rule, message);
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

/// The checksum that a piece must have, where the client demands one.
///
/// # Errors
/// `INVALID_REQUEST` where it is not of a known kind.
pub fn checksum(head: &Head) -> Result<Option<Checksum>> {
    let Some(text) = head.header("Upload-Checksum") else { return Ok(None) };
    parse_checksum(text).map(Some).ok_or_else(|| {
        Error::invalid(
            "header.Upload-Checksum",
            "checksum",
            "must be `sha1` or `sha256`, a space, and it in Base64",
        )
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
    fn a_checksum_is_of_a_known_kind_and_length() {
        let sha1 = parse_checksum("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").unwrap();
        assert!(matches!(sha1, Checksum::Sha1([0x2a, 0xae, ..])));
        for bad in
            ["", "sha1", "sha1 ", "sha1 AAAA", "md5 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha1 Kq5sNcl Pz7Q="]
        {
            assert_eq!(parse_checksum(bad), None, "{bad}");
        }
    }
}
