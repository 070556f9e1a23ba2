//! Planning: cards, their boards and columns, teams, sprints, and the history of all of them.

pub mod attachment;
pub mod available;
pub mod board;
pub mod calendar;
pub mod card;
pub mod card_type;
pub mod checklist;
pub mod custom_field;
pub mod flow;
pub mod history;
pub mod import;
pub mod mention;
pub mod my_work;
pub mod organization_export;
pub mod past;
pub mod project_export;
pub mod relation;
pub mod saved_view;
pub mod sprint;
pub mod status;
pub mod tag;
pub mod team;
