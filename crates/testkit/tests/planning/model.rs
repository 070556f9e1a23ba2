//! Random planning operations by several clients, compared with models.
//!
//! The seed is printed; `PLANNING_SEED=<number>` runs a failure again.

mod boards;
mod cards;
mod past;

/// The environment variable that repeats a run.
const SEED: &str = "PLANNING_SEED";
