//! Cells with parts: comments, attachments, guarded texts, several names.

/// Signs behind which spreadsheets calculate: those of Linear's exports (@linear/import 3.2.14), and those that Atelier's
/// own tables guard.
const GUARDED: &str = "+-=@∑√∏<>＜＞≤≥＝≠±÷×\t\r";

/// A text without the apostrophe that guards a sign. Other apostrophes are the author's.
pub(super) fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| rest.starts_with(|c| GUARDED.contains(c))).unwrap_or(text)
}

/// Time, author and text of `time;author;text`. The text may have semicolons.
pub(super) fn comment(cell: &str) -> Option<[&str; 3]> {
    let (time, rest) = cell.split_once(';')?;
    let (author, text) = rest.split_once(';')?;
    Some([time, author, text])
}

/// Time, author, name and address of `time;author;name;address`. The name may have semicolons; an address encodes
/// them.
pub(super) fn attachment(cell: &str) -> Option<[&str; 4]> {
    let [time, author, file] = comment(cell)?;
    let (name, address) = file.rsplit_once(';')?;
    Some([time, author, name, address])
}

/// The values of a cell between separators; without a separator the cell is one value.
pub(super) fn values<'a>(cell: &'a str, separator: Option<&str>) -> Vec<&'a str> {
    let values = match separator {
        Some(separator) => cell.split(separator).collect(),
        None => vec![cell],
    };
    values.into_iter().map(str::trim).filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{attachment, comment, unguarded};

    #[test]
    fn only_an_apostrophe_before_a_guarded_sign_is_removed() {
        for (cell, text) in [
            ("'±0.1 mm", "±0.1 mm"),
            ("'-12V", "-12V"),
            ("'=x", "=x"),
            ("''=x", "''=x"),
            ("'tis", "'tis"),
            ("x'=", "x'="),
            ("'", "'"),
        ] {
            assert_eq!(unguarded(cell), text);
        }
    }

    #[test]
    fn names_and_texts_may_have_semicolons() {
        assert_eq!(comment("t;a;one; two"), Some(["t", "a", "one; two"]));
        assert_eq!(
            attachment("t;a;x;y.png;https://example.com/1"),
            Some(["t", "a", "x;y.png", "https://example.com/1"])
        );
        assert_eq!((comment("one; two"), attachment("t;a;x")), (None, None));
    }
}
