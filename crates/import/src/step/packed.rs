//! STEP files that are packed alone: by gzip (`.stp.gz`, `.stpz`), or as the only file of a ZIP (`.stpz`, `.zip`).

use std::io::{self, BufReader, Cursor, Read, Seek};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use super::begins;
use crate::archive::leftovers::is_leftover;
use crate::conversion::HEAD_BYTES;

/// Largest unpacked file, in bytes; it is held in memory.
pub const UNPACKED_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Media type of a STEP file in a ZIP.
const ZIP_MEDIA_TYPE: &str = "model/step+zip";
/// Media type of a STEP file packed by gzip.
const GZIP_MEDIA_TYPE: &str = "application/gzip";

/// First bytes of the two.
const ZIP_MARK: &[u8] = b"PK\x03\x04";
const GZIP_MARK: &[u8] = b"\x1f\x8b";

/// An unpacked file.
pub(crate) struct Unpacked {
    /// Media type of the packed file.
    pub(crate) media_type: &'static str,
    /// The content; `None` if it is larger than [`UNPACKED_MAX_BYTES`].
    pub(crate) content: Option<Cursor<Vec<u8>>>,
}

/// True for a file that may be packed.
pub(crate) fn may_be_packed(head: &[u8]) -> bool {
    head.starts_with(ZIP_MARK) || head.starts_with(GZIP_MARK)
}

/// The STEP file that is packed in this one; `None` for other files. Of a damaged one, the beginning.
///
/// # Errors
/// Failures of seeking.
pub(crate) fn unpack<R: Read + Seek>(head: &[u8], mut input: R) -> io::Result<Option<Unpacked>> {
    input.rewind()?;
    if head.starts_with(GZIP_MARK) {
        let content = read(MultiGzDecoder::new(BufReader::new(input)));
        return Ok(content.map(|content| Unpacked { media_type: GZIP_MEDIA_TYPE, content }));
    }
    if !head.starts_with(ZIP_MARK) {
        return Ok(None);
    }
    Ok(only_file(input).map(|content| Unpacked { media_type: ZIP_MEDIA_TYPE, content }))
}

/// The content of the only file in a ZIP, if that is a STEP file.
fn only_file<R: Read + Seek>(input: R) -> Option<Option<Cursor<Vec<u8>>>> {
    let mut archive = ZipArchive::new(BufReader::new(input)).ok()?;
    let mut files = (0..archive.len()).filter(|place| {
        archive.by_index_data(*place).is_ok_and(|entry| {
            let path = String::from_utf8_lossy(entry.name_raw()).into_owned();
            !path.ends_with('/') && !is_leftover(&path)
        })
    });
    let only = files.next().filter(|_| files.next().is_none())?;
    read(archive.by_index(only).ok()?)
}

/// The content of a STEP file; `None` for another one, within `None` if it is too large.
fn read(mut from: impl Read) -> Option<Option<Cursor<Vec<u8>>>> {
    let mut content = Vec::new();
    // A failure ends the content, whose beginning may be of use.
    drop(from.by_ref().take(HEAD_BYTES).read_to_end(&mut content));
    if !begins(&content) {
        return None;
    }
    drop(from.take(UNPACKED_MAX_BYTES).read_to_end(&mut content));
    let is_too_large = u64::try_from(content.len()).is_ok_and(|length| length > UNPACKED_MAX_BYTES);
    Some((!is_too_large).then(|| Cursor::new(content)))
}
