//! Rows that access is decided by. Resources read and write the same ones.

pub(crate) mod card;
pub(crate) mod execution;
pub(crate) mod placement;
pub(crate) mod project;
pub(crate) mod resumable_upload;
pub(crate) mod session;
pub(crate) mod sprint;
pub(crate) mod status;
