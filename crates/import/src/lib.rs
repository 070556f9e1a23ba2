//! From a file to the objects that it becomes: STEP files to their product structure, PDFs to pages, source files to
//! code, every other file to a reference.
//!
//! Pure readers: bytes and a name go in, plain data comes out. They read what strangers uploaded, so that every count,
//! length and depth has a limit, and no reader allocates by what a file claims. Not here: where bytes lie, ids,
//! trees of projects, and the process that readers are confined to.

mod conversion;
mod convert;
mod pdf;
mod plain;
mod settings;
mod source;
mod step;
mod unread;
mod utf32;

pub use conversion::{
    Conversion, Draft, DraftType, FailureCode, IMAGE_MEDIA_TYPE, ImageSpan, InvalidConversion, OBJECTS_MAX,
};
pub use convert::{HEAD_BYTES, convert};
pub use settings::{RESOLUTIONS_DPI, Settings};
pub use source::SOURCE_MAX_BYTES;
pub use step::limits;
pub use unread::{convert_unread, is_rendered, unconverted};
