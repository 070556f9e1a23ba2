//! Cards with their parts and their history over HTTP. One file for each concern.

mod attachments;
mod bulk;
mod catalog;
mod changes;
mod checklist;
mod comments;
mod commits;
mod creation;
mod custom_fields;
mod deletion;
mod export;
mod far_relations;
mod fields;
mod filters;
mod heads;
mod history;
mod keys;
mod links;
mod listing;
mod mentions;
mod my_work;
mod parents;
mod races;
mod relations;
mod search;
mod support;
