//! The choice of one row by the text that names it: its id, its name, or a unique beginning of either.

use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::shell::quoted;

/// Most rows that a refusal lists.
const LISTED: usize = 6;

/// The meaning of a unique beginning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// It stands for the name: nothing is changed.
    Taken,
    /// It stands for the name if a person says so.
    Asked,
    /// It is refused: nobody is there to be asked.
    Refused,
}

impl Beginning {
    /// The meaning for a command that changes something. With `json` nobody is asked.
    pub(crate) fn of_change(json: bool) -> Self {
        if may_ask(json) { Self::Asked } else { Self::Refused }
    }

    /// Takes `text` for `name`, asks, or refuses.
    pub(crate) fn confirm(self, kind: &str, text: &str, name: &str) -> CommandResult<()> {
        match self {
            Self::Taken => Ok(()),
            Self::Asked => ask(&format!("\"{text}\" is the beginning of the {kind} {name}. Go on with it?")),
            Self::Refused => {
                let message = format!("\"{text}\" is not the whole name of a {kind}");
                Err(CommandFailure::usage(message)
                    .next(format!("What changes something names it whole: {}", quoted(name))))
            }
        }
    }
}

/// The text that names a row, with the words of its refusal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowName<'a> {
    /// Its kind, as in `card`.
    pub(crate) kind: &'a str,
    /// The text that names it.
    pub(crate) text: &'a str,
    /// The command that lists such rows.
    pub(crate) list: &'a str,
    /// The meaning of a unique beginning.
    pub(crate) beginning: Beginning,
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
        let is_exact = !exact.is_empty();
        let mut found = if is_exact { exact } else { similar };
        match (found.pop(), found.is_empty()) {
            (Some((row, id, name)), true) => {
                if !is_exact {
                    let name = if name.is_empty() { id } else { name };
                    self.beginning.confirm(self.kind, self.text, &name)?;
                }
                Ok(row)
            }
            (None, _) => {
                let message = format!("no {} \"{}\"", self.kind, self.text);
                Err(CommandFailure::new(Exit::NotFound, message)
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
    use super::{Beginning, RowName};
    use crate::failure::Exit;

    fn find(text: &str) -> Result<&'static str, Exit> {
        find_by(text, Beginning::Taken)
    }

    fn find_by(text: &str, beginning: Beginning) -> Result<&'static str, Exit> {
        let rows = [("01-a", "Doing"), ("01-b", "Done"), ("02-c", "To do"), ("03-d", "Do")];
        let wanted = RowName { kind: "column", text, list: "atelier board", beginning };
        let found = wanted.among(rows, |(id, name)| ((*id).to_owned(), (*name).to_owned()));
        found.map(|(id, _)| id).map_err(|failure| failure.exit)
    }

    #[test]
    fn a_row_is_named_by_id_name_or_unique_beginning() {
        assert_eq!(["02", "doi", "DONE", "do"].map(find), [Ok("02-c"), Ok("01-a"), Ok("01-b"), Ok("03-d")]);
        assert_eq!(["01", "x"].map(find), [Err(Exit::Usage), Err(Exit::NotFound)]);
    }

    #[test]
    fn what_changes_something_takes_no_beginning() {
        let find = |text| find_by(text, Beginning::Refused);
        assert_eq!(["02-c", "DONE", "do"].map(find), [Ok("02-c"), Ok("01-b"), Ok("03-d")]);
        assert_eq!(["02", "doi", "x"].map(find), [Err(Exit::Usage), Err(Exit::Usage), Err(Exit::NotFound)]);
    }
}
