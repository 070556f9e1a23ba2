//! Lines of wiki markup, gathered to blocks: paragraphs, headings, lists and tables.

use super::Wiki;
use crate::markup::markdown;
use crate::markup::pieces::Within;

/// Deepest level of a list.
const LEVELS_MAX: usize = 10;

/// A line by its beginning.
pub(super) enum Line<'a> {
    Blank,
    Heading(usize, &'a str),
    Quote(&'a str),
    Rule,
    /// Signs of its levels, and its text.
    Item(&'a str, &'a str),
    Row(&'a str),
    Plain(&'a str),
}

/// Blocks that are whole, and the lines of the last one.
#[derive(Default)]
pub(super) struct Blocks {
    whole: Vec<String>,
    open: Open,
    /// Markers of the list's levels with the number of items.
    levels: Vec<(char, usize)>,
}

/// The block that the next line may continue.
#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    Paragraph(Vec<String>),
    /// Items that are whole, and the last one: indentation, marker, lines.
    List(Vec<String>, (usize, String, Vec<String>)),
    Table(Vec<String>),
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Blank;
        }
        if let Some((level, text)) = heading(line) {
            return Self::Heading(level, text);
        }
        if let Some(text) = line.strip_prefix("bq. ") {
            return Self::Quote(text);
        }
        if line.len() >= 4 && line.bytes().all(|byte| byte == b'-') {
            return Self::Rule;
        }
        if line.len() > 1 && line.starts_with('|') {
            return Self::Row(line);
        }
        if let Some((signs, text)) = line.split_once(' ')
            && (signs == "-"
                || signs.bytes().all(|byte| matches!(byte, b'*' | b'#' | b'-')) && !signs.starts_with('-'))
            && signs.len() <= LEVELS_MAX
        {
            return Self::Item(signs, text.trim());
        }
        Self::Plain(line)
    }
}

/// `h1. Title` to `h6. Title`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix('h')?;
    let level = rest.chars().next()?.to_digit(10).filter(|level| (1..=6).contains(level))?;
    let text = rest.get(1..)?.strip_prefix('.')?;
    (text.is_empty() || text.starts_with(' ')).then_some((usize::try_from(level).ok()?, text.trim()))
}

impl Blocks {
    /// Takes a line. One before a macro of the same line may be empty without ending a list.
    pub(super) fn line(&mut self, wiki: &Wiki<'_>, line: &str, is_before_macro: bool) {
        // A row goes on until a line that ends with a bar.
        if let Open::Table(rows) = &mut self.open
            && let Some(row) = rows.last_mut().filter(|row| !row.ends_with('|') && !line.trim().is_empty())
        {
            row.push('\n');
            row.push_str(line.trim());
            return;
        }
        let line = Line::of(line);
        match (&line, &mut self.open) {
            (Line::Blank, _) if is_before_macro => {}
            (Line::Item(signs, text), _) => self.item(wiki, signs, text),
            (Line::Row(row), Open::Table(rows)) => rows.push((*row).to_owned()),
            (Line::Row(row), _) => self.start(wiki, Open::Table(vec![(*row).to_owned()])),
            (Line::Plain(text), Open::Paragraph(lines) | Open::List(_, (_, _, lines))) => {
                lines.push((*text).to_owned())
            }
            (Line::Plain(text), _) => self.start(wiki, Open::Paragraph(vec![(*text).to_owned()])),
            _ => {
                self.start(wiki, Open::Nothing);
                self.whole.extend(wiki.single(&line));
            }
        }
    }

    /// Takes a block: into the item of a list that it follows, else for itself.
    pub(super) fn block(&mut self, wiki: &Wiki<'_>, block: String) {
        if let Open::List(items, (indent, marker, lines)) = &mut self.open {
            let first = item(wiki, *indent, marker, lines);
            let room = " ".repeat(*indent + marker.len());
            items.push(format!("{first}\n\n{}", markdown::prefixed(&block, &room, &room)));
            lines.clear();
            *marker = " ".repeat(marker.len());
            return;
        }
        self.start(wiki, Open::Nothing);
        self.whole.push(block);
    }

    /// All blocks.
    pub(super) fn finish(mut self, wiki: &Wiki<'_>) -> String {
        self.start(wiki, Open::Nothing);
        self.whole.retain(|block| !block.is_empty());
        self.whole.join("\n\n")
    }

    fn start(&mut self, wiki: &Wiki<'_>, next: Open) {
        self.levels.clear();
        match std::mem::replace(&mut self.open, next) {
            Open::Nothing => {}
            Open::Paragraph(lines) => self.whole.push(wiki.inline(&lines.join("\n"), Within::Block)),
            Open::List(mut items, (indent, marker, lines)) => {
                items.push(item(wiki, indent, &marker, &lines));
                items.retain(|item| !item.trim().is_empty());
                self.whole.push(items.join("\n"));
            }
            Open::Table(rows) => self.whole.push(table(wiki, &rows)),
        }
    }

