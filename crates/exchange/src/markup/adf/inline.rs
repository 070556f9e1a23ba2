//! Text nodes with marks, and other nodes within a paragraph.

use domain::time::Timestamp;
use serde_json::Value;

use super::{Adf, attribute, kind};
use crate::markup::pieces::{Piece, Within, render};
use crate::markup::{markdown, mention};

impl Adf<'_> {
    /// The pieces of a paragraph.
    pub(super) fn pieces(&self, nodes: &[Value]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut open: Vec<&'static str> = Vec::new();
        for node in nodes {
            let (marks, inner) = self.node(node);
            // Marks that go on over several nodes are written once: `**a *b***`, not `**a ****b**`.
            let shared = open.iter().zip(&marks).take_while(|(open, mark)| open == mark).count();
            pieces.extend(open.drain(shared..).rev().map(Piece::Mark));
            pieces.extend(marks.iter().skip(shared).map(|mark| Piece::Mark(mark)));
            open = marks;
            pieces.extend(inner);
        }
        pieces.extend(open.into_iter().rev().map(Piece::Mark));
        pieces
    }

    /// Marks of emphasis of a node, and its pieces.
    fn node(&self, node: &Value) -> (Vec<&'static str>, Vec<Piece>) {
        if kind(node) != "text" {
            return (Vec::new(), vec![self.atom(node)]);
        }
        let text = node.get("text").and_then(Value::as_str).unwrap_or_default();
        let marks = node.get("marks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let has = |name: &str| marks.iter().any(|mark| kind(mark) == name);
        for (mark, style) in [
            ("underline", "underline"),
            ("textColor", "color"),
            ("backgroundColor", "color"),
            ("alignment", "alignment"),
            ("indentation", "indentation"),
            ("annotation", "inline comment"),
        ] {
            if has(mark) {
                self.remove(style);
            }
        }
        let script = marks.iter().find(|mark| kind(mark) == "subsup");
        let text = script.map_or(text.to_owned(), |mark| {
            let raised = markdown::script(text, attribute(mark, "type") == Some("sup"));
            raised.unwrap_or_else(|| {
                self.remove("superscript");
                text.to_owned()
            })
        });
        let link = marks.iter().find(|mark| kind(mark) == "link").and_then(|mark| attribute(mark, "href"));
        let inner =
            if has("code") { Piece::Raw(markdown::code_span(&text)) } else { Piece::Text(text.clone()) };
        let styles = [("strong", "**"), ("em", "*"), ("strike", "~~")];
        let styles: Vec<&str> =
            styles.iter().filter(|(mark, _)| has(mark)).map(|(_, style)| *style).collect();
        let is_blank = text.trim().is_empty();
        match link {
            Some(address) if !is_blank => (Vec::new(), vec![linked(&text, inner, &styles, address)]),
            // Emphasis doesn't stand at white space, and code has none within.
            _ if is_blank => (Vec::new(), vec![inner]),
            _ => styled(styles, inner, &text),
        }
    }

    /// A node without text of its own.
    fn atom(&self, node: &Value) -> Piece {
        let text = |name: &str| attribute(node, name).unwrap_or_default();
        match kind(node) {
            "hardBreak" => Piece::Raw("\\\n".to_owned()),
            "mention" => {
                let shown = attribute(node, "text").map(|shown| mention(shown, &|_| None));
                Piece::Text(shown.unwrap_or_else(|| mention(text("id"), self.names)))
            }
            "emoji" => Piece::Text(attribute(node, "text").unwrap_or(text("shortName")).to_owned()),
            "date" => Piece::Text(date(node).unwrap_or_default()),
            "status" => Piece::Text(format!("[{}]", text("text"))),
            "placeholder" => Piece::Text(text("text").to_owned()),
            "inlineCard" | "blockCard" | "embedCard" => {
                let address =
                    attribute(node, "url").or_else(|| node.get("attrs")?.get("data")?.get("url")?.as_str());
                address.map_or(Piece::Text(String::new()), |address| {
                    if markdown::is_address(address) {
                        Piece::Raw(markdown::auto_link(address))
                    } else {
                        Piece::Text(address.to_owned())
                    }
                })
            }
            "media" | "mediaInline" => media(node),
            _ => {
                self.remove("extension");
                Piece::Text(super::plain(node))
            }
        }
    }
}

/// Text with marks. White space at its ends stands outside of them.
fn styled(styles: Vec<&'static str>, inner: Piece, text: &str) -> (Vec<&'static str>, Vec<Piece>) {
    let trimmed = text.trim();
    if styles.is_empty() || trimmed == text || matches!(inner, Piece::Raw(_)) {
        return (styles, vec![inner]);
    }
    let start = text.len() - text.trim_start().len();
    let space = |text: Option<&str>| Piece::Text(text.unwrap_or_default().to_owned());
    let mut pieces = vec![space(text.get(..start))];
    pieces.extend(styles.iter().map(|style| Piece::Mark(style)));
    pieces.push(Piece::Text(trimmed.to_owned()));
    pieces.extend(styles.iter().rev().map(|style| Piece::Mark(style)));
    pieces.push(space(text.get(start + trimmed.len()..)));
    (Vec::new(), pieces)
}

fn linked(text: &str, inner: Piece, styles: &[&'static str], address: &str) -> Piece {
    if !markdown::is_address(address) {
        return Piece::Text(format!("{text} ({address})"));
    }
    if text == address && styles.is_empty() {
        return Piece::Raw(markdown::auto_link(address));
    }
    let mut pieces: Vec<Piece> = styles.iter().map(|style| Piece::Mark(style)).collect();
    pieces.push(inner);
    pieces.extend(styles.iter().rev().map(|style| Piece::Mark(style)));
    Piece::Raw(markdown::link(&render(&pieces, Within::Link), address))
}

/// The day of a date, whose timestamp is midnight in UTC in milliseconds.
fn date(node: &Value) -> Option<String> {
    let millis = node.get("attrs")?.get("timestamp")?;
    let millis: i64 = millis.as_str().and_then(|text| text.parse().ok()).or_else(|| millis.as_i64())?;
    Some(Timestamp::from_unix_seconds(millis.div_euclid(1_000))?.0.date().to_string())
}

/// A picture or file by its name, or by its id where the document has no name.
fn media(node: &Value) -> Piece {
    let name = ["alt", "__fileName", "fileName", "url", "id"].iter().find_map(|name| attribute(node, name));
    let name = name.unwrap_or("file");
    let text = render(&[Piece::Text(name.to_owned())], Within::Link);
    let target = attribute(node, "url").filter(|address| markdown::is_address(address)).unwrap_or(name);
    let mark = if attribute(node, "type") == Some("link") { "" } else { "!" };
    Piece::Raw(format!("{mark}{}", markdown::link(&text, target)))
}
