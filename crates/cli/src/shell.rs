//! Arguments in suggested commands, quoted so that a shell reads each as one word.

use std::borrow::Cow;

/// The text as one word of a shell. Quotes stand only where a shell, or its reader, could take the text for something
/// else.
pub(crate) fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | ':' | '@' | '-' | ',');
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_one_word() {
        let shown = ["acme/Makers", "gearbox--f:/Model", "a b", "it's", "$(x)", "漢字", ""].map(quoted);
        let expected = ["acme/Makers", "gearbox--f:/Model", "'a b'", r"'it'\''s'", "'$(x)'", "'漢字'", "''"];
        assert_eq!(shown, expected);
    }
}
