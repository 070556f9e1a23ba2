//! The run loop: asks the model, uses the tools that it calls, and asks again, until it calls none.

mod answers;
mod context;
mod tools;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use domain::error::Refusal;
use domain::event::{EventType, NewEvent};
use domain::id::{RunId, UsageEventId};
use domain::time::{Clock, Timestamp};
use domain::work::approval::{ApprovalStatus, ToolEffect};
use domain::work::conversation::{Message, MessagePart, ModelContent};
use domain::work::usage::TokenCounts;
use domain::{Code, Error, Result};
use link::Link;
use serde_json::{Value, json};
use store::Store;
use store::work::approvals::NewApproval;
use store::work::runs::work::{AgentRun, InterruptedCall, NewToolResult, RunConversation, RunEnd};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use wire::Authenticate;

use crate::models::{Model, ModelAnswer, Models, QuestionSize};
use crate::run::context::fitting;
use crate::run::tools::{RunTools, ToolAnswer};
use crate::tools::Executor;

/// Most bytes of tool results in one run.
const RESULT_BYTES: usize = 8 * 1024 * 1024;
/// Attempts to write the end of a run before it is left to its lease.
const END_ATTEMPTS: u32 = 5;
/// The pause between two attempts.
const END_PAUSE: Duration = Duration::from_secs(2);

/// The bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// Most calls of the model.
    pub steps: u32,
    /// Longest time.
    pub time: Duration,
}

/// Works on the runs of a process. `App` is the state that the tools' operations work on.
pub struct Runner<App> {
    /// Passed to the operations that tools call.
    pub app: App,
    /// The tools of all sessions.
    pub executor: Executor<App>,
    /// Holds conversations and their events.
    pub store: Store,
    /// Announces new events.
    pub link: Link,
    /// The models of the deployment.
    pub models: Models,
    /// The bounds of each run.
    pub limits: RunLimits,
    /// Dates what a run writes.
    pub clock: Clock,
}

/// One run, while this process works on it.
struct ActiveRun<'a, App> {
    runner: &'a Runner<App>,
    run: &'a AgentRun,
    model: &'a Model,
    /// The answer that the model is giving, and that is not stored yet.
    partial: RefCell<Option<PartialAnswer>>,
    /// The last question whose tokens the server counted.
    counted: Cell<Option<QuestionSize>>,
    /// True once the conversation holds text that others have written.
    has_read_untrusted: Cell<bool>,
}

/// An answer of the model that is not stored yet.
struct PartialAnswer {
    /// The call's row in the ledger. It shows whether an interrupted commit went through.
    call: UsageEventId,
    /// The question's size.
    size: QuestionSize,
    text: String,
    tokens: TokenCounts,
}

/// Why the loop ends without an error.
enum Exit {
    /// The model has nothing more to do.
    Completed,
    /// The run has ended, waits for a person's answer, or is another process's: nothing more may be written.
    Lost,
}

impl<App: Authenticate> Runner<App> {
    /// Works on a run that was assigned to this process until it ends; `cancel` pauses it. A run that has another process, or
    /// has ended, is left alone.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the run was not begun, and fails when its lease expires.
    pub async fn work(&self, run: RunId, cancel: &CancellationToken) -> Result<()> {
        let Some(run) = self.store.begin_run(run, self.link.process(), self.clock.now()).await? else {
            return Ok(());
        };
        self.link.announce_events(run.lease.session);
        match self.models.find(Some(&run.model)) {
            Some(model) => {
                let run = ActiveRun {
                    runner: self,
                    run: &run,
                    model: &model,
                    partial: RefCell::new(None),
                    counted: Cell::new(None),
                    has_read_untrusted: Cell::new(false),
                };
                run.work(cancel).await;
            }
            None => {
                let error =
                    Error::new(Code::ModelNotConfigured, "This deployment has no such model any more.");
                self.store.end_run(&run, &RunEnd::failed(Refusal::from(&error)), self.clock.now()).await?;
            }
        }
        Ok(())
    }
}

