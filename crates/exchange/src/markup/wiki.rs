//! Jira's wiki markup as Markdown.
//!
//! Signs mean something only where Jira means it: around words, not within numbers. `+3.3V and +5V`, `~10 mm` and
//! `25.0(+-0.1)` stay as they are. In doubt a text stays plain, which loses nothing.

mod inline;
mod lines;
mod macros;

use std::cell::RefCell;
use std::collections::BTreeSet;

use self::lines::{Blocks, Line};
use self::macros::BlockMacro;
use super::pieces::{Within, render};
use super::{Markup, Names, markdown};

/// Deepest nesting of quotes and panels.
const NESTING_MAX: usize = 8;

/// The conversion of one text.
struct Wiki<'a> {
    names: Names<'a>,
    removed: RefCell<BTreeSet<&'static str>>,
}

/// Converts wiki markup. `names` knows the people that mentions mean.
pub fn to_markdown(text: &str, names: Names<'_>) -> Markup {
    let wiki = Wiki { names, removed: RefCell::default() };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = wiki.blocks(&text, 0);
    Markup { text, removed: wiki.removed.into_inner() }
}

impl Wiki<'_> {
    fn remove(&self, style: &'static str) {
        self.removed.borrow_mut().insert(style);
    }

    /// A paragraph, heading or cell.
    fn inline(&self, text: &str, within: Within) -> String {
        render(&self.pieces(text, 0), within)
    }

    fn blocks(&self, text: &str, depth: usize) -> String {
        let mut blocks = Blocks::default();
        let mut rest = text;
        let mut openings = macros::Openings::of(text);
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let offset = text.len() - rest.len();
            if let Some((start, found)) = openings.next_in(offset, offset + line.len()) {
                blocks.line(self, text.get(offset..start).unwrap_or_default().trim_end(), true);
                let end = found.end;
                blocks.block(self, self.block_macro(&found, depth));
                rest = text.get(end..).unwrap_or_default();
                // The line end belongs to the macro.
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                continue;
            }
            blocks.line(self, line, false);
            rest = after;
        }
        blocks.finish(self)
    }

    fn block_macro(&self, found: &BlockMacro<'_>, depth: usize) -> String {
        let body = found.body.strip_prefix('\n').unwrap_or(found.body);
        match found.name {
            "code" | "noformat" => {
                let code = markdown::fence(&found.language(), body.trim_end_matches([' ', '\n']));
                found
                    .title()
                    .map_or(code.clone(), |title| format!("{}\n\n{code}", self.inline(title, Within::Block)))
            }
            "adf" => match serde_json::from_str(body.trim()) {
                Ok(document) => {
                    let markup = super::adf::to_markdown(&document, self.names);
                    self.removed.borrow_mut().extend(markup.removed);
                    markup.text
                }
                Err(_) => markdown::fence("json", body.trim()),
            },
            _ if depth >= NESTING_MAX => self.inline(&markdown::one_line(body), Within::Block),
            _ => {
                if found.has_style() {
                    self.remove("panel style");
                }
                let title = found.title().map(|title| format!("**{}**", self.inline(title, Within::Block)));
                let text = self.blocks(body, depth + 1);
                let parts: Vec<String> =
                    title.into_iter().chain([text]).filter(|part| !part.is_empty()).collect();
                markdown::quote(&parts.join("\n\n"))
            }
        }
    }

    /// A line that is not a paragraph's, as Markdown.
    fn single(&self, line: &Line<'_>) -> Option<String> {
        match line {
            Line::Heading(level, text) => {
                let text = markdown::one_line(&self.inline(text, Within::Block));
                Some(format!("{} {text}", "#".repeat(*level)))
            }
            Line::Quote(text) => Some(markdown::quote(&self.inline(text, Within::Block))),
            Line::Rule => Some("---".to_owned()),
            _ => None,
        }
    }
}
