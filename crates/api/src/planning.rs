//! Operations of planning: cards, tags, boards, teams, sprints, history.

pub mod boards;
pub mod calendars;
pub mod card_tags;
pub mod card_types;
pub mod cards;
pub mod custom_fields;
pub mod history;
pub mod imports;
pub mod my_work;
pub mod reports;
pub mod saved_views;
pub mod sprints;
pub mod teams;