impl<App: Authenticate> ActiveRun<'_, App> {
    /// Runs the loop and writes the run's end, however the loop was left.
    async fn work(&self, cancel: &CancellationToken) {
        let limit = self.runner.limits.time;
        let steps = async {
            let tools = RunTools::open(self.runner, self.run).await?;
            match timeout(limit, self.steps(&tools)).await {
                Ok(exit) => exit,
                Err(_) => Err(limit_reached(format!("The run took longer than {} s.", limit.as_secs()))),
            }
        };
        let exit = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            exit = steps => Some(exit),
        };
        let end = match exit {
            Some(Ok(Exit::Lost)) => return,
            Some(Ok(Exit::Completed)) => RunEnd::completed(),
            None => RunEnd::paused(),
            Some(Err(error)) => {
                tracing::info!(run.id = %self.run.id, "error.chain" = error.chain(), "run failed");
                RunEnd::failed(Refusal::from(&error))
            }
        };
        // A call is charged for the tokens that are known so far. One that was refused has none, and costs nothing.
        let begun = self
            .partial
            .take()
            .filter(|partial| partial.tokens != TokenCounts::default() || !partial.text.is_empty());
        let cut_off = begun.map(|PartialAnswer { call, size, text, tokens }| {
            let spent = self.model.spent(call, tokens, size, text.len());
            InterruptedCall { text, spent }
        });
        self.end(RunEnd { cut_off, ..end }).await;
    }

    async fn steps(&self, tools: &RunTools<'_, App>) -> Result<Exit> {
        let mut result_bytes = 0;
        for _ in 0..self.runner.limits.steps {
            let RunConversation { messages, allowance } = self.runner.store.conversation(self.run).await?;
            self.has_read_untrusted.set(tools.shows_untrusted(&messages));
            let open = open_calls(&messages, self.run.id);
            if !open.is_empty() {
                // A person has answered whether the first of them is used.
                if !self.use_tools(tools, open, &mut result_bytes).await? {
                    return Ok(Exit::Lost);
                }
                continue;
            }
            let messages = fitting(messages, self.run.id)?;
            let Some(answer) = self.ask(tools, &messages, allowance).await? else { return Ok(Exit::Lost) };
            let ModelAnswer { parts, unusable, .. } = answer;
            let is_usable = |call_id: &String| !unusable.iter().any(|unusable| unusable.call_id == *call_id);
            let (mut calls, mut has_called) = (Vec::new(), false);
            for part in parts {
                if let MessagePart::ToolCall { call_id, .. } = &part {
                    has_called = true;
                    if is_usable(call_id) {
                        calls.push(part);
                    }
                }
            }
            if !has_called {
                return Ok(Exit::Completed);
            }
            if !self.use_tools(tools, calls, &mut result_bytes).await? {
                return Ok(Exit::Lost);
            }
        }
        Err(limit_reached(format!("The run took more than {} steps.", self.runner.limits.steps)))
    }

    /// The event of a call that has its answer.
    fn finished(&self, call_id: &str, name: &str, is_error: bool) -> NewEvent {
        let data = json!({ "taskId": self.run.id, "callId": call_id, "name": name, "isError": is_error });
        NewEvent { kind: EventType::ToolFinished, data }
    }

    /// Uses tools that the model called, one after the other, and adds the bytes of their answers; `false` if the run was
    /// lost or waits for a person's answer.
    async fn use_tools(
        &self,
        tools: &RunTools<'_, App>,
        calls: Vec<MessagePart>,
        result_bytes: &mut usize,
    ) -> Result<bool> {
        for call in calls {
            let Some(bytes) = self.use_tool(tools, call).await? else { return Ok(false) };
            *result_bytes += bytes;
            if *result_bytes > RESULT_BYTES {
                return Err(limit_reached(format!(
                    "The run's tools answered more than {RESULT_BYTES} bytes."
                )));
            }
        }
        Ok(true)
    }

    /// Uses a tool that the model called, if that needs no answer of a person, or has one.
    async fn use_tool(&self, tools: &RunTools<'_, App>, call: MessagePart) -> Result<Option<usize>> {
        let MessagePart::ToolCall { call_id, name, params } = call else { return Ok(Some(0)) };
        let reason = tools.reason_to_ask(&name, self.has_read_untrusted.get());
        if let Some(reason) = reason {
            match self.runner.store.approval_of_call(self.run.id, &call_id).await? {
                Some(ApprovalStatus::Approved) => {}
                Some(_) => {
                    let denied = ToolAnswer::error("The user did not approve this call.");
                    return self.add_result(call_id, name, denied).await;
                }
                None => {
                    let effects = tools.effects(&name).to_vec();
                    let new = NewApproval { call_id, tool: name, params, effects, reason };
                    self.runner.store.request_approval(self.run, &new, self.now()).await?;
                    self.announce();
                    return Ok(None);
                }
            }
        }
        let data = json!({ "taskId": self.run.id, "callId": call_id, "name": name });
        if !self.publish(EventType::ToolStarted, data).await? {
            return Ok(None);
        }
        let answer = tools.invoke(&name, params).await?;
        if tools.effects(&name).contains(&ToolEffect::ShowUntrusted) {
            self.has_read_untrusted.set(true);
        }
        self.add_result(call_id, name, answer).await
    }

    /// Adds the answer of a tool; returns its bytes, `None` if the run was lost.
    async fn add_result(&self, call_id: String, name: String, answer: ToolAnswer) -> Result<Option<usize>> {
        let ToolAnswer { is_error, text, pictures } = answer;
        let event = self.finished(&call_id, &name, is_error);
        let bytes = text.len() + pictures.iter().map(|picture| picture.data.len()).sum::<usize>();
        let part = MessagePart::ToolResult { call_id, name, is_error, text: text.replace('\0', "") };
        let content = (!pictures.is_empty()).then_some(ModelContent::Pictures { pictures });
        let result = NewToolResult { part, content, event };
        let added = self.runner.store.add_result(self.run, &result, self.now()).await?;
        self.announce();
        Ok(added.then_some(bytes))
    }

    /// Writes the end, with retries: without it the run would fail only when its lease expires.
    async fn end(&self, end: RunEnd) {
        for _ in 0..END_ATTEMPTS {
            match self.runner.store.end_run(self.run, &end, self.now()).await {
                Ok(_) => return self.announce(),
                Err(error) => {
                    tracing::warn!(run.id = %self.run.id, "error.chain" = error.chain(), "end of run not written");
                    sleep(END_PAUSE).await;
                }
            }
        }
    }

    async fn publish(&self, kind: EventType, data: Value) -> Result<bool> {
        let is_held = self.runner.store.add_run_event(self.run, &NewEvent { kind, data }, self.now()).await?;
        self.announce();
        Ok(is_held)
    }

    fn now(&self) -> Timestamp {
        self.runner.clock.now()
    }

    fn announce(&self) {
        self.runner.link.announce_events(self.run.lease.session);
    }
}

/// The calls of a run's last answer that have no result, in their order.
fn open_calls(messages: &[Message], run: RunId) -> Vec<MessagePart> {
    let of_run = messages.iter().filter(|message| message.task_id == Some(run));
    let mut open: Vec<MessagePart> = Vec::new();
    for part in of_run.flat_map(|message| &message.parts) {
        match part {
            MessagePart::Text { .. } => {}
            MessagePart::ToolCall { .. } => open.push(part.clone()),
            MessagePart::ToolResult { call_id: answered, .. } => open
                .retain(|call| !matches!(call, MessagePart::ToolCall { call_id, .. } if call_id == answered)),
        }
    }
    open
}

fn limit_reached(message: String) -> Error {
    Error::new(Code::RunLimitReached, message)
}
