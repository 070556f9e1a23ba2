//! Conversion of files to objects: STEP files to their product structure, glTF and 3MF files to their parts, PDFs to
//! pages, source files to code, other files to references. And of archives to the files in them.
//!
//! Pure readers: bytes and a name in, plain data out. Files are untrusted: every count, length and depth has a limit, and
//! no reader allocates memory by a file's claims. Not here: storage, ids, project trees, and the readers' sandbox.

pub mod archive;
mod conversion;
mod convert;
pub mod encoding;
pub mod mesh;
mod pdf;
mod plain;
mod settings;
mod source;
pub mod step;
mod text_head;
mod unread;
mod utf32;

pub use conversion::{
    Conversion, ConversionFailureCode, DraftObject, DraftType, HEAD_BYTES, IMAGE_MEDIA_TYPE, ImageSpan,
    InvalidConversion, OBJECTS_MAX,
};
pub use convert::convert;
pub use pdf::cover::pdf_cover;
pub use settings::{RESOLUTIONS_DPI, Settings};
pub use source::SOURCE_MAX_BYTES;
pub use text_head::{TextHead, text_head};
pub use unread::{convert_unread, is_rendered, media_type, unconverted};
