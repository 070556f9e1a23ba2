//! The Atlassian Document Format as Markdown
//! (<https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/>).

mod inline;

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::pieces::{Piece, Within, render};
use super::{Markup, Names, markdown};

/// Deepest nesting of nodes. Deeper ones are left out, and listed.
const DEPTH_MAX: usize = 40;

/// The conversion of one document.
struct Adf<'a> {
    names: Names<'a>,
    removed: RefCell<BTreeSet<&'static str>>,
}

/// Converts a document. `names` knows the people that mentions mean, where the document doesn't.
pub fn to_markdown(document: &Value, names: Names<'_>) -> Markup {
    let adf = Adf { names, removed: RefCell::default() };
    let text = adf.blocks(content(document), 0);
    Markup { text, removed: adf.removed.into_inner() }
}

/// The document that a cell of a table is, if it is one.
pub(crate) fn document(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with('{') || !text.ends_with('}') || !text.contains("\"doc\"") {
        return None;
    }
    let document: Value = serde_json::from_str(text).ok()?;
    (kind(&document) == "doc" && document.get("content").is_some()).then_some(document)
}

fn kind(node: &Value) -> &str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn content(node: &Value) -> &[Value] {
    node.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn attribute<'a>(node: &'a Value, name: &str) -> Option<&'a str> {
    node.get("attrs")?.get(name)?.as_str().filter(|value| !value.is_empty())
}

fn number(node: &Value, name: &str) -> Option<u64> {
    node.get("attrs")?.get(name)?.as_u64()
}

/// The text of a node's text nodes, without marks.
fn plain(node: &Value) -> String {
    content(node).iter().filter_map(|node| node.get("text")?.as_str()).collect()
}

