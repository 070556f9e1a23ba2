//! How much of a STEP file's product structure is read. Its geometry has no limits, as nothing of it is kept.

/// Longest statement that is kept whole, in bytes. An assembly lists its parts' placements in one.
pub const STATEMENT_MAX: usize = 1024 * 1024;
/// Most bytes of statements that are kept.
pub const STRUCTURE_MAX: usize = 256 * 1024 * 1024;
/// Most statements that are kept.
pub const RECORDS_MAX: usize = 2_000_000;
/// Most lists in each other.
pub const NESTING_MAX: usize = 32;
/// Most occurrences that become an object each; of a tree with more, products do.
pub const OCCURRENCES_MAX: u64 = 100_000;
/// Most levels of a tree.
pub const DEPTH_MAX: usize = 256;
/// Longest text of a property, in characters.
pub const TEXT_MAX_CHARS: usize = 1024;
/// Most bytes of text in all objects of a file together. A text of the file may be one of a hundred thousand occurrences,
/// so that a small file could else become gigabytes.
pub const TEXTS_MAX_BYTES: usize = 32 * 1024 * 1024;
