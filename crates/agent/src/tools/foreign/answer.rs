//! The answer of a foreign tool in words. A model reads text, and many answers have none, or say more in other blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::work::conversation::Picture;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::tools::{ForModels, text};

/// Largest answer, in bytes of JSON.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// Most pictures of an answer that models see.
const PICTURES_MAX: usize = 8;
/// The text of an answer without any content.
const NOTHING: &str = "[The tool answered without any content.]";
/// The text of a failure without any content.
const FAILED: &str = "[The tool failed and said nothing.]";

/// The answer of a tool.
#[derive(Debug)]
pub(super) struct ForeignAnswer {
    /// True if the tool says that it failed.
    pub(super) is_error: bool,
    /// The blocks in words, or the structured content without any, cut to a readable size; never empty.
    pub(super) text: String,
    /// Content blocks of MCP.
    pub(super) parts: Vec<Value>,
    /// The structured content, as an object.
    pub(super) structured: Option<Box<RawValue>>,
    /// Content that models read beside the text.
    pub(super) for_models: ForModels,
}

/// Why a result of `tools/call` is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFault {
    /// It is no answer of a tool.
    Broken,
    /// It is larger than 1 MiB.
    TooLarge,
}

impl ForeignAnswer {
    /// Reads the result of `tools/call`. Blocks of unknown types are kept.
    ///
    /// # Errors
    /// [`AnswerFault`].
    pub(super) fn read(mut result: Map<String, Value>) -> Result<Self, AnswerFault> {
        if !["content", "structuredContent", "isError"].iter().any(|field| result.contains_key(*field)) {
            return Err(AnswerFault::Broken);
        }
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or_default();
        let parts = match result.remove("content") {
            Some(Value::Array(parts)) => parts,
            Some(single @ Value::Object(_)) => vec![single],
            _ => Vec::new(),
        };
        let structured = result.remove("structuredContent");
        let mut said: Vec<String> = parts.iter().map(words).filter(|words| !words.is_empty()).collect();
        let told = structured.as_ref().filter(|structured| !is_said(&parts, structured));
        let mut unsaid = told.map(Value::to_string);
        if said.is_empty() {
            said.extend(unsaid.take());
        }
        if said.is_empty() {
            said.push(if is_error { FAILED } else { NOTHING }.to_owned());
        }
        let structured = match structured {
            // Clients expect structured content to be an object.
            Some(Value::Object(fields)) => Some(to_raw_value(&fields)),
            Some(value) => Some(to_raw_value(&json!({ "value": value }))),
            None => None,
        };
        let structured = structured.transpose().map_err(|_| AnswerFault::Broken)?;
        let bytes = serde_json::to_vec(&parts).map_or(usize::MAX, |json| json.len());
        let bytes = bytes.saturating_add(structured.as_ref().map_or(0, |structured| structured.get().len()));
        if bytes > ANSWER_MAX_BYTES {
            return Err(AnswerFault::TooLarge);
        }
        let pictures = parts.iter().filter_map(picture).take(PICTURES_MAX).collect();
        let whole = if parts.is_empty() { "structuredContent" } else { "parts" };
        let said = text(&said.join("\n"), whole);
        let unsaid = unsaid.map(|unsaid| text(&unsaid, "structuredContent"));
        Ok(Self { is_error, text: said, parts, structured, for_models: ForModels { unsaid, pictures } })
    }
}

/// A block in words; empty for an empty text.
fn words(block: &Value) -> String {
    let of = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    match of("type") {
        "text" => of("text").to_owned(),
        "resource_link" => link(block),
        "resource" => embedded(block.get("resource").unwrap_or(&Value::Null)),
        kind @ ("image" | "audio") => format!("[{kind}: {}]", kind_and_size(of("mimeType"), of("data"))),
        _ => block.to_string(),
    }
}

/// A link by title, name and URI.
fn link(link: &Value) -> String {
    let of = |name: &str| link.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = match (of("title"), of("name")) {
        (Some(title), Some(name)) if title != name => format!("{title} ({name})"),
        (Some(name), _) | (None, Some(name)) => name.to_owned(),
        (None, None) => "a resource".to_owned(),
    };
    let more: String =
        [of("mimeType"), of("description")].into_iter().flatten().map(|more| format!("; {more}")).collect();
    format!("[link: {name}: {}{more}]", of("uri").unwrap_or("without an address"))
}

/// An embedded resource: its text, or what it is.
fn embedded(resource: &Value) -> String {
    let of = |name: &str| resource.get(name).and_then(Value::as_str);
    let uri = of("uri").unwrap_or("without an address");
    match (of("text"), of("blob")) {
        (Some(text), _) => format!("[resource: {uri}]\n{text}"),
        (None, Some(blob)) => {
            format!("[resource: {uri}: {}]", kind_and_size(of("mimeType").unwrap_or_default(), blob))
        }
        (None, None) => resource.to_string(),
    }
}

fn kind_and_size(media_type: &str, data: &str) -> String {
    let media_type = if media_type.is_empty() { "of unknown type" } else { media_type };
    match STANDARD.decode(data) {
        Ok(bytes) => format!("{media_type}, {} bytes", bytes.len()),
        Err(_) => format!("{media_type}, not readable"),
    }
}

