//! Shapes in files as scenes of placed meshes, with their GLB files and pictures.
//!
//! Pure: bytes in, bytes out. Files are untrusted: each count, length and depth has a limit, and what a file claims
//! allocates no memory. Not here: storage, ids of objects, and the sandbox around the readers.

pub mod glb;
pub mod meshes;
pub mod picture;
pub mod scene;
pub mod step;
