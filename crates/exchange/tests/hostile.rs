//! Any text, and exports that are cut or damaged: no panic, and no letter of a plain text is lost.
//!
//! `PROPTEST_CASES` is the number of cases.

use domain::text::NAME_MAX_CHARS;
use exchange::export::Export;
use exchange::markup::wiki;
use exchange::settings::{ReadError, ReadOptions};
use exchange::table::Mapping;
use exchange::{github, jira, linear, table, trello};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization;

type Reader = fn(&[u8], &ReadOptions) -> Result<Export, ReadError>;

const EXPORTS: [(&[u8], Reader); 5] = [
    (include_bytes!("inputs/jira.csv"), jira::read),
    (include_bytes!("inputs/linear.csv"), linear::read),
    (include_bytes!("inputs/github.json"), github::read),
    (include_bytes!("inputs/trello.json"), trello::read),
    (include_bytes!("inputs/table.csv"), |bytes, options| table::read(bytes, &Mapping::default(), options)),
];

/// Markup, and pieces that come close to it.
const PIECES: [&str; 44] = [
    "*",
    "_",
    "-",
    "+",
    "^",
    "~",
    "??",
    "{{",
    "}}",
    "{code}",
    "{noformat}",
    "{quote}",
    "{panel}",
    "{panel:title=a}",
    "{color:red}",
    "{color}",
    "{adf}",
    "[",
    "]",
    "|",
    "||",
    "!",
    "a.png",
    "\\",
    "\n",
    "\n\n",
    " ",
    "h1. ",
    "bq. ",
    "# ",
    "#* ",
    "* ",
    "- ",
    "----",
    "https://example.com/a",
    "[~ada]",
    "^x",
    "word",
    "10",
    "ü",
    "😀",
    "{",
    "}",
    "{*}",
];

/// Pieces of plain text: words, numbers, and the signs that engineers write.
const PLAIN: [&str; 36] = [
    "+3.3V",
    "~10",
    "10^6",
    "10^-3",
    "-0.02",
    "+0.01",
    "25.0(+-0.1)",
    "M3x20",
    "5*3",
    "a_b",
    "snake_case_x",
    "mm",
    "and",
    "Ø12",
    "±0.05",
    "<b>",
    "&amp;",
    "R&D",
    "`x`",
    "#12",
    "1.",
    "2)",
    "=",
    "==",
    "---x",
    "> 5",
    "$5",
    "a|b",
    "50%",
    "C:\\temp",
    "x < y",
    "ü",
    "(a)",
    "*",
    "_",
    "~",
];

/// The text that a reader of Markdown sees, without white space.
fn seen(markdown: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut text = String::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph) => {}
            Event::Start(Tag::Paragraph) => {}
            other => text.push_str(&format!("{other:?}")),
        }
    }
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn letters(text: &str) -> String {
    text.nfkd().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    #[test]
    fn any_markup_is_converted(pieces in vec(select(&PIECES[..]), 0..60)) {
        let text = pieces.concat();
        let markdown = wiki::to_markdown(&text, &|_| None).text;
        prop_assert!(markdown.chars().filter(|c| *c == 'ü').count() >= text.chars().filter(|c| *c == 'ü').count());
    }

    #[test]
    fn any_text_is_converted(text in ".{0,300}") {
        wiki::to_markdown(&text, &|_| None);
    }

    #[test]
    fn plain_text_is_seen_as_it_is(pieces in vec(select(&PLAIN[..]), 1..12)) {
        // A letter first: signs at the beginning of a line are lists and headings of the wiki, too.
        let text = format!("x{}", pieces.iter().map(|piece| format!(" {piece}")).collect::<String>());
        let markdown = wiki::to_markdown(&text, &|_| None).text;
        prop_assert_eq!(letters(&markdown.replace("amp", "")), letters(&text.replace("amp", "")));
        // Words between two signs of emphasis are markup.
        let signs = ["*", "_", "~", "-", "+", "^"];
        let is_markup = pieces.iter().filter(|piece| signs.iter().any(|sign| piece.starts_with(sign))).count() > 1;
        if !is_markup {
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            prop_assert_eq!(seen(&markdown), plain, "{}", markdown);
        }
    }

    #[test]
    fn a_damaged_export_is_read_or_refused(
        export in select(&EXPORTS[..]),
        end in any::<Index>(),
        damage in vec((any::<Index>(), any::<u8>()), 0..8),
    ) {
        let (bytes, read) = export;
        let mut bytes = bytes.to_vec();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        if let Ok(export) = read(&bytes, &ReadOptions::default()) {
            for issue in export.issues {
                prop_assert!(!issue.source_id.is_empty() && issue.name.as_str().chars().count() <= NAME_MAX_CHARS);
            }
        }
    }
}

#[test]
fn too_many_issues_are_refused() {
    let options = ReadOptions { issues_max: 1, ..ReadOptions::default() };
    for (bytes, read) in EXPORTS {
        assert_eq!(read(bytes, &options).unwrap_err(), ReadError::TooManyIssues(1));
    }
}

#[test]
fn files_of_other_formats_are_refused() {
    for (_, read) in EXPORTS {
        assert_eq!(read(b"\xef\xbb\xbf \n", &ReadOptions::default()).unwrap_err(), ReadError::Empty);
    }
    let other = jira::read(b"ID,Title,Status\n1,a,b\n", &ReadOptions::default()).unwrap_err();
    assert_eq!(other.to_string(), "not an export of this tool: no column Summary");
    assert_eq!(
        trello::read(b"[1]", &ReadOptions::default()).unwrap_err(),
        ReadError::Json { line: 1, column: 2 }
    );
    assert!(matches!(
        github::read(&b"[".repeat(1_000_000), &ReadOptions::default()),
        Err(ReadError::Json { .. })
    ));
    let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(github::read(deep.as_bytes(), &ReadOptions::default()).unwrap().issues.len(), 0);
}

#[test]
fn long_runs_of_signs_are_converted_in_short_time() {
    for piece in
        ["*a ", "{code} ", "[a|", "!a.b", "{panel:x} ", "https://a.b/", "||a", "# a\n", "{{a ", "^a", "{*}a "]
    {
        let text = piece.repeat(200_000 / piece.len());
        assert!(!wiki::to_markdown(&text, &|_| None).text.is_empty(), "{piece}");
    }
}
