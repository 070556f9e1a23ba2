//! Random operations of planning from several clients, against models of what there must be then.
//!
//! The seed is printed; `PLANNING_SEED=<number>` runs a failure again.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod boards;
mod cards;
mod random;
