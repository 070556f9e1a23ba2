//! Conversion of uploaded files over HTTP: trees and pages of real files, and hostile files.

mod deferred;
mod expected;
mod hostile;
mod meshes;
mod objects;
pub(crate) mod support;
mod workers;
