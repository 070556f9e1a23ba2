//! Spans of wiki markup: emphasis, code, links, images, mentions, colors and escapes.

use super::Wiki;
use crate::markup::pieces::{Piece, Within, render};
use crate::markup::{markdown, mention};

/// Deepest nesting of spans.
const SPANS_MAX: usize = 8;
/// Longest span, in bytes.
const SPAN_MAX_BYTES: usize = 1_000;
/// Signs that a backslash takes their meaning.
const ESCAPED: &str = "*_-+^~?{}[]!|#@&%().:;<>/=";
/// Third parts of links that Jira writes for pages that it shows as cards.
const CARDS: [&str; 4] = ["smart-link", "smart-card", "smart-embed", "smart-block"];

/// A span, and the length of its markup in bytes.
type Span = (Vec<Piece>, usize);

/// Text and spans as they are read.
#[derive(Default)]
struct Spans {
    pieces: Vec<Piece>,
    text: String,
}

impl Spans {
    fn push(&mut self, pieces: Vec<Piece>) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.text)));
        }
        self.pieces.extend(pieces);
    }
}

impl Wiki<'_> {
    /// The pieces of a paragraph.
    pub(super) fn pieces(&self, text: &str, depth: usize) -> Vec<Piece> {
        let mut spans = Spans::default();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let before = text.get(..at).unwrap_or_default().chars().next_back();
            if let Some((pieces, length)) = self.span(rest, before, depth) {
                spans.push(pieces);
                at += length;
                continue;
            }
            // Words are taken whole, so that their letters aren't asked one by one.
            let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let length = word.max(rest.chars().next().map_or(1, char::len_utf8));
            let length = if is_address_start(rest) { 1 } else { length };
            spans.text.push_str(rest.get(..length).unwrap_or_default());
            at += length;
        }
        spans.push(Vec::new());
        spans.pieces
    }

    /// The span that a text begins with.
    fn span(&self, rest: &str, before: Option<char>, depth: usize) -> Option<Span> {
        let is_word_before = before.is_some_and(char::is_alphanumeric);
        match rest.chars().next()? {
            '\n' => Some((vec![Piece::Raw("\\\n".to_owned())], 1)),
            '\\' => escape(rest),
            '{' => self.brace(rest, depth),
            '[' => self.link(rest, depth),
            '!' if !is_word_before => self.image(rest),
            '-' if matches!(before, None | Some(' ')) && rest.starts_with("-- ") => dash("–", 2),
            '-' if matches!(before, None | Some(' ')) && rest.starts_with("--- ") => dash("—", 3),
            '?' if rest.starts_with("??") && !is_word_before => self.emphasis(rest, "??", depth),
            '*' | '_' | '-' | '+' | '^' | '~' if !is_word_before => {
                let sign = rest.get(..1)?;
                if before == sign.chars().next() { None } else { self.emphasis(rest, sign, depth) }
            }
            'h' | 'H' | 'f' | 'F' if !is_word_before => address(rest),
            _ => None,
        }
    }

    /// `*bold*`: around words, within a line.
    fn emphasis(&self, rest: &str, sign: &str, depth: usize) -> Option<Span> {
        let inner = rest.get(sign.len()..)?;
        let length = closing(inner, sign)?;
        let end = sign.len() + length + sign.len();
        Some((self.styled(sign, inner.get(..length)?, depth)?, end))
    }

    /// `{*}bold{*}` also within words, `{{code}}`, `{color:red}`, `{anchor:a}`.
    fn brace(&self, rest: &str, depth: usize) -> Option<Span> {
        if let Some(inner) = rest.strip_prefix("{{") {
            let length = near(inner).find("}}")?;
            return Some((vec![Piece::Raw(markdown::code_span(inner.get(..length)?))], length + 4));
        }
        let end = near(rest).find('}')?;
        let tag = rest.get(1..end)?;
        if matches!(tag, "*" | "_" | "-" | "+" | "^" | "~" | "??") {
            let inner = rest.get(end + 1..)?;
            let closing = format!("{{{tag}}}");
            let length = near(inner).find(&closing).filter(|length| *length > 0)?;
            return Some((self.styled(tag, inner.get(..length)?, depth)?, end + 1 + length + closing.len()));
        }
        let is_color = tag == "color" || tag.starts_with("color:");
        let is_anchor = tag.starts_with("anchor:");
        if is_color || is_anchor {
            self.remove(if is_color { "color" } else { "anchor" });
            return Some((Vec::new(), end + 1));
        }
        None
    }

    fn styled(&self, sign: &str, inner: &str, depth: usize) -> Option<Vec<Piece>> {
        if depth >= SPANS_MAX {
            return None;
        }
        if let "^" | "~" = sign
            && let Some(script) = markdown::script(inner, sign == "^")
        {
            return Some(vec![Piece::Text(script)]);
        }
        let pieces = self.pieces(inner, depth + 1);
        let mark = match sign {
            "*" => "**",
            "_" | "??" => "*",
            "-" => "~~",
            _ => {
                self.remove(match sign {
                    "+" => "underline",
                    "^" => "superscript",
                    _ => "subscript",
                });
                return Some(pieces);
            }
        };
        Some([vec![Piece::Mark(mark)], pieces, vec![Piece::Mark(mark)]].concat())
    }

    /// `[text|address]`, `[address]`, `[~accountid:1]`, `[^file]`, `[#anchor]`.
    fn link(&self, rest: &str, depth: usize) -> Option<Span> {
        let length = near(rest).find(']')?;
        let inner = rest.get(1..length)?;
        let end = length + 1;
        if let Some(id) = inner.strip_prefix('~') {
            let id = id.trim_start_matches("accountid:");
            let is_id = !id.is_empty() && !id.contains([' ', '|']);
            return is_id.then(|| (vec![Piece::Text(mention(id, self.names))], end));
        }
        let mut parts = inner.split('|');
        let (first, second, third) = (parts.next()?, parts.next(), parts.next());
        let tip = third.map(str::trim).filter(|tip| !tip.is_empty() && !CARDS.contains(tip));
        if parts.next().is_some() {
            return None;
        }
        let target = second.unwrap_or(first).trim();
        let text = second.map(|_| first).filter(|text| !text.is_empty() && *text != target);
        if let Some(file) = target.strip_prefix('^').filter(|file| !file.is_empty() && tip.is_none()) {
            return Some((vec![Piece::Raw(markdown::link(&plain_text(text.unwrap_or(file)), file))], end));
        }
        let anchor = target.strip_prefix('#').filter(|anchor| !anchor.is_empty() && !anchor.contains(' '));
        if let Some(anchor) = anchor.filter(|_| tip.is_none() && depth < SPANS_MAX) {
            self.remove("anchor");
            return Some((self.pieces(text.unwrap_or(anchor), depth + 1), end));
        }
        if !markdown::is_address(target) {
            return None;
        }
        let shown = match text {
            Some(text) => Some(render(&self.pieces(text, SPANS_MAX), Within::Link)),
            None => tip.map(|_| plain_text(target)),
        };
        let link = match (shown, tip) {
            (Some(shown), Some(tip)) => markdown::titled_link(&shown, target, tip),
            (Some(shown), None) => markdown::link(&shown, target),
            (None, _) => markdown::auto_link(target),
        };
        Some((vec![Piece::Raw(link)], end))
    }

    /// `!file.png|thumbnail!` and `!https://example.com/a.png!`.
    fn image(&self, rest: &str) -> Option<Span> {
        let inner = rest.get(1..)?;
        let length = near(inner).find('!')?;
        let inner = inner.get(..length)?;
        let (file, parameters) = inner.split_once('|').unwrap_or((inner, ""));
        let extension = file.rsplit_once('.').map(|(name, extension)| (!name.is_empty(), extension));
        let is_file = extension.is_some_and(|(has_name, extension)| {
            has_name
                && (1..=5).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        if !(is_file || markdown::is_address(file)) || file.trim() != file {
            return None;
        }
        let is_attribute = |parameter: &str| {
            let name = parameter.split_once('=').map(|(name, _)| name);
            name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphabetic()))
        };
        for parameter in
            parameters.split(',').map(str::trim).filter(|parameter| !parameter.starts_with("alt="))
        {
            if is_attribute(parameter) {
                self.remove("image attributes");
            } else if !matches!(parameter, "" | "thumbnail") {
                return None;
            }
        }
        let alt = parameters.split(',').find_map(|parameter| parameter.trim().strip_prefix("alt="));
        let alt = alt.map(|alt| alt.trim_matches('"')).filter(|alt| !alt.is_empty()).unwrap_or(file);
        let image = format!("!{}", markdown::link(&plain_text(alt), file));
        Some((vec![Piece::Raw(image)], length + 2))
    }
}