impl Adf<'_> {
    fn remove(&self, style: &'static str) {
        self.removed.borrow_mut().insert(style);
    }

    fn blocks(&self, nodes: &[Value], depth: usize) -> String {
        if depth > DEPTH_MAX {
            if !nodes.is_empty() {
                self.remove("nodes nested too deeply");
            }
            return String::new();
        }
        let blocks = nodes.iter().map(|node| self.block(node, depth));
        blocks.filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    fn block(&self, node: &Value, depth: usize) -> String {
        let within = || self.blocks(content(node), depth + 1);
        match kind(node) {
            "paragraph" | "caption" => self.paragraph(content(node), Within::Block),
            "heading" => {
                let level = usize::try_from(number(node, "level").unwrap_or(1).clamp(1, 6)).unwrap_or(1);
                let text = self.paragraph(content(node), Within::Block).replace("\\\n", " ");
                format!("{} {}", "#".repeat(level), markdown::one_line(&text))
            }
            "bulletList" => self.list(content(node), depth, |_| "- ".to_owned()),
            "orderedList" => {
                let first = number(node, "order").unwrap_or(1).min(999_999_999);
                self.list(content(node), depth, |place| format!("{}. ", first.saturating_add(place)))
            }
            "taskList" => self.tasks(content(node), depth),
            "decisionList" => self.list(content(node), depth, |_| "- ".to_owned()),
            "codeBlock" => markdown::fence(attribute(node, "language").unwrap_or_default(), &plain(node)),
            "blockquote" => markdown::quote(&within()),
            "panel" => {
                let panel = attribute(node, "panelType").filter(|panel| *panel != "custom");
                self.titled(panel.map(capitalized).as_deref(), &within())
            }
            "expand" | "nestedExpand" => self.titled(attribute(node, "title"), &within()),
            "rule" => "---".to_owned(),
            "table" => self.table(content(node), depth),
            "blockCard" | "embedCard" => self.paragraph(std::slice::from_ref(node), Within::Block),
            "media" => self.paragraph(std::slice::from_ref(node), Within::Block),
            "bodiedExtension" | "extension" | "inlineExtension" => {
                self.remove("extension");
                within()
            }
            "text" | "hardBreak" | "mention" | "emoji" | "date" | "status" | "inlineCard" | "mediaInline" => {
                self.paragraph(std::slice::from_ref(node), Within::Block)
            }
            // Layouts, groups of media, and nodes of later versions: their content.
            _ => within(),
        }
    }

    fn paragraph(&self, nodes: &[Value], within: Within) -> String {
        render(&self.pieces(nodes), within)
    }

    fn list(&self, items: &[Value], depth: usize, marker: impl Fn(u64) -> String) -> String {
        let mut list = Vec::new();
        for (place, item) in (0..).zip(items) {
            let marker = marker(place);
            // Items of decisions have text without a paragraph around it.
            let text = if kind(item) == "decisionItem" {
                self.paragraph(content(item), Within::Block)
            } else {
                self.item(content(item), depth + 1)
            };
            list.push(markdown::prefixed(&text, &marker, &" ".repeat(marker.len())));
        }
        list.join("\n")
    }

    /// The blocks of an item. A list follows its paragraph without an empty line, which would loosen the list.
    fn item(&self, nodes: &[Value], depth: usize) -> String {
        let mut text = String::new();
        for node in nodes {
            let block =
                if depth > DEPTH_MAX { self.blocks(content(node), depth) } else { self.block(node, depth) };
            if !text.is_empty() && !block.is_empty() {
                text.push_str(if kind(node).ends_with("List") { "\n" } else { "\n\n" });
            }
            text.push_str(&block);
        }
        text
    }

    fn tasks(&self, items: &[Value], depth: usize) -> String {
        if depth > DEPTH_MAX {
            return self.blocks(items, depth);
        }
        let mut list = Vec::new();
        for item in items {
            // A list within a list stands beside the items, not in one.
            if kind(item) == "taskList" {
                let nested = self.tasks(content(item), depth + 1);
                list.push(markdown::prefixed(&nested, "  ", "  "));
                continue;
            }
            let text = if kind(item) == "blockTaskItem" {
                self.item(content(item), depth + 1)
            } else {
                self.paragraph(content(item), Within::Block)
            };
            let mark = if attribute(item, "state") == Some("DONE") { "- [x] " } else { "- [ ] " };
            list.push(markdown::prefixed(&text, mark, "  "));
        }
        list.join("\n")
    }

    fn titled(&self, title: Option<&str>, text: &str) -> String {
        let title = title.map(|title| {
            let title = [Piece::Mark("**"), Piece::Text(markdown::one_line(title)), Piece::Mark("**")];
            render(&title, Within::Block)
        });
        let parts = title.iter().map(String::as_str).chain([text]).filter(|part| !part.is_empty());
        markdown::quote(&parts.collect::<Vec<_>>().join("\n\n"))
    }

    fn table(&self, rows: &[Value], depth: usize) -> String {
        let cells = |row: &Value, is_header: bool| {
            let cells = content(row).iter().map(|cell| self.cell(cell, is_header, depth));
            cells.collect::<Vec<_>>()
        };
        let is_header = |row: &&Value| {
            !content(row).is_empty() && content(row).iter().all(|cell| kind(cell) == "tableHeader")
        };
        let header = rows.first().filter(is_header);
        let body = rows.iter().skip(usize::from(header.is_some()));
        let body: Vec<Vec<String>> = body.map(|row| cells(row, false)).collect();
        markdown::table(header.map(|row| cells(row, true)), &body)
    }

    fn cell(&self, cell: &Value, is_header: bool, depth: usize) -> String {
        let blocks = content(cell);
        let is_simple = |node: &Value| matches!(kind(node), "paragraph");
        if blocks.len() > 1 || !blocks.iter().all(is_simple) {
            self.remove("blocks in a table");
        }
        if ["colspan", "rowspan"].iter().any(|span| number(cell, span).is_some_and(|span| span > 1)) {
            self.remove("joined cells");
        }
        let text = match blocks {
            [only] if is_simple(only) => self.paragraph(content(only), Within::Cell),
            _ => self.blocks(blocks, depth + 1).replace('|', "\\|"),
        };
        let text = markdown::one_line(&text.replace("\\\n", "\n"));
        if kind(cell) == "tableHeader" && !is_header && !text.is_empty() {
            format!("**{text}**")
        } else {
            text
        }
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
