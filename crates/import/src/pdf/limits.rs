//! Limits of reading and rendering PDFs.

/// Largest file in bytes; it is held in memory.
pub const FILE_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Most pages that become objects.
pub const PAGES_MAX: usize = 10_000;
/// Longest side of a page's image, in pixels.
pub const SIDE_MAX: u16 = 8_192;
/// Most pixels of a page's image, which take four bytes each during rendering.
pub const PIXELS_MAX: u32 = 20_000_000;
/// Longest text of a property or of a heading, in characters.
pub const TEXT_MAX_CHARS: usize = 1024;
/// Longest text of a page, in bytes.
pub const PAGE_TEXT_MAX: usize = 64 * 1024;
/// Longest text that stands for a part of a page, in bytes as the file has it.
pub const ACTUAL_TEXT_MAX: usize = 4 * 1024;
/// Most text of all pages, in bytes.
pub const DOCUMENT_TEXT_MAX: usize = 16 * 1024 * 1024;
/// Most headings of an outline.
pub const HEADINGS_MAX: usize = 1_000;
/// Most levels of an outline, of a tree of names, and of XMP.
pub const LEVELS_MAX: usize = 16;
/// Most named destinations that are searched for an outline.
pub const NAMES_MAX: usize = 20_000;
/// Longest part of a document's XMP that is read, in bytes.
pub const XMP_MAX: usize = 1024 * 1024;
/// Longest compressed XMP, in bytes. Decompression may multiply it by a thousand.
pub const XMP_CODED_MAX: usize = 64 * 1024;
/// Most nodes of a page tree that are visited for the order of the pages; larger trees keep the order of reading.
pub const NODES_MAX: usize = 100_000;
