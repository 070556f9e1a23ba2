//! The Atlassian Document Format as Markdown, node by node.

use exchange::markup::{Markup, adf};
use pulldown_cmark::{Options, Parser, html};
use serde_json::{Value, json};

fn convert(content: Value) -> Markup {
    let document = json!({ "type": "doc", "version": 1, "content": content });
    adf::to_markdown(&document, &|id| (id == "ada").then(|| "Ada Example".to_owned()))
}

fn text(text: &str, marks: &[&str]) -> Value {
    let marks: Vec<Value> = marks.iter().map(|mark| json!({ "type": mark })).collect();
    json!({ "type": "text", "text": text, "marks": marks })
}

fn paragraph(content: Value) -> Value {
    json!({ "type": "paragraph", "content": content })
}

fn words(words: &str) -> Value {
    paragraph(json!([text(words, &[])]))
}

#[test]
fn marks_are_nested_and_text_is_escaped() {
    for (content, markdown) in [
        (json!([text("a ", &[]), text("b", &["strong"]), text(" c", &[])]), "a **b** c"),
        (json!([text("bold", &["strong"]), text("both", &["strong", "em"])]), "**bold*both***"),
        (json!([text("x*y*z `q`", &[]), text("a`b", &["code"])]), "x\\*y\\*z \\`q\\```a`b``"),
        (json!([text("+5V and ~10 mm, 10^6, a_b_c", &[])]), "+5V and ~10 mm, 10^6, a_b_c"),
        (json!([text("gone", &["strike"]), { "type": "hardBreak" }, text("next", &[])]), "~~gone~~\\\nnext"),
        (
            json!([{ "type": "text", "text": "2", "marks": [{ "type": "subsup", "attrs": { "type": "sup" } }] }]),
            "²",
        ),
        (
            json!([{ "type": "text", "text": "a]b", "marks": [
                { "type": "link", "attrs": { "href": "https://example.com/(1)" } }, { "type": "strong" }
            ] }]),
            "[**a\\]b**](<https://example.com/(1)>)",
        ),
        (
            json!([{ "type": "text", "text": "x", "marks": [
                { "type": "link", "attrs": { "href": "javascript:a" } }
            ] }]),
            "x (javascript:a)",
        ),
    ] {
        assert_eq!(convert(json!([paragraph(content.clone())])).text, markdown, "{content}");
    }
}

#[test]
fn dates_mentions_states_and_cards_are_text() {
    let content = json!([
        { "type": "date", "attrs": { "timestamp": "1788566400000" } },
        text(" ", &[]),
        { "type": "mention", "attrs": { "id": "ada" } },
        text(" ", &[]),
        { "type": "mention", "attrs": { "id": "x", "text": "@Grace Sample" } },
        text(" ", &[]),
        { "type": "status", "attrs": { "text": "IN REVIEW", "color": "blue" } },
        text(" ", &[]),
        { "type": "emoji", "attrs": { "shortName": ":wrench:", "text": "🔧" } },
        text(" ", &[]),
        { "type": "inlineCard", "attrs": { "url": "https://example.com/a" } },
    ]);
    let expected = "2026-09-05 @Ada Example @Grace Sample [IN REVIEW] 🔧 <https://example.com/a>";
    assert_eq!(convert(json!([paragraph(content)])).text, expected);
}

#[test]
fn lists_hold_code_and_other_lists() {
    let item = |content: Value| json!({ "type": "listItem", "content": content });
    let code =
        json!({ "type": "codeBlock", "attrs": { "language": "c" }, "content": [text("a *b;\n\nc", &[])] });
    let inner = json!({ "type": "bulletList", "content": [item(json!([words("in")]))] });
    let list = json!({ "type": "orderedList", "attrs": { "order": 9 }, "content": [
        item(json!([words("one"), code])), item(json!([words("two"), inner]))
    ] });
    let expected = "9. one\n\n   ```c\n   a *b;\n\n   c\n   ```\n10. two\n    - in";
    assert_eq!(convert(json!([list])).text, expected);
}

