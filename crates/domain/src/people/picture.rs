//! Pictures of people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::Sha256Hash;
use crate::id::UserId;

/// Most bytes of an image that is sent to become a picture.
pub const SENT_MAX_BYTES: u64 = 1024 * 1024;
/// Most bytes of a picture. The largest PNG of its 256 by 256 pixels is smaller.
pub const PICTURE_MAX_BYTES: u64 = 512 * 1024;

/// The picture that a person has, by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PictureRef {
    /// The person.
    pub user_id: UserId,
    /// SHA-256 of the picture's bytes, by which `getPicture` answers it. Another picture has another one.
    pub sha256: Sha256Hash,
}

/// True for the beginning of a PNG, JPEG or WebP file.
pub fn is_image(head: &[u8]) -> bool {
    let is_webp = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP");
    head.starts_with(b"\x89PNG\r\n\x1a\n") || head.starts_with(b"\xff\xd8\xff") || is_webp
}

#[cfg(test)]
mod tests {
    use super::is_image;

    #[test]
    fn images_are_known_by_their_beginning() {
        for image in [&b"\x89PNG\r\n\x1a\n\0"[..], b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBPVP8 "] {
            assert!(is_image(image), "{image:?}");
        }
        for other in [&b""[..], b"\x89PNG", b"GIF89a", b"BM", b"RIFF\0\0\0\0WAVEfmt ", b"<svg>", b"RIFF"] {
            assert!(!is_image(other), "{other:?}");
        }
    }
}
