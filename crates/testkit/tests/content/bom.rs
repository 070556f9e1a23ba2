//! Bills of materials, and where parts are used. One file for each concern.

mod bills;
mod packages;
pub(crate) mod support;
mod tables;
mod uses;
