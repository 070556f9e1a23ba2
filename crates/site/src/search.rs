//! The index of the search, which the pages' script reads.

use serde_json::{Value, json};

/// Something that the search finds.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) url: String,
    /// The part of the site, as results show it.
    pub(crate) place: String,
    /// More words by which it is found.
    pub(crate) words: String,
}

/// The index: a list of `[title, url, place, words]`.
pub(crate) fn index(entries: &[Entry]) -> String {
    let rows = entries.iter().map(|entry| json!([entry.title, entry.url, entry.place, entry.words]));
    Value::Array(rows.collect()).to_string()
}
