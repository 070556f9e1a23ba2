//! Rules on sentences: phrases that are read twice before they are understood, doc comments that paraphrase a noun, and
//! lines of prose that are too long.

/// Phrases, and the advice for each.
const WORN_OUT: [(&str, &str); 18] = [
    ("anew", "say `again`, or name what begins"),
    ("are none", "say `there are no ...`, or use a verb"),
    ("as many as", "say `at most`, or name the number"),
    ("belts", "name the safeguard"),
    ("by itself", "say `alone`"),
    ("goes with", "say `belongs to`, or `is deleted with`"),
    ("in mid-way", "say `halfway`, or `while it runs`"),
    ("is none", "say `is not a ...`, or `there is no ...`"),
    ("now and then", "say `periodically`, or how often"),
    ("of its own accord", "say `without a request`"),
    ("so many", "name the number, or say `this many`"),
    ("such as", "list the cases, or say `for example`"),
    ("the like", "list the cases"),
    ("there where", "say `where`"),
    ("thereby", "say `so`, or begin a sentence"),
    ("unless said", "say `by default`"),
    ("whatever", "say `any`, or name the cases"),
    ("whoever", "name the person or program: the caller, the client, the holder"),
];
/// First words of a doc comment that stand for a noun.
const PARAPHRASES: [&str; 2] = ["What", "Whether"];
/// Columns of a line of prose.
const WIDEST: usize = 120;
/// Columns of a line of a comment. rustfmt leaves comments as they are.
const WIDEST_COMMENT: usize = 160;
/// The beginnings of such lines.
const COMMENT_MARKS: [&str; 4] = ["//", "/*", "--", "# "];
/// The files that people write sentences in, by the ends of their names.
const WRITTEN: [&str; 14] = [
    ".rs",
    ".md",
    ".sql",
    ".sh",
    ".yaml",
    ".toml",
    ".env",
    ".lua",
    ".py",
    ".mjs",
    ".ts",
    ".tsx",
    "Containerfile",
    ".ci/run",
];
/// The list above.
const THIS_FILE: &str = "xtask/src/tidy/language.rs";

/// Every phrase of the list in a file.
pub(super) fn worn_out(path: &str, text: &str) -> Vec<String> {
    if path == THIS_FILE || !WRITTEN.iter().any(|end| path.ends_with(end)) {
        return Vec::new();
    }
    let words = words(text);
    let mut complaints = Vec::new();
    for start in 0..words.len() {
        let rest = words.get(start..).unwrap_or_default();
        for (phrase, advice) in WORN_OUT {
            if begins_with(rest, phrase) {
                let line = rest.first().map_or(0, |word| word.line);
                complaints.push(format!("{path}:{line}: \"{phrase}\": {advice}"));
            }
        }
    }
    complaints
}

/// Doc comments that begin with a paraphrase.
pub(super) fn paraphrases(path: &str, text: &str) -> Vec<String> {
    let is_script = path.ends_with(".ts") || path.ends_with(".tsx");
    if !is_script && !path.ends_with(".rs") {
        return Vec::new();
    }
    let doc = |number: usize, line: &str| {
        let marks: &[&str] = match (is_script, number) {
            (false, _) => &["/// ", "//! "],
            // The first line of a script describes the file.
            (true, 1) => &["// ", "/** "],
            (true, _) => &["/** "],
        };
        marks.iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(str::to_owned)
    };
    let mut complaints = Vec::new();
    let mut previous = None;
    for (number, line) in (1..).zip(text.lines()) {
        let comment = doc(number, line);
        if let (None, Some(comment)) = (&previous, &comment)
            && let Some(word) = PARAPHRASES.iter().find(|word| comment.split(' ').next() == Some(word))
        {
            complaints
                .push(format!("{path}:{number}: a doc comment that begins with \"{word}\": name the thing"));
        }
        previous = comment;
    }
    complaints
}

/// Lines beyond [`WIDEST`] columns, of pages and of tests, whose snapshots rustfmt leaves as they are, and comments beyond
/// [`WIDEST_COMMENT`]. Tables, code and targets of links in pages don't count.
pub(super) fn wide_lines(path: &str, text: &str) -> Vec<String> {
    let page = path.ends_with(".md");
    let source = !page && WRITTEN.iter().any(|end| path.ends_with(end));
    let test = path.contains("/tests/") && (path.ends_with(".rs") || path.ends_with(".mjs"));
    let mut complaints = Vec::new();
    let mut code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        let prose = page && !code && !line.trim_start().starts_with('|');
        let width = if page { without_targets(line).chars().count() } else { line.chars().count() };
        let comment = source && COMMENT_MARKS.iter().any(|mark| line.trim_start().starts_with(mark));
        let widest = if test || prose { WIDEST } else { WIDEST_COMMENT };
        if (test || prose || comment) && width > widest {
            complaints.push(format!("{path}:{number}: {width} columns, {widest} at most"));
        }
    }
    complaints
}

