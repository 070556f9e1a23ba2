//! The form that brings an image.

use actix_multipart::form::MultipartForm;
use actix_multipart::form::tempfile::TempFile;
use serde_json::{Value, json};
use wire::{FormFields, Schemas};

/// The fields of the form.
#[derive(MultipartForm)]
#[multipart(deny_unknown_fields, duplicate_field = "deny")]
pub struct PictureForm {
    /// The image. It lies on the disk.
    #[multipart(limit = "1MiB")]
    pub file: TempFile,
}

impl FormFields for PictureForm {
    const REQUIRED: &'static [&'static str] = &["file"];
    // The image, and the lines around it.
    const LIMIT_BYTES: usize = (1024 + 16) * 1024;

    fn properties(_: &mut Schemas) -> Value {
        json!({
            "file": { "type": "string", "format": "binary", "description": "PNG, JPEG or WebP, of at most 1 MiB." },
        })
    }

    fn example() -> Value {
        json!({ "file": "@me.jpg" })
    }
}
