//! Reports on a project's cards, computed from their history.

pub mod flow;
