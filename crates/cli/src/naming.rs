//! The choice of one row by the text that names it: its id, its name, or a unique beginning of either.

use crate::failure::{CommandFailure, CommandResult, Exit};

/// Most rows that a refusal lists.
const LISTED: usize = 6;

/// The text that names a row, with the words of its refusal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowName<'a> {
    /// Its kind, as in `card`.
    pub(crate) kind: &'a str,
    /// The text that names it.
    pub(crate) text: &'a str,
    /// The command that lists such rows.
    pub(crate) list: &'a str,
}

impl RowName<'_> {
    /// The row that is meant. `key` is the id and the name of a row. Names count without regard to case.
    pub(crate) fn among<T>(
        self,
        rows: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> (String, String),
    ) -> CommandResult<T> {
        let text = self.text.to_lowercase();
        let (mut exact, mut similar) = (Vec::new(), Vec::new());
        for row in rows {
            let (id, name) = key(&row);
            let lower = name.to_lowercase();
            if id == text || lower == text {
                exact.push((row, id, name));
            } else if id.starts_with(&text) || lower.starts_with(&text) {
                similar.push((row, id, name));
            }
        }
        let mut found = if exact.is_empty() { similar } else { exact };
        match (found.pop(), found.is_empty()) {
            (Some((row, ..)), true) => Ok(row),
            (None, _) => {
                let message = format!("no {} \"{}\"", self.kind, self.text);
                Err(CommandFailure::new(Exit::Refused, message)
                    .next(format!("See what there is: {}", self.list)))
            }
            (Some(last), false) => {
                found.push(last);
                let keys = found.into_iter().map(|(_, id, name)| (id, name));
                Err(several(self.text, keys).next("Name more of it, or its id"))
            }
        }
    }
}

/// The refusal of a text that names several rows, given by id and name.
pub(crate) fn several(text: &str, rows: impl ExactSizeIterator<Item = (String, String)>) -> CommandFailure {
    let all = rows.len();
    let mut names: Vec<String> = rows.take(LISTED).map(|(id, name)| format!("{name} ({id})")).collect();
    names.sort();
    if all > LISTED {
        names.push("…".to_owned());
    }
    CommandFailure::usage(format!("\"{text}\" may be any of {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::RowName;
    use crate::failure::Exit;

    fn find(text: &str) -> Result<&'static str, Exit> {
        let rows = [("01-a", "Doing"), ("01-b", "Done"), ("02-c", "To do"), ("03-d", "Do")];
        let wanted = RowName { kind: "column", text, list: "atelier board" };
        let found = wanted.among(rows, |(id, name)| ((*id).to_owned(), (*name).to_owned()));
        found.map(|(id, _)| id).map_err(|failure| failure.exit)
    }

    #[test]
    fn a_row_is_named_by_id_name_or_unique_beginning() {
        assert_eq!(["02", "doi", "DONE", "do"].map(find), [Ok("02-c"), Ok("01-a"), Ok("01-b"), Ok("03-d")]);
        assert_eq!(["01", "x"].map(find), [Err(Exit::Usage), Err(Exit::Refused)]);
    }
}
