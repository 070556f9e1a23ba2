//! A line or paragraph of Markdown from plain text and marks. Signs of the text are escaped where they would mean
//! something, and nowhere else.

/// A part of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Plain text.
    Text(String),
    /// Markdown that is complete: a code span, a link, a line break.
    Raw(String),
    /// Signs of emphasis. Their partner follows or precedes.
    Mark(&'static str),
}

/// The place of a paragraph, which decides about some signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Within {
    /// A paragraph, heading or list item.
    #[default]
    Block,
    /// The text of a link, in which brackets need an escape.
    Link,
    /// The cell of a table, in which bars need one.
    Cell,
}

/// Signs that come in pairs.
const PAIRED: [char; 3] = ['*', '_', '~'];

/// A character, and the piece that it comes from.
#[derive(Clone, Copy)]
struct Sign {
    char: char,
    is_text: bool,
    is_mark: bool,
}

/// The pairs of one sign in a paragraph.
#[derive(Clone, Copy, Default)]
struct PairedSign {
    first_opening: Option<usize>,
    last_closing: Option<usize>,
    has_mark: bool,
}

/// The paragraph as Markdown.
pub(super) fn render(pieces: &[Piece], within: Within) -> String {
    let mut signs = Vec::new();
    for piece in pieces {
        let (text, is_text, is_mark) = match piece {
            Piece::Text(text) => (text.as_str(), true, false),
            Piece::Raw(text) => (text.as_str(), false, false),
            Piece::Mark(mark) => (*mark, false, true),
        };
        signs.extend(text.chars().map(|char| Sign { char, is_text, is_mark }));
    }
    let paragraph = Paragraph::new(&signs, within);
    let mut text = String::with_capacity(signs.len());
    for (place, sign) in signs.iter().enumerate() {
        let is_bar = within == Within::Cell && sign.char == '|';
        if is_bar || sign.is_text && paragraph.needs_escape(place, sign.char) {
            text.push('\\');
        }
        text.push(sign.char);
    }
    text
}

/// A paragraph with what its signs depend on.
struct Paragraph<'a> {
    signs: &'a [Sign],
    within: Within,
    pairs: [PairedSign; PAIRED.len()],
    has_code: bool,
    /// The last bracket that closes a link's text.
    last_link: Option<usize>,
    /// Places of signs that would begin a block.
    block_signs: Vec<usize>,
}

impl<'a> Paragraph<'a> {
    fn new(signs: &'a [Sign], within: Within) -> Self {
        let pairs = PAIRED.map(|_| PairedSign::default());
        let mut paragraph =
            Self { signs, within, pairs, has_code: false, last_link: None, block_signs: Vec::new() };
        let mut ticks = 0;
        for (place, sign) in signs.iter().enumerate() {
            if let Some(kind) = PAIRED.iter().position(|paired| *paired == sign.char) {
                let (opens, closes) = paragraph.flanks(place, sign.char);
                if let Some(pairs) = paragraph.pairs.get_mut(kind) {
                    pairs.has_mark |= sign.is_mark;
                    if sign.is_text && opens {
                        pairs.first_opening.get_or_insert(place);
                    }
                    if sign.is_text && closes {
                        pairs.last_closing = Some(place);
                    }
                }
            }
            ticks += usize::from(sign.char == '`');
            let next = paragraph.char(place + 1);
            if sign.is_text && sign.char == ']' && matches!(next, Some('(' | '[' | ':')) {
                paragraph.last_link = Some(place);
            }
        }
        paragraph.has_code = ticks > 1;
        paragraph.block_signs = block_signs(signs);
        paragraph
    }

    fn char(&self, place: usize) -> Option<char> {
        self.signs.get(place).map(|sign| sign.char)
    }

    /// True for signs that can open and close emphasis (CommonMark 0.31, 6.2).
    fn flanks(&self, place: usize, sign: char) -> (bool, bool) {
        let before = place.checked_sub(1).and_then(|place| self.char(place)).unwrap_or(' ');
        let after = self.char(place + 1).unwrap_or(' ');
        let is_punctuation = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let left = !after.is_whitespace()
            && (!is_punctuation(after) || before.is_whitespace() || is_punctuation(before));
        let right = !before.is_whitespace()
            && (!is_punctuation(before) || after.is_whitespace() || is_punctuation(after));
        if sign == '_' {
            (left && (!right || is_punctuation(before)), right && (!left || is_punctuation(after)))
        } else {
            (left, right)
        }
    }

    fn needs_escape(&self, place: usize, sign: char) -> bool {
        if self.block_signs.binary_search(&place).is_ok() {
            return true;
        }
        let next = self.char(place + 1);
        match sign {
            '\\' => next.is_some_and(|c| c.is_ascii_punctuation() || c == '\n'),
            '`' => self.has_code,
            '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '&' => self.is_entity(place),
            '[' | ']' if self.within == Within::Link => true,
            '[' => self.last_link.is_some_and(|link| link > place),
            '!' => next == Some('[') && self.signs.get(place + 1).is_some_and(|sign| !sign.is_text),
            _ => self.is_paired(place, sign),
        }
    }

