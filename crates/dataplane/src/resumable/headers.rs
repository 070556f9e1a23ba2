//! Request headers of the tus protocol, and of the IETF's draft of resumable uploads as tus-js-client 4.3 speaks it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::content::edit::IfMatch;
use domain::content::upload::Replacement;
use domain::error::Location;
use domain::id::{ObjectId, UploadId};
use domain::{Code, Error, Result, Rule};
use store::content::resumable::parts::PARTS_MAX;
use wire::RequestHead;

use crate::blobs::hashing::Checksum;
use crate::resumable::protocol::VERSION;

/// A request's place in a concatenation of uploads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concatenation {
    /// An upload of its own.
    None,
    /// An upload that becomes a part of another one.
    Partial,
    /// An upload that joins these partial ones, in this order.
    Final(Vec<UploadId>),
}

/// The header with the length of an upload.
pub const LENGTH: &str = "Upload-Length";
/// The header of an upload whose length is told later.
pub const DEFER_LENGTH: &str = "Upload-Defer-Length";
/// The header of a concatenation.
pub const CONCAT: &str = "Upload-Concat";

/// The header with the file's name.
const METADATA: &str = "Upload-Metadata";

/// Longest `Upload-Metadata`, in bytes; fits any file name.
const METADATA_MAX_BYTES: usize = 4096;

/// The header with the version of the draft, and the version that the service speaks: draft 05.
pub const INTEROP_VERSION: &str = "Upload-Draft-Interop-Version";
const SPOKEN_VERSION: &str = "6";
/// The draft's header that tells the last piece.
pub const COMPLETE: &str = "Upload-Complete";

/// Requires the supported version of a protocol.
///
/// # Errors
/// `PRECONDITION_FAILED` for another version or none.
pub fn require_version(head: &RequestHead) -> Result<()> {
    if head.header("Tus-Resumable") == Some(VERSION) || is_draft(head) {
        return Ok(());
    }
    Err(Error::new(Code::PreconditionFailed, format!("`Tus-Resumable` must be {VERSION}.")))
}

/// True for a request by the draft.
pub fn is_draft(head: &RequestHead) -> bool {
    head.header(INTEROP_VERSION) == Some(SPOKEN_VERSION)
}

/// True if the file ends with the piece of this request. By tus, its length tells that.
///
/// # Errors
/// `INVALID_REQUEST` if a request by the draft says neither `?1` nor `?0`.
pub fn is_last(head: &RequestHead) -> Result<bool> {
    match head.header(COMPLETE) {
        _ if !is_draft(head) => Ok(false),
        Some("?1") => Ok(true),
        Some("?0") => Ok(false),
        _ => Err(invalid(COMPLETE, Rule::Enum(vec!["?0".into(), "?1".into()]), "must be `?0` or `?1`")),
    }
}

/// A header whose value is a number of bytes.
///
/// # Errors
/// `INVALID_REQUEST` if it is missing or not a number.
pub fn bytes(head: &RequestHead, name: &'static str) -> Result<u64> {
    let digits = head.header(name).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|text| text.parse().ok());
    number.ok_or_else(|| invalid(name, Rule::types(["integer"]), "must be a number of bytes"))
}

/// The length of a new upload; `None` if the client tells it later: by tus with `Upload-Defer-Length: 1`.
///
/// # Errors
/// `INVALID_REQUEST` if there is neither, or both.
pub fn length_or_deferred(head: &RequestHead) -> Result<Option<u64>> {
    match head.header(DEFER_LENGTH) {
        None if is_draft(head) => late_length(head),
        None => bytes(head, LENGTH).map(Some),
        Some("1") if head.header(LENGTH).is_none() => Ok(None),
        Some("1") => Err(invalid(DEFER_LENGTH, Rule::conflict("Upload-Length"), "excludes `Upload-Length`")),
        Some(_) => Err(invalid(DEFER_LENGTH, Rule::Enum(vec!["1".into()]), "must be `1`")),
    }
}

/// The length of an upload that was begun without it, if a piece tells it.
///
/// # Errors
/// `INVALID_REQUEST` if it is not a number.
pub fn late_length(head: &RequestHead) -> Result<Option<u64>> {
    head.header(LENGTH).map(|_| bytes(head, LENGTH)).transpose()
}

/// The `Upload-Concat` header.
///
/// # Errors
/// `INVALID_REQUEST` if it is malformed.
pub fn concatenation(head: &RequestHead) -> Result<Concatenation> {
    match head.header(CONCAT).map(str::trim) {
        None => Ok(Concatenation::None),
        Some("partial") => Ok(Concatenation::Partial),
        Some(text) => {
            let message = "must be `partial`, or `final;` and the URLs of partial uploads";
            let ids = text.strip_prefix("final;").and_then(parse_uploads);
            let ids = ids.ok_or_else(|| invalid(CONCAT, Rule::format("tus-concatenation"), message))?;
            if ids.len() > PARTS_MAX {
                return Err(invalid(
                    CONCAT,
                    Rule::MaxItems(PARTS_MAX),
                    format!("must name at most {PARTS_MAX} uploads"),
                ));
            }
            Ok(Concatenation::Final(ids))
        }
    }
}

