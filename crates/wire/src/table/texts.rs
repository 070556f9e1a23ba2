//! The texts of a plane's OpenAPI document, from the declarations of its operations and from examples.

use std::collections::BTreeMap;

use api::operation::PlaneDeclaration;
use serde_json::Value;

/// The texts of a plane.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The operations by id.
    pub(crate) operations: BTreeMap<&'static str, OperationText>,
}

/// The text of an operation.
#[derive(Debug, Default)]
pub(crate) struct OperationText {
    /// The tag below which it stands.
    pub(crate) tag: &'static str,
    /// Its description, as Markdown. It names the error codes of its own, in backticks.
    pub(crate) description: String,
    /// A JSON body as clients send it.
    pub(crate) request: Option<Value>,
    /// The answer to it, as JSON.
    pub(crate) answer: Option<Value>,
}

impl Texts {
    /// The texts of a plane's operations, with `examples`: JSON that has, by operation, a `request` and its `answer`.
    pub(crate) fn of(plane: &PlaneDeclaration, examples: &str) -> Self {
        let mut examples: BTreeMap<String, Value> = serde_json::from_str(examples).unwrap_or_default();
        let operations = plane.operations().map(|operation| {
            let mut example = examples.remove(operation.id).unwrap_or_default();
            let mut part = |name: &str| example.get_mut(name).map(Value::take);
            let (request, answer) = (part("request"), part("answer"));
            let (tag, description) = (operation.tag.name, markdown(operation.text));
            (operation.id, OperationText { tag, description, request, answer })
        });
        Self { operations: operations.collect() }
    }
}

impl OperationText {
    /// The words in backticks.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = &str> {
        self.description.split('`').skip(1).step_by(2)
    }
}

/// The Markdown of a doc comment, with each paragraph and each element of a list on one line.
fn markdown(comment: &str) -> String {
    let mut joined = String::new();
    for line in comment.trim().lines().map(|line| line.strip_prefix(' ').unwrap_or(line)) {
        let begins = line.is_empty() || line.starts_with("- ") || joined.ends_with('\n');
        joined.push(if begins { '\n' } else { ' ' });
        joined.push_str(line.trim_start());
    }
    joined.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn a_comment_is_joined_to_paragraphs_and_elements_of_lists() {
        let comment = " Reads `A`.\n And `B`.\n\n - c\n   d\n - e\n";
        assert_eq!(markdown(comment), "Reads `A`. And `B`.\n\n- c d\n- e");
    }
}
