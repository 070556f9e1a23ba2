//! The diagrams of guides, which are written for Mermaid, as lists of steps. A list needs no script, fits on a phone, and
//! is read aloud.

use std::collections::BTreeMap;

/// One arrow of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) text: String,
}

/// The arrows of a sequence or flow diagram, in their order.
pub(crate) fn steps(source: &str) -> Vec<Step> {
    let mut names = BTreeMap::new();
    for line in source.lines().map(str::trim) {
        if let Some(participant) = line.strip_prefix("participant ") {
            let (id, name) = participant.split_once(" as ").unwrap_or((participant, participant));
            names.insert(id.to_owned(), name.to_owned());
        }
    }
    let mut steps = Vec::new();
    for line in source.lines().map(str::trim) {
        let sequence = ["-->>", "->>"].iter().find_map(|arrow| line.split_once(arrow));
        if let Some((from, (to, text))) =
            sequence.and_then(|(from, rest)| Some((from, rest.split_once(": ")?)))
        {
            let name = |id: &str| names.get(id.trim()).cloned().unwrap_or_else(|| id.trim().to_owned());
            steps.push(Step { from: name(from), to: name(to), text: text.to_owned() });
        } else if let Some((from, rest)) = line.split_once("-->") {
            let (text, to) = match rest.trim_start().strip_prefix('|').and_then(|rest| rest.split_once('|')) {
                Some((text, to)) => (text, to),
                None => ("", rest),
            };
            let from = node(from, &mut names);
            let to = node(to, &mut names);
            steps.push(Step { from, to, text: text.trim_matches('"').to_owned() });
        }
    }
    steps
}

/// The name of a node like `id[name]`, which is given where the node is first used.
fn node(text: &str, names: &mut BTreeMap<String, String>) -> String {
    let text = text.trim();
    let is_bracket = |c: char| matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | '"');
    match text.split_once(['[', '(', '{']) {
        Some((id, name)) => {
            let name = name.trim_matches(is_bracket).to_owned();
            names.insert(id.to_owned(), name.clone());
            name
        }
        None => names.get(text).cloned().unwrap_or_else(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, steps};

    fn step(from: &str, to: &str, text: &str) -> Step {
        Step { from: from.to_owned(), to: to.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn messages_of_a_sequence_are_steps() {
        let source =
            "sequenceDiagram\n  participant C as control plane\n  You->>C: ask\n  C-->>You: answer: yes";
        assert_eq!(
            steps(source),
            [step("You", "control plane", "ask"), step("control plane", "You", "answer: yes")]
        );
    }

    #[test]
    fn arrows_of_a_flow_are_steps() {
        let source = "flowchart LR\n  a[edit, upload] --> b[changes]\n  b -->|commit| head";
        assert_eq!(steps(source), [step("edit, upload", "changes", ""), step("changes", "head", "commit")]);
    }
}