fn dash(dash: &str, length: usize) -> Option<Span> {
    Some((vec![Piece::Text(dash.to_owned())], length))
}

/// `\*` is the sign; two backslashes before white space are a line break. `C:\temp` stays.
fn escape(rest: &str) -> Option<Span> {
    if let Some(after) = rest.strip_prefix("\\\\") {
        let is_break = after.is_empty() || after.starts_with(char::is_whitespace);
        let spaces = after.len() - after.trim_start().len();
        let line_break =
            if after.trim_start().is_empty() { Vec::new() } else { vec![Piece::Raw("\\\n".to_owned())] };
        return Some(if is_break {
            (line_break, 2 + spaces)
        } else {
            (vec![Piece::Text("\\\\".to_owned())], 2)
        });
    }
    let sign = rest.chars().nth(1).filter(|sign| ESCAPED.contains(*sign))?;
    Some((vec![Piece::Text(sign.to_string())], 2))
}

/// An address in the text, without the punctuation behind it.
fn address(rest: &str) -> Option<Span> {
    if !is_address_start(rest) {
        return None;
    }
    let end = rest.find(|c: char| c.is_whitespace() || "<>\"|{}[]*".contains(c)).unwrap_or(rest.len());
    let address = rest.get(..end)?.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '\\']);
    let opened = address.matches('(').count();
    let closed = address.matches(')').count();
    let address = if closed > opened { address.strip_suffix(')').unwrap_or(address) } else { address };
    markdown::is_address(address).then(|| (vec![Piece::Raw(markdown::auto_link(address))], address.len()))
}

