//! The tools of sessions, for which one executor serves `tools/invoke`, MCP and the agent, and the tools of MCP clients
//! without a session.
//!
//! A tool is an operation of the control plane, with the same checks and the same handler, in which the session fills in
//! project and branch; or it is a tool of an MCP server that the project's managers have added.

mod arguments;
mod catalog;
mod clients;
mod compact;
pub(crate) mod completed;
pub(crate) mod content;
mod executor;
mod foreign;
pub(crate) mod listed;
mod schema;
mod session;

pub use catalog::Catalog;
pub use clients::{ALL, ClientAnswer, ClientCall, ClientTool, ClientTools, DEFAULT, ToolChoice};
pub use content::Content;
pub use executor::Executor;
pub use foreign::ForeignTools;
pub use listed::ToolList;
pub use session::ToolSession;

use domain::error::{Location, Refusal};
use domain::id::SessionId;
use domain::time::Timestamp;
use domain::work::conversation::Picture;
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use store::Outcome;

use crate::tools::content::ToolContent;

/// Most bytes of an answer's text, which models and people read. The structured content is always whole.
const TEXT_MAX_BYTES: usize = 32 * 1024;

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The toolbox.
    pub toolbox: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub params: Map<String, Value>,
    /// As the header `Idempotency-Key`: a repeat answers the first result.
    pub idempotency_key: Option<String>,
    /// The time of the call.
    pub now: Timestamp,
    /// The id of the request or run that the call is part of.
    pub request_id: String,
}

/// The answer of a tool, or its refusal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ToolResult")]
pub struct ToolResult {
    /// The session.
    pub session_id: SessionId,
    /// The toolbox.
    pub toolbox: String,
    /// The tool.
    pub tool: String,
    /// True if the tool refused or failed.
    pub is_error: bool,
    /// True if this is the answer to an earlier call with the same idempotency key. Sent as a header.
    #[serde(skip)]
    pub replayed: bool,
    /// The answer for models and people.
    #[schemars(with = "ToolContent<'static>")]
    pub content: Content,
    /// The answer for programs; absent if the tool answers text only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub structured_content: Option<Box<RawValue>>,
    /// Content that models read beside the text.
    #[serde(skip)]
    pub(crate) for_models: ForModels,
}

/// The parts of an answer that models read beside its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForModels {
    /// The structured content as JSON, if the text doesn't say it.
    pub(crate) unsaid: Option<String>,
    /// The pictures among the blocks.
    pub(crate) pictures: Vec<Picture>,
}

impl ToolCall {
    /// Splits a [`Tool::full_name`] into toolbox and tool. Names of toolboxes hold no underscore.
    pub fn split_name(full_name: &str) -> (String, String) {
        let (toolbox, tool) = full_name.split_once("__").unwrap_or(("", full_name));
        (toolbox.to_owned(), tool.to_owned())
    }
}

impl ToolResult {
    /// The result, if the tool did not refuse.
    ///
    /// # Errors
    /// `TOOL_ERROR`, with the tool's own message.
    pub fn into_success(self) -> Result<Self> {
        if !self.is_error {
            return Ok(self);
        }
        let Self { toolbox, tool, content, structured_content, .. } = self;
        let message =
            if content.text.is_empty() { "The tool failed.".to_owned() } else { content.text.clone() };
        let error = Error::new(Code::ToolError, message)
            .with_details(json!({ "toolbox": toolbox, "tool": tool, "content": content }));
        match structured_content {
            Some(structured) => {
                let structured = serde_json::to_value(structured).map_err(Error::internal)?;
                Err(error.with_detail("structuredContent", structured))
            }
            None => Err(error),
        }
    }

    /// The result of a tool whose answer is JSON.
    fn answered(session: SessionId, call: &ToolCall, answer: Outcome<Box<RawValue>>) -> Result<Self> {
        let Outcome { value: answer, replayed } = answer;
        let structured = structured(answer)?;
        Ok(Self {
            session_id: session,
            toolbox: call.toolbox.clone(),
            tool: call.tool.clone(),
            is_error: false,
            replayed,
            content: Content::of_text(text(structured.get(), "structuredContent")),
            structured_content: Some(structured),
            for_models: ForModels::default(),
        })
    }

    /// The result of a tool that refused.
    fn refused(session: SessionId, call: &ToolCall, error: Error) -> Result<Self> {
        let error = error.at(Location::Params);
        let text = error.to_string();
        Ok(Self {
            session_id: session,
            toolbox: call.toolbox.clone(),
            tool: call.tool.clone(),
            is_error: true,
            replayed: false,
            content: Content::of_text(text),
            structured_content: Some(to_raw_value(&Refusal::from(&error)).map_err(Error::internal)?),
            for_models: ForModels::default(),
        })
    }
}

/// The structured content of an answer. Clients expect it to be an object.
fn structured(answer: Box<RawValue>) -> Result<Box<RawValue>> {
    if answer.get().starts_with('{') {
        return Ok(answer);
    }
    to_raw_value(&json!({ "value": answer })).map_err(Error::internal)
}

/// The error for a tool that does not exist, or that the caller may not use.
fn no_such_tool() -> Error {
    Error::new(Code::ToolNotFound, "There is no such tool in this session.")
}

/// The text of an answer, cut to [`TEXT_MAX_BYTES`]; the note names the field `whole`, which has all of it.
fn text(answer: &str, whole: &str) -> String {
    if answer.len() <= TEXT_MAX_BYTES {
        return answer.to_owned();
    }
    let cut = answer.get(..answer.floor_char_boundary(TEXT_MAX_BYTES)).unwrap_or_default();
    format!("{cut}\n[cut: {} bytes in all; the whole is in {whole}]", answer.len())
}

#[cfg(test)]
mod tests {
    use super::{TEXT_MAX_BYTES, text};

    #[test]
    fn a_long_answer_is_cut_between_characters_and_says_so() {
        assert_eq!(text("{}", "parts"), "{}");
        let long = "é".repeat(TEXT_MAX_BYTES);
        let cut = text(&long, "structuredContent");
        assert!(cut.starts_with('é') && cut.ends_with("the whole is in structuredContent]"));
        assert!(cut.len() < TEXT_MAX_BYTES + 100);
    }
}
