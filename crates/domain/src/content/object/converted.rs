//! The parts of an object that conversions write.

use super::{ASSEMBLY_TYPE, CODE_TYPE, CONVERSION, DOCUMENT_TYPE, FILE_TYPE, Object, PAGE_TYPE, PART_TYPE};

/// The fields of an object's data that conversions write. Every other field is a user's own.
pub const CONVERTED_DATA: [&str; 14] = [
    CONVERSION,
    "definition",
    "document",
    "encoding",
    "header",
    "image",
    "language",
    "notebook",
    "occurrence",
    "occurrences",
    "page",
    "placement",
    "text",
    "units",
];

impl Object {
    /// True if a conversion made it of another object's file: a part without a file, or a page with its image. An object
    /// that a user retyped counts as the user's.
    pub fn is_converted_part(&self) -> bool {
        match self.object_type.as_str() {
            PAGE_TYPE => self.kind.is_some(),
            ASSEMBLY_TYPE | PART_TYPE => self.kind.is_some() && self.file.is_none(),
            _ => false,
        }
    }

    /// True if a conversion may have chosen its type.
    pub fn has_converted_type(&self) -> bool {
        [ASSEMBLY_TYPE, CODE_TYPE, DOCUMENT_TYPE, FILE_TYPE, PAGE_TYPE, PART_TYPE]
            .contains(&self.object_type.as_str())
    }
}
