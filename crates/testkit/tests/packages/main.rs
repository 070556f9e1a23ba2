//! Public packages and includes. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cycles;
mod includes;
mod publishing;
mod support;
