//! Limits of a product structure. Geometry has no limits, because it is not kept.

/// Longest statement, in bytes; longer ones are cut. An assembly lists all its parts' placements in one.
pub const STATEMENT_MAX: usize = 1024 * 1024;
/// Most bytes of kept statements.
pub const STRUCTURE_MAX: usize = 256 * 1024 * 1024;
/// Most kept statements.
pub const RECORDS_MAX: usize = 2_000_000;
/// Most levels of nested lists.
pub const NESTING_MAX: usize = 32;
/// Most occurrences that become objects; in larger trees each product becomes one.
pub const OCCURRENCES_MAX: u64 = 100_000;
/// Most levels of a tree.
pub const DEPTH_MAX: usize = 256;
/// Longest text of a property, in characters.
pub const TEXT_MAX_CHARS: usize = 1024;
/// Most bytes of text in all objects of a file. Without a limit a small file could become gigabytes, because all
/// occurrences of a product repeat its texts.
pub const TEXTS_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Largest file whose shapes get fingerprints, in bytes. They read all geometry, a tenth as fast as the structure is
/// read, and memory holds the file meanwhile.
pub const GEOMETRY_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Most statements of properties, materials, layers and documents. Others are not read.
pub const DETAILS_MAX: usize = 200_000;
/// Most bytes of these statements.
pub const DETAILS_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Longest statement of a single property or unit, in bytes.
pub const SHORT_MAX: usize = 8 * 1024;
/// Most properties of a definition, and most layers.
pub const PROPERTIES_MAX: usize = 100;
