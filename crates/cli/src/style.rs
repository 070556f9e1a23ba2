//! Styles of this program's own words: colours, bold, dim.

/// Begins a style, in place of the escape character, which texts of others have, too. It is a code point that Unicode
/// keeps for such inner use; `output` turns it into the escape character, and shows those of others.
pub(crate) const STYLE: char = '\u{fdd0}';

/// A text in the style of these SGR parameters, as in `1;31`.
pub(crate) fn styled(parameters: &str, text: &str) -> String {
    format!("{STYLE}[{parameters}m{text}{STYLE}[0m")
}

/// A dimmed text.
pub(crate) fn dim(text: &str) -> String {
    styled("2", text)
}
