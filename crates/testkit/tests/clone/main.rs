//! Projects as Git repositories, with the real `git`. One file for each concern.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod by_name;
mod clients;
mod cloning;
mod lfs;
mod limited;
mod partial;
mod refusals;
mod support;
mod wire_protocol;