/// The picture of a block, if models take its type. The declared type may be wrong, and a provider refuses a whole
/// conversation with such a picture.
fn picture(block: &Value) -> Option<Picture> {
    let data = match block.get("type")?.as_str()? {
        "image" => block.get("data")?.as_str()?,
        "resource" => block.pointer("/resource/blob")?.as_str()?,
        _ => return None,
    };
    let bytes = STANDARD.decode(data).ok()?;
    let media_type = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    };
    Some(Picture { media_type: media_type.to_owned(), data: data.to_owned() })
}

/// True if the texts say what the structure says: all of it as JSON, or its items one by one. Servers wrap lists and plain
/// values as `{"result": …}`.
fn is_said(parts: &[Value], structured: &Value) -> bool {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    let result =
        structured.as_object().filter(|fields| fields.len() == 1).and_then(|fields| fields.get("result"));
    let says = |text: &str, value: &Value| {
        value.as_str() == Some(text) || serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value)
    };
    [Some(structured), result].into_iter().flatten().any(|value| {
        let items = value.as_array().filter(|items| !items.is_empty() && items.len() == texts.len());
        let is_itemized =
            || items.is_some_and(|items| items.iter().zip(&texts).all(|(item, text)| says(text, item)));
        matches!(texts.as_slice(), [text] if says(text, value)) || is_itemized()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnswerFault, ForeignAnswer};

    const PNG: &str = "iVBORw0KGgo=";

    fn read(result: Value) -> Result<ForeignAnswer, AnswerFault> {
        ForeignAnswer::read(result.as_object().unwrap().clone())
    }

    #[test]
    fn an_answer_in_any_form_has_words() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let blob = |blob: &str| json!({ "type": "resource", "resource": { "uri": "file:///a", "mimeType": "image/png", "blob": blob } });
        for (result, words) in [
            (json!({ "content": [text("a"), text("b")] }), "a\nb"),
            (json!({ "content": [] }), "[The tool answered without any content.]"),
            (json!({ "content": [text("")], "isError": false }), "[The tool answered without any content.]"),
            (json!({ "content": [], "isError": true }), "[The tool failed and said nothing.]"),
            (json!({ "content": [], "structuredContent": { "result": [] } }), r#"{"result":[]}"#),
            (json!({ "structuredContent": [] }), "[]"),
            (json!({ "content": [], "structuredContent": { "torque": 42 } }), r#"{"torque":42}"#),
            (json!({ "content": [text("{ \"a\": 1 }")], "structuredContent": { "a": 1 } }), "{ \"a\": 1 }"),
            (json!({ "content": [text("five")], "structuredContent": { "result": "five" } }), "five"),
            (json!({ "content": [text("5")], "structuredContent": { "result": 5 } }), "5"),
            (
                json!({ "content": [text("a"), text("{\"b\":1}")], "structuredContent": { "result": ["a", { "b": 1 }] } }),
                "a\n{\"b\":1}",
            ),
            (
                json!({ "content": [text("1 row")], "structuredContent": { "rows": [{ "id": 1 }] } }),
                "1 row\n{\"rows\":[{\"id\":1}]}",
            ),
            (
                json!({ "content": [{ "type": "resource_link", "uri": "file:///s.pdf", "name": "s.pdf", "title": "Shaft", "mimeType": "application/pdf" }] }),
                "[link: Shaft (s.pdf): file:///s.pdf; application/pdf]",
            ),
            (
                json!({ "content": [{ "type": "resource_link", "uri": "u:1", "name": "n" }] }),
                "[link: n: u:1]",
            ),
            (
                json!({ "content": [{ "type": "resource", "resource": { "uri": "file:///n.txt", "text": "Bore is H7" } }] }),
                "[resource: file:///n.txt]\nBore is H7",
            ),
            (json!({ "content": [blob("AAEC")] }), "[resource: file:///a: image/png, 3 bytes]"),
            (
                json!({ "content": [{ "type": "image", "mimeType": "image/png", "data": PNG }] }),
                "[image: image/png, 8 bytes]",
            ),
            (
                json!({ "content": [{ "type": "audio", "mimeType": "audio/wav", "data": "?" }] }),
                "[audio: audio/wav, not readable]",
            ),
            (json!({ "content": [{ "type": "video", "uri": "u" }] }), r#"{"type":"video","uri":"u"}"#),
        ] {
            let answer = read(result.clone()).unwrap();
            let said =
                [Some(answer.text), answer.for_models.unsaid].into_iter().flatten().collect::<Vec<_>>();
            assert_eq!(said.join("\n"), words, "{result}");
        }
        assert_eq!(read(json!({})).unwrap_err(), AnswerFault::Broken);
        let large = json!({ "content": [text(&"x".repeat(1024 * 1024))] });
        assert_eq!(read(large).unwrap_err(), AnswerFault::TooLarge);
    }

    #[test]
    fn pictures_are_told_by_their_bytes() {
        let image = |kind: &str, data: &str| json!({ "type": "image", "mimeType": kind, "data": data });
        let pictures = |block: Value| {
            let answer = read(json!({ "content": [block] })).unwrap();
            answer.for_models.pictures.into_iter().map(|picture| picture.media_type).collect::<Vec<_>>()
        };
        assert_eq!(pictures(image("image/jpeg", PNG)), ["image/png"]);
        let within = json!({ "type": "resource", "resource": { "uri": "u", "blob": PNG } });
        assert_eq!(pictures(within), ["image/png"]);
        for none in [image("image/png", "AAEC"), image("image/png", "?"), image("image/svg+xml", "PHN2Zz4=")]
        {
            assert!(pictures(none).is_empty());
        }
    }
}