fn is_address_start(rest: &str) -> bool {
    ["http://", "https://", "ftp://"]
        .iter()
        .any(|scheme| rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// A text without markup, within a link.
fn plain_text(text: &str) -> String {
    render(&[Piece::Text(text.to_owned())], Within::Link)
}

/// The length of a span's text up to the sign that closes it.
///
/// Jira's rule: no space at either end, no letter or digit outside. Ours besides, because engineers write numbers: `+`
/// and `-` open no span before a digit or another sign of a number, nothing closes behind an opening bracket, and raised
/// and lowered texts have no spaces.
fn closing(inner: &str, sign: &str) -> Option<usize> {
    let first = inner.chars().next()?;
    let is_number = matches!(sign, "+" | "-") && (first.is_numeric() || "+-.,±".contains(first));
    if first.is_whitespace() || inner.starts_with(sign) || is_number {
        return None;
    }
    for (at, _) in near(inner).match_indices(sign) {
        let (text, rest) = inner.split_at_checked(at)?;
        let after = rest.get(sign.len()..)?;
        let before = text.chars().next_back()?;
        let is_end = !before.is_whitespace()
            && !"([{\\".contains(before)
            && !after.starts_with(sign)
            && !after.chars().next().is_some_and(char::is_alphanumeric);
        let is_script = matches!(sign, "^" | "~");
        if is_end && is_script && text.contains(|c: char| c.is_whitespace() || ",;/*".contains(c)) {
            return None;
        }
        if is_end {
            return Some(at);
        }
    }
    None
}

/// The rest of the line, within which a span ends. The bound keeps signs that nothing closes cheap.
fn near(text: &str) -> &str {
    let near = text.get(..text.floor_char_boundary(SPAN_MAX_BYTES)).unwrap_or(text);
    near.split('\n').next().unwrap_or_default()
}
