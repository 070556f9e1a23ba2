//! Evaluation runs: sandboxes that running executions ask for, each with a grant of its own.

pub mod create;