/// A line of Markdown without the targets of its links.
fn without_targets(line: &str) -> String {
    let mut pieces = line.split("](");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + "]" + piece.split_once(')').map_or(piece, |(_, rest)| rest))
}

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    text: String,
    line: usize,
    /// Nothing but white space, or the beginning of another line of the comment, is between it and the one before.
    follows: bool,
}

/// The words of a file. The names of functions, which are sentences in tests, are taken apart; other names are one word.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim_start_matches(|c: char| c.is_whitespace() || "/!#*-".contains(c));
        let mut follows = true;
        let mut function = false;
        for piece in content.split_inclusive(|c: char| !is_part(c)) {
            let word = piece.trim_end_matches(|c| !is_part(c));
            let parts: Vec<&str> = word.split('_').collect();
            // A shorter name is a method's, for example `is_none`.
            let sentence = function && parts.len() > 2;
            for (position, text) in (if sentence { parts } else { vec![word] }).into_iter().enumerate() {
                if !text.is_empty() {
                    words.push(Word { text: text.to_owned(), line, follows: follows || position > 0 });
                    follows = true;
                }
            }
            function = word == "fn";
            follows &= piece.strip_prefix(word).is_none_or(|rest| rest.chars().all(char::is_whitespace));
        }
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_-'".contains(c)
}

fn begins_with(words: &[Word], phrase: &str) -> bool {
    phrase.split(' ').enumerate().all(|(position, wanted)| {
        words.get(position).is_some_and(|word| {
            // `None` is a value of Rust's; at the beginning of a sentence a word is the same with a capital letter.
            let same =
                if position == 0 { word.text.eq_ignore_ascii_case(wanted) } else { word.text == wanted };
            same && (position == 0 || word.follows)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{WIDEST, WIDEST_COMMENT, paraphrases, wide_lines, worn_out};

    #[test]
    fn a_phrase_of_the_list_is_refused_with_its_line_and_advice() {
        assert_eq!(
            worn_out("a.rs", "//! A page.\n\n/// It is there unless said otherwise.\n"),
            ["a.rs:3: \"unless said\": say `by default`"]
        );
        for (path, text) in [
            ("a.md", "Whoever comes"),
            ("a.sql", "-- there are so\n-- many of them"),
            ("a.rs", "    /// It is\n    /// none."),
            ("a.rs", "fn a_path_that_is_none_of_ours_is_refused() {}"),
            ("a.rs", "log(\"begins anew\")"),
            ("deploy/Containerfile", "# by itself"),
        ] {
            assert_eq!(worn_out(path, text).len(), 1, "{text}");
        }
    }

    #[test]
    fn names_values_and_the_ends_of_sentences_are_no_phrases() {
        for text in [
            "if value.is_none() {}",
            "fn is_none() {}",
            "/// What there is. None of it stays.",
            "/// The field is None.",
            "/// That is so; many follow.",
            "renewed",
        ] {
            assert!(worn_out("a.rs", text).is_empty(), "{text}");
        }
        assert!(worn_out("Cargo.lock", "anew").is_empty());
    }

    #[test]
    fn a_doc_comment_begins_with_its_noun() {
        assert_eq!(
            paraphrases("a.rs", "//! What a file is.\n\n/// Whether it is open.\nfn f() {}\n").len(),
            2
        );
        for text in [
            "/// A file, and\n/// What it holds.",
            "// What is next",
            "/// Whatever",
            "let a = \"/// What b\";",
        ] {
            assert!(paraphrases("a.rs", text).is_empty(), "{text}");
        }
        assert!(paraphrases("a.md", "/// What").is_empty());
        assert_eq!(paraphrases("a.ts", "// What a file is.\n\n  /** Whether it is open. */\n").len(), 2);
        assert!(paraphrases("a.ts", "// A file.\n\n// What is next\n").is_empty());
    }

    #[test]
    fn lines_of_prose_and_of_tests_are_bounded_and_tables_code_and_targets_are_not() {
        let wide = "x ".repeat(WIDEST);
        assert_eq!(wide_lines("a.md", &wide).len(), 1);
        let link = format!("A [page](https://{}).", "x".repeat(WIDEST));
        for text in [&"x".repeat(WIDEST), &format!("| {wide} |"), &format!("```sh\n{wide}\n```\n"), &link] {
            assert!(wide_lines("a.md", text).is_empty(), "{text}");
        }
        assert!(wide_lines("crates/a/src/a.rs", &wide).is_empty());
        assert_eq!(wide_lines("crates/a/tests/a.rs", &format!("| {wide}")).len(), 1);
        let comment = "x".repeat(WIDEST_COMMENT);
        assert_eq!(wide_lines("crates/a/src/a.rs", &format!("    /// {comment}")).len(), 1);
        assert_eq!(wide_lines("crates/a/src/a.sql", &format!("-- {comment}")).len(), 1);
        assert!(wide_lines("crates/a/src/a.sql", &format!("select '{comment}'")).is_empty());
    }
}
