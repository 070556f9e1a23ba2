//! Blocks and spans of Markdown (CommonMark 0.31, with the tables of GitHub).

/// Schemes of links. Others run code or mean something on a reader's machine.
const SCHEMES: [&str; 6] = ["http://", "https://", "ftp://", "ftps://", "mailto:", "tel:"];

/// True for an address that a link may have.
pub(super) fn is_address(text: &str) -> bool {
    let has_scheme =
        |scheme: &&str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    SCHEMES.iter().any(|scheme| has_scheme(scheme) && text.len() > scheme.len())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// A link. `text` is Markdown.
pub(super) fn link(text: &str, address: &str) -> String {
    format!("[{text}]({})", destination(address))
}

/// A link with a text that is shown beside the pointer.
pub(super) fn titled_link(text: &str, address: &str, title: &str) -> String {
    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{text}]({} \"{title}\")", destination(address))
}

/// A link that shows its address.
pub(super) fn auto_link(address: &str) -> String {
    format!("<{}>", address.replace('<', "%3C").replace('>', "%3E"))
}

/// An address or file name as the destination of a link.
pub(super) fn destination(address: &str) -> String {
    let plain = address.replace(['\n', '\r'], " ");
    let is_bare = !plain.is_empty()
        && !plain.contains([' ', '(', ')', '<', '>', '\\'])
        && !plain.chars().any(char::is_control);
    if is_bare {
        plain
    } else {
        format!("<{}>", plain.replace('\\', "%5C").replace('<', "%3C").replace('>', "%3E"))
    }
}

/// A code span, with more backticks than its text has in a row.
pub(super) fn code_span(code: &str) -> String {
    let code = code.replace('\n', " ");
    if code.trim().is_empty() {
        return code;
    }
    let ticks = "`".repeat(longest_run(&code, '`') + 1);
    let needs_room =
        code.starts_with('`') || code.ends_with('`') || code.starts_with(' ') && code.ends_with(' ');
    let room = if needs_room { " " } else { "" };
    format!("{ticks}{room}{code}{room}{ticks}")
}

/// A block of code.
pub(super) fn fence(language: &str, code: &str) -> String {
    let ticks = "`".repeat((longest_run(code, '`') + 1).max(3));
    let is_word = |c: char| c.is_ascii_alphanumeric() || "+-#._".contains(c);
    let language: String = language.chars().filter(|c| is_word(*c)).collect();
    let code = code.strip_suffix('\n').unwrap_or(code);
    format!("{ticks}{language}\n{code}\n{ticks}")
}

/// A text with `first` before its first line, and `rest` before the others that aren't empty.
pub(super) fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let mut prefixed = String::with_capacity(text.len() + first.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            prefixed.push('\n');
        }
        let prefix = if number == 0 { first } else { rest };
        prefixed.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
        prefixed.push_str(line);
    }
    prefixed
}

/// A quotation.
pub(super) fn quote(text: &str) -> String {
    prefixed(text, "> ", "> ")
}

/// A table. The first row is the header; without one it is empty. Cells are Markdown with escaped bars.
pub(super) fn table(header: Option<Vec<String>>, rows: &[Vec<String>]) -> String {
    let width = rows.iter().chain(header.as_ref()).map(Vec::len).max().unwrap_or(0);
    let line = |cells: &[String]| {
        let cells = (0..width).map(|place| cells.get(place).map_or("", |cell| cell.trim()));
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule = format!("|{}", " --- |".repeat(width));
    let header = line(&header.unwrap_or_default());
    [header, rule].into_iter().chain(rows.iter().map(|row| line(row))).collect::<Vec<_>>().join("\n")
}

/// The text of one line: runs of line ends and the white space around them are one space.
pub(super) fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn longest_run(text: &str, sign: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == sign { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Digits, signs and some letters as superscript or subscript characters; `None` if one has no such form.
pub(super) fn script(text: &str, is_raised: bool) -> Option<String> {
    const PLAIN: &str = "0123456789+-=()n";
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ";
    let forms = if is_raised { RAISED } else { LOWERED };
    text.chars()
        .map(|c| PLAIN.chars().zip(forms.chars()).find(|(plain, _)| *plain == c).map(|(_, form)| form))
        .collect()
}
