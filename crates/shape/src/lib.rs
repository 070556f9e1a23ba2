//! Shapes in files as scenes of placed meshes, with their GLB files and pictures. And pictures of what is flat.
//!
//! Pure: bytes in, bytes out. Files are untrusted: each count, length and depth has a limit, and what a file claims
//! allocates no memory. Not here: storage, ids of objects, and the sandbox around the readers.

pub mod flat;
pub mod glb;
pub mod measures;
pub mod meshes;
pub mod picture;
pub mod scene;
pub mod step;
pub mod stl;

/// Version of what is made of a file. Raised when the same file would give something else to look at.
pub const VERSION: i32 = 2;
