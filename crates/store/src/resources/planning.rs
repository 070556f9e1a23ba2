//! Cards, tags, boards, teams, sprints.

pub mod boards;
pub mod calendars;
pub mod card_tags;
pub mod card_types;
pub mod cards;
pub mod custom_fields;
pub mod imports;
pub mod my_work;
pub mod organization_export;
pub mod past;
pub mod project_export;
pub mod reports;
pub mod saved_views;
pub mod sprints;
pub mod teams;