    fn item(&mut self, wiki: &Wiki<'_>, signs: &str, text: &str) {
        let level = signs.len().min(self.levels.len() + 1);
        let sign = if signs.ends_with('#') { '#' } else { '*' };
        self.levels.truncate(level);
        match self.levels.get_mut(level - 1) {
            Some((last, number)) if *last == sign => *number += 1,
            Some(last) => *last = (sign, 1),
            None => self.levels.push((sign, 1)),
        }
        let widths = self.levels.iter().take(level - 1).map(|level| marker(*level).len());
        let next =
            (widths.sum(), marker(self.levels.last().copied().unwrap_or((sign, 1))), vec![text.to_owned()]);
        if let Open::List(items, last) = &mut self.open {
            let (indent, marker, lines) = std::mem::replace(last, next);
            items.push(item(wiki, indent, &marker, &lines));
            return;
        }
        let levels = std::mem::take(&mut self.levels);
        self.start(wiki, Open::List(Vec::new(), next));
        self.levels = levels;
    }
}

fn marker((sign, number): (char, usize)) -> String {
    if sign == '#' { format!("{number}. ") } else { "- ".to_owned() }
}

/// An item of a list; empty if a block has taken its lines.
fn item(wiki: &Wiki<'_>, indent: usize, marker: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let text = wiki.inline(&lines.join("\n"), Within::Block);
    let room = " ".repeat(indent);
    markdown::prefixed(&text, &format!("{room}{marker}"), &" ".repeat(indent + marker.len()))
}

/// A table. A first row of headings is its header; headings of other rows are bold.
fn table(wiki: &Wiki<'_>, rows: &[String]) -> String {
    let mut rows = rows.iter().map(|row| cells(row));
    let Some(first) = rows.next() else { return String::new() };
    let convert = |(is_heading, text): &(bool, String), is_header: bool| {
        if text.contains('\n') {
            wiki.remove("line break in a table");
        }
        let text = wiki.inline(&markdown::one_line(text), Within::Cell);
        if *is_heading && !is_header && !text.is_empty() { format!("**{text}**") } else { text }
    };
    let has_header = first.iter().all(|(is_heading, _)| *is_heading);
    let line = |row: &[(bool, String)], is_header| {
        row.iter().map(|cell| convert(cell, is_header)).collect::<Vec<_>>()
    };
    let header = has_header.then(|| line(&first, true));
    let body = (!has_header).then_some(first).into_iter().chain(rows);
    markdown::table(header, &body.map(|row| line(&row, false)).collect::<Vec<_>>())
}

/// The cells of a row: heading or not, and text. Bars within links, images, code and macros don't divide.
fn cells(row: &str) -> Vec<(bool, String)> {
    let mut cells: Vec<(bool, String)> = Vec::new();
    let mut signs = row.chars().peekable();
    let mut closing = None;
    let mut rest = row;
    while let Some(sign) = signs.next() {
        rest = rest.get(sign.len_utf8()..).unwrap_or_default();
        let is_divider = sign == '|' && closing.is_none();
        if is_divider {
            let is_heading = signs.next_if_eq(&'|').is_some();
            rest = if is_heading { rest.get(1..).unwrap_or_default() } else { rest };
            cells.push((is_heading, String::new()));
            continue;
        }
        let text = match cells.last_mut() {
            Some((_, text)) => text,
            None => continue,
        };
        text.push(sign);
        if sign == '\\' {
            text.extend(signs.next_if_eq(&'|'));
            rest = rest.strip_prefix('|').unwrap_or(rest);
        } else if closing == Some(sign) {
            closing = None;
        } else if closing.is_none() {
            let pairs = [('[', ']'), ('{', '}'), ('!', '!')];
            let pair = pairs.iter().find(|(opening, _)| *opening == sign).map(|(_, end)| *end);
            closing = pair.filter(|end| closes_before_space(rest, *end));
        }
    }
    // The bar at the end of a row opens no cell.
    if cells.len() > 1 && cells.last().is_some_and(|(_, text)| text.trim().is_empty()) {
        cells.pop();
    }
    cells
}

/// True if the sign follows on the same line, behind a bar at most: `[text|address]`, `!a.png|thumbnail!`.
fn closes_before_space(rest: &str, end: char) -> bool {
    let found = rest.chars().take(1_000).take_while(|c| *c != '\n').position(|c| c == end);
    let within = found.map(|length| rest.chars().take(length));
    within.is_some_and(|mut within| end != '!' || !within.by_ref().any(char::is_whitespace))
}
