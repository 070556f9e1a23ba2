//! How much of a PDF is read and rendered.

/// Largest file that is read, in bytes: it is held in memory.
pub const FILE_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Most pages that become objects.
pub const PAGES_MAX: usize = 10_000;
/// Longest side of a page's image, in pixels.
pub const SIDE_MAX: u16 = 8_192;
/// Most pixels of a page's image. Four bytes each are held while it is rendered.
pub const PIXELS_MAX: u32 = 20_000_000;
/// Longest text of a property or of a heading, in characters.
pub const TEXT_MAX_CHARS: usize = 1024;
/// Longest text of a page, in bytes.
pub const PAGE_TEXT_MAX: usize = 64 * 1024;
/// Most text of all pages, in bytes.
pub const DOCUMENT_TEXT_MAX: usize = 16 * 1024 * 1024;
/// Most headings of an outline.
pub const HEADINGS_MAX: usize = 1_000;
/// Most levels of an outline, of a tree of names, and of XMP.
pub const LEVELS_MAX: usize = 16;
/// Most names of places that are looked through for an outline's.
pub const NAMES_MAX: usize = 20_000;
/// Most of a document's XMP that is read, in bytes.
pub const XMP_MAX: usize = 1024 * 1024;
/// Longest packed XMP that is unpacked, in bytes. It may become a thousand times as long.
pub const XMP_CODED_MAX: usize = 64 * 1024;
/// Nodes of a tree of pages that are visited to find the order of the pages; beyond, they are as they were read.
pub const NODES_MAX: usize = 100_000;
