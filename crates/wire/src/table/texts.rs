//! The texts of a plane's operations for their users, from a page of Markdown: an introduction, a heading for each tag
//! with its text, and below it a heading for each operation with its description.
//!
//! ```md
//! # Cards
//!
//! A card is a piece of work in a project.
//!
//! ## createCard
//!
//! Creates an open card. …
//! ```

use std::collections::BTreeMap;

use serde_json::Value;

/// The descriptions of a plane, as files next to its endpoints have them.
#[derive(Clone, Copy, Debug)]
pub struct Documentation<'a> {
    /// A page of Markdown with the texts of tags and operations.
    pub texts: &'a str,
    /// JSON: by operation, an example of a `request` and of its `answer`. A test writes it.
    pub examples: &'a str,
}

/// The texts of a plane.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The introduction of the document.
    pub(crate) introduction: String,
    /// Names of the tags and their texts, in the order of the page.
    pub(crate) tags: Vec<(String, String)>,
    /// The operations by id.
    pub(crate) operations: BTreeMap<String, OperationText>,
}

/// The text of an operation.
#[derive(Debug, Default)]
pub(crate) struct OperationText {
    /// The tag below which it stands.
    pub(crate) tag: String,
    /// Its description, as Markdown. It names the error codes of its own, in backticks.
    pub(crate) description: String,
    /// A JSON body as clients send it.
    pub(crate) request: Option<Value>,
    /// The answer to it, as JSON.
    pub(crate) answer: Option<Value>,
}

impl Texts {
    /// Reads the page, and adds the examples.
    pub(crate) fn read(documentation: Documentation<'_>) -> Self {
        let mut texts = Self::default();
        let mut examples: BTreeMap<String, Value> =
            serde_json::from_str(documentation.examples).unwrap_or_default();
        let page = documentation.texts;
        let (introduction, tags) = page.split_once("\n# ").unwrap_or((page, ""));
        introduction.trim().clone_into(&mut texts.introduction);
        for tag in tags.split("\n# ").filter(|tag| !tag.is_empty()) {
            let mut sections = tag.split("\n## ");
            let (name, text) = heading(sections.next().unwrap_or_default());
            for section in sections {
                let (operation, description) = heading(section);
                let mut example = examples.remove(&operation).unwrap_or_default();
                let mut part = |name: &str| example.get_mut(name).map(Value::take);
                let (request, answer) = (part("request"), part("answer"));
                let text = OperationText { tag: name.clone(), description, request, answer };
                texts.operations.insert(operation, text);
            }
            texts.tags.push((name, text));
        }
        texts
    }
}

impl OperationText {
    /// The words in backticks.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = &str> {
        self.description.split('`').skip(1).step_by(2)
    }
}

/// The first line of a section, and the rest.
fn heading(section: &str) -> (String, String) {
    let (name, text) = section.split_once('\n').unwrap_or((section, ""));
    (name.trim().to_owned(), joined(text.trim()))
}

/// The Markdown with each paragraph and each element of a list on one line.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let begins = line.is_empty() || line.starts_with("- ") || joined.ends_with('\n');
        joined.push(if begins { '\n' } else { ' ' });
        joined.push_str(line.trim_start());
    }
    joined.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Documentation, Texts};

    #[test]
    fn a_page_has_an_introduction_tags_and_operations() {
        let page = "Hello.\n\n# Cards\n\nWork.\n\n## getCard\n\nReads `A`.\nAnd `B`.\n\n- c\n  d\n- e\n\n# Teams\n\n## getTeam\n\nReads.\n";
        let examples = r#"{"getCard": {"answer": {"id": 1}}}"#;
        let texts = Texts::read(Documentation { texts: page, examples });
        assert_eq!(texts.operations["getCard"].answer, Some(serde_json::json!({ "id": 1 })));
        assert_eq!(texts.operations["getCard"].request, None);
        assert_eq!(texts.introduction, "Hello.");
        assert_eq!(texts.tags, [("Cards".into(), "Work.".into()), ("Teams".into(), String::new())]);
        assert_eq!(texts.operations["getCard"].tag, "Cards");
        assert_eq!(texts.operations["getCard"].quoted().collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(texts.operations["getCard"].description, "Reads `A`. And `B`.\n\n- c d\n- e");
        assert_eq!(texts.operations["getTeam"].description, "Reads.");
    }
}
