//! Macros that hold blocks: `{code:java|title=A}…{code}`, `{noformat}`, `{quote}`, `{panel}`, `{adf}`.

/// Names of the macros. Within the first three nothing else means anything.
const NAMES: [&str; 5] = ["code", "noformat", "adf", "quote", "panel"];
/// Longest tag, in bytes.
const TAG_MAX_BYTES: usize = 500;

/// A macro with its body.
pub(super) struct BlockMacro<'a> {
    pub(super) name: &'static str,
    parameters: &'a str,
    pub(super) body: &'a str,
    /// Place behind its closing tag.
    pub(super) end: usize,
}

/// The macros of a text, one after the other.
pub(super) struct Openings<'a> {
    text: &'a str,
    /// Macros without a closing tag in the rest of the text, so that nothing is searched twice.
    unclosed: [bool; NAMES.len()],
}

impl<'a> Openings<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, unclosed: [false; NAMES.len()] }
    }

    /// The first macro that begins within these places, and where.
    pub(super) fn next_in(&mut self, from: usize, to: usize) -> Option<(usize, BlockMacro<'a>)> {
        let mut at = from;
        while let Some(found) = self.text.get(at..to).and_then(|line| line.find('{')) {
            let start = at + found;
            at = start + 1;
            let before = self.text.get(..start).unwrap_or_default();
            let is_plain = before.ends_with(['\\', '{']);
            if let Some(found) = if is_plain { None } else { self.at(start) } {
                return Some((start, found));
            }
        }
        None
    }

    fn at(&mut self, start: usize) -> Option<BlockMacro<'a>> {
        let tag = self.text.get(start + 1..)?;
        let (kind, name) = NAMES.iter().enumerate().find(|(_, name)| tag.starts_with(**name))?;
        let tag = tag.get(name.len()..)?;
        let end = tag.bytes().take(TAG_MAX_BYTES).position(|byte| matches!(byte, b'}' | b'\n'))?;
        let (parameters, rest) = tag.split_at_checked(end)?;
        let rest = rest.strip_prefix('}')?;
        let has_form = parameters.is_empty() || parameters.starts_with(':');
        let unclosed = self.unclosed.get_mut(kind)?;
        if !has_form || *unclosed {
            return None;
        }
        let closing = format!("{{{name}}}");
        let Some(length) = closing_place(rest, name, &closing) else {
            *unclosed = true;
            return None;
        };
        let body = rest.get(..length)?;
        let end = self.text.len() - rest.len() + length + closing.len();
        Some(BlockMacro { name, parameters: parameters.trim_start_matches(':'), body, end })
    }
}

/// The place of the tag that closes a macro. A panel may hold others: their tags have parameters.
fn closing_place(rest: &str, name: &str, closing: &str) -> Option<usize> {
    if name != "panel" {
        return rest.find(closing);
    }
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let found = at + rest.get(at..)?.find("{panel")?;
        let tag = rest.get(found..)?;
        if tag.starts_with(closing) {
            if depth == 0 {
                return Some(found);
            }
            depth -= 1;
        } else if tag.starts_with("{panel:") {
            depth += 1;
        }
        at = found + 1;
    }
}

impl<'a> BlockMacro<'a> {
    fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut parameters = self.parameters.split('|').filter_map(|parameter| parameter.split_once('='));
        parameters.find(|(found, _)| found.trim() == name).map(|(_, value)| value.trim())
    }

    /// Its title.
    pub(super) fn title(&self) -> Option<&'a str> {
        self.parameter("title").filter(|title| !title.is_empty())
    }

    /// True for a panel with colors and borders.
    pub(super) fn has_style(&self) -> bool {
        let mut parameters = self.parameters.split('|').filter(|parameter| !parameter.trim().is_empty());
        self.name == "panel" && parameters.any(|parameter| !parameter.trim().starts_with("title="))
    }

    /// The language of its code.
    pub(super) fn language(&self) -> String {
        let first = self.parameters.split('|').next().filter(|first| !first.contains('='));
        first.or_else(|| self.parameter("language")).unwrap_or_default().trim().to_lowercase()
    }
}
