//! Planning over HTTP: cards, teams with their boards and sprints, and both compared with models.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cards;
mod imports;
mod model;
mod teams;
mod views;
