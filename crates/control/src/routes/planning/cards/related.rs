//! Relations between cards.

pub mod add;
pub mod list;
pub mod remove;
