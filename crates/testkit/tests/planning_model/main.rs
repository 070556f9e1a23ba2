//! Random planning operations by several clients, compared with models.
//!
//! The seed is printed; `PLANNING_SEED=<number>` runs a failure again.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod boards;
mod cards;

/// The environment variable that repeats a run.
const SEED: &str = "PLANNING_SEED";
