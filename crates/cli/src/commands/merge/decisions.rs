//! Decisions of conflicts: typed as flags, or answered in a terminal.

use std::collections::HashMap;
use std::io::{BufRead, Write};

use api::content::merges::{MergeResolution, MergeTake};
use domain::content::field::FieldPath;
use domain::content::merge::Conflict;
use domain::id::ObjectId;
use domain::patch::Patch;
use serde_json::Value;

use crate::failure::{CommandFailure, CommandResult};
use crate::output;

/// One side of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The branch merged into.
    Ours,
    /// The source.
    Theirs,
}

/// The decisions of the command line.
#[derive(Debug)]
pub(crate) struct Decisions {
    single: HashMap<(ObjectId, String), Choice>,
    rest: Option<Side>,
}

#[derive(Clone, Debug)]
enum Choice {
    Take(MergeTake),
    Value(Value),
}

impl Decisions {
    /// The decisions that no conflict has taken so far, as they were typed.
    pub(crate) fn unused(&self) -> Vec<String> {
        let mut unused: Vec<String> =
            self.single.keys().map(|(object, field)| format!("{object}{field}")).collect();
        unused.sort();
        unused
    }

    /// Reads `OBJECT[/FIELD]=DECISION` for each conflict, and the side for the rest.
    pub(crate) fn parse(texts: &[String], rest: Option<Side>) -> CommandResult<Self> {
        let mut single = HashMap::new();
        for text in texts {
            let refused = || {
                CommandFailure::usage(format!("\"{text}\" is not a decision"))
                    .next("For example: --resolve 0198c5f0-…/data/material=ours")
            };
            let (place, decision) = text.split_once('=').ok_or_else(refused)?;
            let (object, field) = match place.split_once('/') {
                Some((object, field)) => (object, format!("/{field}")),
                None => (place, String::new()),
            };
            let object: ObjectId = object.parse().map_err(|_| refused())?;
            single.insert((object, field), read(decision).ok_or_else(refused)?);
        }
        Ok(Self { single, rest })
    }

    /// The resolution of a conflict, if it is decided. A decision counts once: a conflict that it did not settle is open.
    pub(crate) fn of(&mut self, conflict: &Conflict) -> Option<MergeResolution> {
        let key = (conflict.object_id, conflict.field.as_str().to_owned());
        let decision = self.single.remove(&key).or_else(|| {
            self.rest.map(|side| match side {
                Side::Ours => Choice::Take(MergeTake::Ours),
                Side::Theirs => Choice::Take(MergeTake::Theirs),
            })
        });
        decision.map(|decision| resolution(conflict.object_id, conflict.field.clone(), decision))
    }
}

fn resolution(object_id: ObjectId, field: FieldPath, decision: Choice) -> MergeResolution {
    match decision {
        Choice::Take(take) => MergeResolution { object_id, field, take: Some(take), value: Patch::Absent },
        Choice::Value(Value::Null) => MergeResolution { object_id, field, take: None, value: Patch::Clear },
        Choice::Value(value) => MergeResolution { object_id, field, take: None, value: Patch::Set(value) },
    }
}

fn read(text: &str) -> Option<Choice> {
    match text {
        "ours" | "o" => Some(Choice::Take(MergeTake::Ours)),
        "theirs" | "t" => Some(Choice::Take(MergeTake::Theirs)),
        "keep" | "k" => Some(Choice::Take(MergeTake::Keep)),
        "delete" | "d" => Some(Choice::Take(MergeTake::Delete)),
        _ => serde_json::from_str(text.strip_prefix("value:")?).ok().map(Choice::Value),
    }
}

/// Asks for a decision until it can be read; `None` to stop.
pub(crate) fn ask(conflict: &Conflict, input: &mut impl BufRead) -> CommandResult<Option<MergeResolution>> {
    let failed = |error: std::io::Error| CommandFailure::io("read the decision", &error);
    let choices = if conflict.field.is_whole() {
        "[o]urs, [t]heirs, [k]eep, [d]elete or [q]uit? "
    } else {
        "[o]urs, [t]heirs, value:JSON or [q]uit? "
    };
    loop {
        anstream::eprint!("  {choices}");
        std::io::stderr().flush().map_err(failed)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(failed)? == 0 || line.trim() == "q" {
            return Ok(None);
        }
        match read(line.trim()) {
            Some(decision) => {
                return Ok(Some(resolution(conflict.object_id, conflict.field.clone(), decision)));
            }
            None => output::note("  That is not one of them."),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Choice, Decisions, MergeTake, Patch, ask, read};

    #[test]
    fn decisions_are_words_or_values() {
        assert!(matches!(read("value:12"), Some(Choice::Value(value)) if value == json!(12)));
        assert!(matches!(read("ours"), Some(Choice::Take(_))));
        assert!(read("value:{").is_none());
        let id = "0198c5f0-0000-7000-8000-000000000000";
        assert!(Decisions::parse(&[format!("{id}/data/a/b=theirs")], None).is_ok());
        for bad in ["ours", "x=ours", &format!("{id}=mine")] {
            assert!(Decisions::parse(&[bad.to_owned()], None).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_question_is_repeated_until_it_is_answered() {
        let conflict = json!({
            "objectId": "0198c5f0-0000-7000-8000-000000000000", "field": "/data/material", "kind": "field",
            "ours": "steel", "theirs": "brass",
        });
        let conflict = serde_json::from_value(conflict).unwrap();
        let answered = |lines: &str| ask(&conflict, &mut lines.as_bytes()).unwrap();
        assert!(matches!(answered("what?\nt\n").unwrap().take, Some(MergeTake::Theirs)));
        assert!(matches!(answered("value:null\n").unwrap().value, Patch::Clear));
        assert!(answered("q\n").is_none() && answered("").is_none());
    }
}
