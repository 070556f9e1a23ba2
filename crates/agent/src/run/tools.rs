//! The tools of one run: those of its session, limited to the toolboxes that the session was opened with.

use std::collections::HashMap;

use domain::work::approval::{ApprovalReason, ToolEffect};
use domain::work::conversation::{Message, MessagePart, Picture};
use domain::work::tool::Tool;
use domain::{Code, Result};
use serde_json::{Map, Value};
use store::work::runs::work::AgentRun;
use wire::Authenticate;

use crate::models::ToolSpec;
use crate::run::Runner;
use crate::tools::completed::completed;
use crate::tools::listed::MODEL_DESCRIPTION_MAX_CHARS;
use crate::tools::{ForModels, ToolCall, ToolResult, ToolSession};

/// The tools that the model of a run may call.
pub(super) struct RunTools<'a, App> {
    runner: &'a Runner<App>,
    run: &'a AgentRun,
    specs: Vec<ToolSpec>,
    /// The effects of each tool, by its full name.
    effects: HashMap<String, Vec<ToolEffect>>,
}

/// The answer of a tool, as the model reads it.
pub(super) struct ToolAnswer {
    /// True if the tool refused or failed.
    pub(super) is_error: bool,
    /// The answer's text.
    pub(super) text: String,
    /// The answer's pictures.
    pub(super) pictures: Vec<Picture>,
}

impl<'a, App: Authenticate> RunTools<'a, App> {
    /// Lists the tools that the run's author may use in the session.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND` where the author can't work in the session any more; `UNAVAILABLE`.
    pub(super) async fn open(runner: &'a Runner<App>, run: &'a AgentRun) -> Result<Self> {
        let listed = runner.executor.list(&session(runner, run).await?).await?;
        let listed = listed.into_model_tools(run.toolboxes.as_deref());
        let effects = listed.iter().map(|tool| (tool.full_name(), tool.effects.clone())).collect();
        let spec = |tool: Tool| ToolSpec {
            name: tool.full_name(),
            description: tool.description.chars().take(MODEL_DESCRIPTION_MAX_CHARS).collect(),
            input_schema: completed(tool.input_schema),
        };
        Ok(Self { runner, run, specs: listed.into_iter().map(spec).collect(), effects })
    }

    /// The effects of a tool. One that the run doesn't have only answers that it isn't there.
    pub(super) fn effects(&self, name: &str) -> &[ToolEffect] {
        self.effects.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The reason to ask a person before a tool is used, if there is one.
    pub(super) fn reason_to_ask(&self, name: &str, has_read_untrusted: bool) -> Option<ApprovalReason> {
        ToolEffect::reason_to_ask(self.effects(name), &self.run.auto_approved, has_read_untrusted)
    }

    /// True if a conversation holds text that others have written. A tool that is gone may have shown such text.
    pub(super) fn shows_untrusted(&self, messages: &[Message]) -> bool {
        let is_untrusted = |part: &MessagePart| match part {
            MessagePart::ToolResult { name, .. } => {
                self.effects.get(name).is_none_or(|effects| effects.contains(&ToolEffect::ShowUntrusted))
            }
            MessagePart::Text { .. } | MessagePart::ToolCall { .. } => false,
        };
        messages.iter().flat_map(|message| &message.parts).any(is_untrusted)
    }

    /// The tools, as the model gets to know them.
    pub(super) fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Uses a tool by its full name. Rights are checked again, so a revoked right ends at the next tool.
    ///
    /// # Errors
    /// As for [`RunTools::open`]. A tool that refuses, is unknown or is too slow is an answer for the model.
    pub(super) async fn invoke(&self, name: &str, params: Map<String, Value>) -> Result<ToolAnswer> {
        if !self.specs.iter().any(|spec| spec.name == name) {
            return Ok(ToolAnswer::error("There is no such tool in this session."));
        }
        let Runner { app, executor, clock, .. } = self.runner;
        let session = session(self.runner, self.run).await?;
        let (toolbox, tool) = ToolCall::split_name(name);
        let (now, request_id) = (clock.now(), self.run.id.to_string());
        let call = ToolCall { toolbox, tool, params, idempotency_key: None, now, request_id };
        match executor.invoke(app, &session, &call).await {
            Ok(result) => {
                let ToolResult { is_error, content, for_models: ForModels { unsaid, pictures }, .. } = result;
                let said: Vec<String> = std::iter::once(content.text).chain(unsaid).collect();
                Ok(ToolAnswer { is_error, text: said.join("\n"), pictures })
            }
            Err(error) if matches!(error.code, Code::ToolNotFound | Code::ToolTimeout) => {
                Ok(ToolAnswer::error(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }
}

impl ToolAnswer {
    /// An answer that refuses.
    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, text: text.into(), pictures: Vec::new() }
    }
}

/// The session, as the run's author may work in it now.
async fn session<App>(runner: &Runner<App>, run: &AgentRun) -> Result<ToolSession> {
    let call = runner.store.call_of_job(&run.lease, runner.clock.now()).await?;
    ToolSession::open(&runner.store, &call, &run.lease.session_ref()).await
}
