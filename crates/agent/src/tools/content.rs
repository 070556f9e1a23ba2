//! The content of a tool's answer: a text, and the MCP content blocks that it is made of.

use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

/// The content of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The answer in words, never empty.
    pub text: String,
    /// `None`: the text is the only block.
    blocks: Option<Vec<Value>>,
}

/// The content of an answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct ToolContent<'a> {
    /// The answer in words: the texts of `parts`, and links and pictures by what they are. Without any, the structured
    /// content.
    #[schemars(with = "String")]
    text: &'a RawValue,
    /// Content blocks of MCP.
    #[schemars(with = "Vec<Map<String, Value>>")]
    parts: Blocks<'a, &'a RawValue>,
}

/// Content blocks of MCP.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Blocks<'a, T> {
    Given(&'a [Value]),
    Text([TextBlock<T>; 1]),
}

#[derive(Serialize)]
pub(crate) struct TextBlock<T> {
    text: T,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Content {
    /// Content of one text.
    pub(super) fn of_text(text: String) -> Self {
        Self { text, blocks: None }
    }

    /// Content of blocks, in words `text`, which is the block where it has no words.
    pub(super) fn of_blocks(text: String, blocks: Vec<Value>) -> Self {
        let blocks = Some(blocks).filter(|blocks| !blocks.is_empty());
        Self { text, blocks }
    }

    /// The content blocks.
    pub(crate) fn blocks(&self) -> Blocks<'_, &str> {
        self.blocks_with(&self.text)
    }

    /// The content blocks, with `text` as their text.
    fn blocks_with<T>(&self, text: T) -> Blocks<'_, T> {
        match &self.blocks {
            Some(blocks) => Blocks::Given(blocks),
            None => Blocks::Text([TextBlock { text, kind: "text" }]),
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The text is written twice, and escaping is most of the work for a long answer.
        let text: Box<RawValue> = to_raw_value(&self.text).map_err(S::Error::custom)?;
        ToolContent { text: &text, parts: self.blocks_with(&text) }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Content;

    #[test]
    fn a_text_is_written_beside_the_blocks_that_it_is_made_of() {
        let text = "\"1\"\n2";
        let alone = Content::of_text(text.to_owned());
        let written = r#"{"text":"\"1\"\n2","parts":[{"text":"\"1\"\n2","type":"text"}]}"#;
        assert_eq!(serde_json::to_string(&alone).unwrap(), written);
        assert_eq!(serde_json::to_value(&alone).unwrap()["parts"], json!([{ "type": "text", "text": text }]));
        let blocks = vec![json!({ "type": "image" }), json!({ "type": "text", "text": "1" })];
        let given = Content::of_blocks("1".to_owned(), blocks.clone());
        assert_eq!(serde_json::to_value(&given).unwrap(), json!({ "text": "1", "parts": blocks }));
        assert_eq!(serde_json::to_value(given.blocks()).unwrap(), json!(blocks));
    }
}
