//! Texts of other tools as Markdown: Jira's wiki markup and the Atlassian Document Format.

pub mod adf;
mod markdown;
mod pieces;
pub mod wiki;

use std::collections::BTreeSet;

/// A converted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    /// Markdown.
    pub text: String,
    /// Styles and elements that Markdown lacks. Their texts stay.
    pub removed: BTreeSet<&'static str>,
}

/// The shown name of a person, by the id that a mention has.
pub type Names<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A plain text as a paragraph of Markdown.
pub(crate) fn plain(text: &str) -> String {
    pieces::render(&[pieces::Piece::Text(text.to_owned())], pieces::Within::Block)
}

/// A mention as text: the person's name, or the id if nobody is known by it.
fn mention(id: &str, names: Names<'_>) -> String {
    let name = names(id).unwrap_or_else(|| id.to_owned());
    format!("@{}", name.trim_start_matches('@'))
}