/// The ids at the end of absolute or relative URLs of uploads.
fn parse_uploads(urls: &str) -> Option<Vec<UploadId>> {
    let ids: Option<Vec<UploadId>> =
        urls.split_whitespace().map(|url| url.rsplit('/').next()?.parse().ok()).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// The refusal of a header.
pub fn invalid(header: &'static str, rule: Rule, message: impl Into<String>) -> Error {
    Error::invalid(header, rule, message).at(Location::Header)
}

/// The metadata of an upload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The header, unchanged.
    pub text: String,
    /// The file's name: `filename`.
    pub file_name: Option<String>,
    /// The object whose file is replaced: `replaces`, and `ifMatch`.
    pub replaces: Option<(ObjectId, Replacement)>,
}

impl Metadata {
    /// Reads the `Upload-Metadata` header.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is too long or malformed.
    pub fn of_head(head: &RequestHead) -> Result<Self> {
        let text = head.header(METADATA).unwrap_or_default();
        if text.len() > METADATA_MAX_BYTES {
            return Err(Error::broken(METADATA, Rule::MaxBytes(METADATA_MAX_BYTES)).at(Location::Header));
        }
        Self::parse(text)
    }

    /// Reads the text of the header.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is malformed.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |message| invalid(METADATA, Rule::format("tus-metadata"), message);
        let mut metadata = Self { text: text.to_owned(), ..Self::default() };
        let (mut object, mut expected) = (None, None);
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
            let value = STANDARD.decode(value.trim()).map_err(|_| invalid("must hold values in Base64"))?;
            let text = || String::from_utf8(value).map_err(|_| invalid("must hold names and ids in UTF-8"));
            match key {
                "filename" => metadata.file_name = Some(text()?),
                "replaces" => {
                    let id =
                        text()?.parse().map_err(|_| invalid("must name the object to replace by its id"))?;
                    object = Some(id);
                }
                "ifMatch" => {
                    let tags = IfMatch::parse(METADATA, &text()?);
                    expected = Some(tags.map_err(|error| error.at(Location::Header))?);
                }
                _ => {}
            }
        }
        metadata.replaces = object.map(|object| (object, Replacement { expected }));
        Ok(metadata)
    }
}

/// The expected checksum of a piece, if the client sends one.
///
/// # Errors
/// `INVALID_REQUEST` for an unknown algorithm or a malformed value.
pub fn checksum(head: &RequestHead) -> Result<Option<Checksum>> {
    let Some(text) = head.header("Upload-Checksum") else { return Ok(None) };
    parse_checksum(text).map(Some).ok_or_else(|| {
        invalid(
            "Upload-Checksum",
            Rule::format("tus-checksum"),
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
    use domain::content::edit::IfMatch;

    use super::{Metadata, parse_checksum, parse_uploads};
    use crate::blobs::hashing::Checksum;

    #[test]
    fn parts_are_named_by_absolute_and_relative_urls() {
        let id = "0198c5f0-0000-7000-8000-000000000001";
        let ids = Some(vec![id.parse().unwrap(); 2]);
        assert_eq!(parse_uploads(&format!("https://data.test/v1/x/{id} /v1/x/{id}")), ids);
        for bad in ["", " ", "/v1/x", &format!("/v1/{id}/"), &format!("/v1/{id} x")] {
            assert_eq!(parse_uploads(bad), None, "{bad}");
        }
    }

    #[test]
    fn metadata_names_the_file_and_the_object_that_it_replaces() {
        // gear.stp, the id below, and "abc" in quotes.
        let text = "filename Z2Vhci5zdHA=,replaces MDE5OGM1ZjAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAx,ifMatch ImFiYyI=,x";
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!((metadata.text.as_str(), metadata.file_name.as_deref()), (text, Some("gear.stp")));
        let (object, replacement) = metadata.replaces.unwrap();
        assert_eq!(object.to_string(), "0198c5f0-0000-7000-8000-000000000001");
        assert_eq!(replacement.expected, Some(IfMatch::Tags(vec!["abc".to_owned()])));
        assert_eq!(Metadata::parse("ifMatch ImFiYyI=").unwrap().replaces, None);
        for bad in ["filename ?", "filename /w==", "replaces", "replaces YQ==", "ifMatch"] {
            assert!(Metadata::parse(bad).is_err(), "{bad}");
        }
    }

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
