//! Cards with their parts and their history over HTTP. One file for each concern.

mod bulk;
mod catalog;
mod changes;
mod comments;
mod creation;
mod deletion;
mod heads;
mod history;
mod links;
mod listing;
mod races;
mod search;
mod support;
