//! Colours of code. Four small languages need strings, comments, numbers and words told apart; the libraries that do it
//! for every language bring megabytes of grammars, and several times the markup.

/// Words of TypeScript that are coloured.
const TYPESCRIPT: [&str; 12] =
    ["const", "let", "await", "async", "new", "if", "throw", "return", "import", "from", "true", "false"];
/// Words of Python that are coloured.
const PYTHON: [&str; 12] =
    ["import", "from", "with", "as", "if", "for", "in", "return", "open", "True", "False", "None"];
/// Words of shells that are coloured.
const SHELL: [&str; 12] =
    ["curl", "git", "for", "in", "do", "done", "if", "then", "fi", "while", "cargo", "printf"];
/// Words of JSON that are coloured.
const JSON: [&str; 3] = ["true", "false", "null"];

/// The code as HTML, with classes for its parts. An unknown language is only escaped.
pub(crate) fn highlight(language: &str, code: &str) -> String {
    let (words, comment): (&[&str], &str) = match language {
        "json" => (&JSON, "\0"),
        "sh" | "console" | "bash" => (&SHELL, "#"),
        "typescript" => (&TYPESCRIPT, "//"),
        "python" => (&PYTHON, "#"),
        _ => return escape(code),
    };
    let mut html = String::with_capacity(code.len() * 2);
    let mut rest = code;
    let mut before = '\n';
    while let Some(first) = rest.chars().next() {
        let begins_word = !before.is_alphanumeric() && before != '_';
        let (length, class) = if rest.starts_with(comment) && before.is_whitespace() {
            (rest.find('\n').unwrap_or(rest.len()), "c")
        } else if matches!(first, '"' | '\'' | '`') {
            let length = string_length(rest, first);
            let after = rest.get(length..).unwrap_or_default();
            (length, if language == "json" && after.trim_start().starts_with(':') { "k" } else { "s" })
        } else if first.is_ascii_digit() && begins_word {
            (rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len()), "n")
        } else if first.is_alphabetic() && begins_word {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (length, if rest.get(..length).is_some_and(|word| words.contains(&word)) { "w" } else { "" })
        } else {
            (first.len_utf8(), "")
        };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match class {
            "" => html.push_str(&escape(part)),
            class => html.push_str(&format!("<span class=\"{class}\">{}</span>", escape(part))),
        }
        before = part.chars().next_back().unwrap_or('\n');
        rest = after;
    }
    html
}

/// The length in bytes of the string at the beginning of `text`, with its quotes.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::highlight;

    #[test]
    fn the_parts_of_code_have_classes_and_everything_is_escaped() {
        for (language, code, expected) in [
            ("json", r#"{"a": 1}"#, r#"{<span class="k">&quot;a&quot;</span>: <span class="n">1</span>}"#),
            ("json", r#"["a\"b"]"#, r#"[<span class="s">&quot;a\&quot;b&quot;</span>]"#),
            ("sh", "git x # y", r#"<span class="w">git</span> x <span class="c"># y</span>"#),
            ("python", "digit = 1", r#"digit = <span class="n">1</span>"#),
            ("text", "<b>", "&lt;b&gt;"),
            ("sh", "'never closed", r#"<span class="s">'never closed</span>"#),
        ] {
            assert_eq!(highlight(language, code), expected);
        }
    }
}
