//! Checklists of cards.

pub mod add;
pub mod delete;
pub mod list;
pub mod update;
