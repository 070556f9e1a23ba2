//! Cards, tags, boards, teams, sprints.

pub mod boards;
pub mod card_tags;
pub mod cards;
pub mod sprints;
pub mod teams;