    fn is_paired(&self, place: usize, sign: char) -> bool {
        let kind = PAIRED.iter().position(|paired| *paired == sign);
        let Some(pairs) = kind.and_then(|kind| self.pairs.get(kind)) else { return false };
        let (opens, closes) = self.flanks(place, sign);
        opens && (pairs.has_mark || pairs.last_closing.is_some_and(|last| last > place))
            || closes && (pairs.has_mark || pairs.first_opening.is_some_and(|first| first < place))
    }

    /// True for the beginning of `&amp;` or `&#38;`.
    fn is_entity(&self, place: usize) -> bool {
        let rest = self.signs.iter().skip(place + 1).take(33).map(|sign| sign.char);
        let name: String = rest.take_while(|c| c.is_ascii_alphanumeric() || *c == '#').collect();
        !name.is_empty() && self.char(place + 1 + name.len()) == Some(';')
    }
}

/// Places of signs at the beginnings of lines that would make a heading, quote, list, rule, fence or table.
fn block_signs(signs: &[Sign]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in signs.split(|sign| sign.char == '\n') {
        if line.first().is_some_and(|sign| sign.is_text)
            && let Some(within) = block_sign(&line.iter().map(|sign| sign.char).collect::<String>())
        {
            places.push(start + within);
        }
        start += line.len() + 1;
    }
    places
}

/// The sign of a line that makes it another block, by its place in characters.
fn block_sign(line: &str) -> Option<usize> {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let all = |signs: &[char]| line.trim_end().chars().all(|c| signs.contains(&c) || c == ' ');
    let first = line.chars().next()?;
    let numbers = line.bytes().take_while(u8::is_ascii_digit).count();
    let after_numbers = line.get(numbers..).unwrap_or_default();
    let headings = line.trim_start_matches('#');
    let is_block = match first {
        '#' => line.len() - headings.len() <= 6 && is_end(headings),
        '>' => true,
        '-' | '*' | '+' if line.get(1..).is_some_and(is_end) => true,
        '-' | '*' | '_' | '=' if all(&[first]) => true,
        '`' => line.starts_with("```"),
        '~' => line.starts_with("~~~"),
        '|' | ':' | '-' if line.contains('-') && all(&['|', ':', '-']) => true,
        '[' => ["[ ]", "[x]", "[X]"].iter().any(|mark| line.starts_with(mark)),
        '0'..='9' if numbers <= 9 => {
            let mark = after_numbers.strip_prefix(['.', ')']);
            return mark.is_some_and(is_end).then_some(numbers);
        }
        _ => false,
    };
    is_block.then_some(0)
}

#[cfg(test)]
mod tests {
    use super::{Piece, Within, render};

    fn text(text: &str) -> String {
        render(&[Piece::Text(text.to_owned())], Within::Block)
    }

    #[test]
    fn signs_that_mean_nothing_stay() {
        for plain in [
            "+3.3V and +5V",
            "~10 mm and ~12 mm",
            "10^6 and 10^-3",
            "12 +0.02-0.01 mm and 25.0(+-0.1)",
            "5 * 3",
            "M3*20",
            "snake_case_name",
            "a < b & c > d",
            "#12 and GEAR-12",
            "-5 V",
            "+5 V",
            "C:\\temp",
            "array[3] = x[4]",
            "R&D",
            "1.5 mm",
            "100% | 50%",
            "2 * 3 * 4",
            "a!b",
            "~5",
            "=5",
            "it`s",
        ] {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn signs_that_mean_something_are_escaped() {
        for (plain, escaped) in [
            ("5*3 and 4*2", r"5\*3 and 4\*2"),
            ("*a*", r"\*a\*"),
            ("_a_ b_c", r"\_a\_ b_c"),
            ("~~a~~", r"\~\~a\~\~"),
            ("`a`", r"\`a\`"),
            ("# a", r"\# a"),
            ("> a", r"\> a"),
            ("- a", r"\- a"),
            ("12. a", r"12\. a"),
            ("---", r"\---"),
            ("a\n===", "a\n\\==="),
            ("|-|", r"\|-|"),
            ("<b>", r"\<b>"),
            ("&amp; &#38;", r"\&amp; \&#38;"),
            ("[a](b)", r"\[a](b)"),
            ("[a]: b", r"\[a]: b"),
            (r"\*", r"\\*"),
            ("[ ] a", r"\[ ] a"),
        ] {
            assert_eq!(text(plain), escaped);
        }
        assert_eq!(render(&[Piece::Text("a|b".to_owned())], Within::Cell), r"a\|b");
        assert_eq!(render(&[Piece::Text("a]b".to_owned())], Within::Link), r"a\]b");
    }
}
