//! Teams and their boards over HTTP. One file for each concern.

mod access;
mod available;
mod board;
mod board_changes;
mod calendars;
mod conditions;
mod deletion;
mod events;
mod flow;
mod lanes;
mod links;
mod past;
mod placement;
mod planning;
mod privacy;
mod races;
mod records;
mod report;
mod shown_fields;
mod sprints;
mod statuses;
pub(crate) mod support;
