//! The pages of the control plane: `/`, and the documentation below `/docs`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod browser;
mod content;
mod crawl;
mod front;