#[test]
fn tasks_and_decisions_are_lists() {
    let task = |state: &str, words: &str| {
        let attributes = json!({ "state": state, "localId": "1" });
        json!({ "type": "taskItem", "attrs": attributes, "content": [text(words, &[])] })
    };
    let block = json!({ "type": "blockTaskItem", "attrs": { "state": "TODO" }, "content": [words("block")] });
    let tasks = json!({ "type": "taskList", "content": [
        task("TODO", "open"), { "type": "taskList", "content": [task("DONE", "inner")] }, block
    ] });
    let decisions = json!({ "type": "decisionList", "content": [
        { "type": "decisionItem", "attrs": { "state": "DECIDED" }, "content": [text("M3 it is", &[])] }
    ] });
    let expected = "- [ ] open\n  - [x] inner\n- [ ] block\n\n- M3 it is";
    assert_eq!(convert(json!([tasks, decisions])).text, expected);
}

#[test]
fn panels_expands_media_and_tables_are_blocks() {
    let cell = |kind: &str, words: &str| json!({ "type": kind, "content": [self::words(words)] });
    let content = json!([
        { "type": "heading", "attrs": { "level": 2 }, "content": [text("Goal", &[])] },
        { "type": "panel", "attrs": { "panelType": "warning" }, "content": [words("Hot")] },
        { "type": "expand", "attrs": { "title": "More" }, "content": [words("Inner")] },
        { "type": "blockquote", "content": [words("Said")] },
        { "type": "mediaSingle", "content": [
            { "type": "media", "attrs": { "type": "file", "id": "6e7c", "alt": "plan v2.png", "collection": "" } }
        ] },
        { "type": "rule" },
        { "type": "table", "content": [
            { "type": "tableRow", "content": [cell("tableHeader", "A"), cell("tableHeader", "B|C")] },
            { "type": "tableRow", "content": [cell("tableHeader", "h"), cell("tableCell", "1")] },
        ] },
        { "type": "nodeOfTheFuture", "content": [words("kept")] },
    ]);
    let expected = "## Goal\n\n> **Warning**\n>\n> Hot\n\n> **More**\n>\n> Inner\n\n> Said\n\n\
        ![plan v2.png](<plan v2.png>)\n\n---\n\n| A | B\\|C |\n| --- | --- |\n| **h** | 1 |\n\nkept";
    assert_eq!(convert(content).text, expected);
}

#[test]
fn what_markdown_lacks_is_listed() {
    let content = json!([
        paragraph(json!([text("a", &["underline", "textColor"])])),
        { "type": "extension", "attrs": { "extensionKey": "toc" } },
    ]);
    let converted = convert(content);
    assert_eq!(converted.text, "a");
    assert_eq!(converted.removed.into_iter().collect::<Vec<_>>(), ["color", "extension", "underline"]);
}

#[test]
fn depth_is_bounded() {
    let mut node = words("deep");
    for _ in 0..100 {
        node = json!({ "type": "blockquote", "content": [node] });
    }
    let converted = convert(json!([node]));
    assert!(converted.text.len() < 100 && converted.removed.contains("nodes nested too deeply"));
    for kind in ["taskList", "bulletList", "decisionList"] {
        let mut node = words("deep");
        for _ in 0..100 {
            let item = json!({ "type": "listItem", "content": [node] });
            node = json!({ "type": kind, "content": [if kind == "taskList" { node } else { item }] });
        }
        assert!(convert(json!([node])).removed.contains("nodes nested too deeply"), "{kind}");
    }
}

#[test]
fn marks_are_shown_as_the_document_has_them() {
    let shown = |content: Value| {
        let markdown = convert(json!([paragraph(content)])).text;
        let mut page = String::new();
        html::push_html(&mut page, Parser::new_ext(&markdown, Options::ENABLE_STRIKETHROUGH));
        page.trim().to_owned()
    };
    for (content, page) in [
        (
            json!([text("bold", &["strong"]), text("both", &["strong", "em"])]),
            "<p><strong>bold<em>both</em></strong></p>",
        ),
        (
            json!([text("a `q`", &[]), text("a`b", &["code"]), text("*c*", &[])]),
            "<p>a `q`<code>a`b</code>*c*</p>",
        ),
        (
            json!([text("w", &[]), text("or", &["strong"]), text("d a_b_ ~c~", &[])]),
            "<p>w<strong>or</strong>d a_b_ ~c~</p>",
        ),
        (
            json!([text("2*3 ", &[]), text("x*y ", &["em"]), text("gone", &["strike", "strong"])]),
            "<p>2*3 <em>x*y</em> <strong><del>gone</del></strong></p>",
        ),
    ] {
        assert_eq!(shown(content), page);
    }
}
