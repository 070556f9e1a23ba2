//! Prompt an agent: stream its answer, show its tools, ask about its questions, and report the cost.

pub(crate) mod screen;

use std::io::{IsTerminal, Read, Write};
use std::time::Instant;

use api::work::approvals::{AnswerApproval, AnswerApprovalRequest, ApprovalPath, GetApproval};
use api::work::sessions::conversation::{PromptSession, PromptSessionRequest, StopRun};
use api::work::sessions::{CreateSessionRequest, SessionBudget, SessionPath};
use api::work::usage::{GetSessionUsage, UsageFormat, UsageQuery};
use client::{Client, RequestResult, Session};
use domain::event::typed::TypedEvent;
use domain::id::{ApprovalId, RunId};
use domain::work::approval::{ApprovableEffect, ApprovalDecision};
use domain::work::conversation::{PromptText, RunStatus};
use domain::work::usage::report::UsageTotals;
use futures_util::TryStreamExt;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::work::PromptCommand;
use crate::commands::prompt::screen::Screen;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, count};
use crate::session::find_in;
use crate::stop::StopSignals;

/// The end of a run.
struct End {
    status: RunStatus,
    exit: Exit,
    message: Option<String>,
}

/// Sends a prompt, and prints the run that answers it.
pub(crate) async fn run(client: &Client, arguments: PromptCommand, global: &Global) -> CommandResult<Exit> {
    let text = prompt_text(&arguments.text)?;
    let beginning = Beginning::of_change(global.json);
    let project = arguments.project.find(client, beginning).await?;
    let started = Instant::now();
    let is_new = arguments.session.is_none();
    // From here on a stop is noticed between requests, so that it leaves no session.
    let mut stop = StopSignals::listen();
    let session = match &arguments.session {
        Some(named) => {
            let id = find_in(client, &project, Some(named), beginning).await?;
            Session::resume(client, &project.reference(), id).await?
        }
        None => {
            let budget = arguments.budget.map(|credits| SessionBudget { credits });
            let auto_approve = arguments.ask.then(|| vec![ApprovableEffect::Read]);
            let model = arguments.model;
            let options =
                CreateSessionRequest { model, budget, auto_approve, ..CreateSessionRequest::default() };
            Session::open_with(client, &project.reference(), &options).await?
        }
    };
    let before = if is_new { UsageTotals::default() } else { usage(&session).await.unwrap_or_default() };
    let ended = answer(&session, text, &mut stop, global).await;
    let after = usage(&session).await;
    if is_new && !arguments.keep {
        // A session that stays open lapses; the answer is worth more than the failure to close it.
        drop(session.close().await);
    }
    let End { status, exit, message } = ended?;
    let spent = after.ok().map(|after| difference(&after, &before));
    if global.json {
        output::json(&json!({
            "event": "summary", "sessionId": session.id(), "status": status,
            "credits": spent.map(|spent| spent.credits.to_string().parse::<f64>().unwrap_or_default()),
            "promptTokens": spent.map(|spent| spent.prompt_tokens),
            "completionTokens": spent.map(|spent| spent.completion_tokens),
        }));
    } else {
        let time = output::duration(started.elapsed());
        let cost = spent.map_or_else(String::new, |spent| cost(&spent));
        output::note(&output::dim(&format!("{cost}{time}")));
        if arguments.keep {
            let (slug, id) = (&project.record.project_slug, session.id());
            output::note(&format!("Next: atelier prompt {slug} \"…\" --session {id}"));
        }
    }
    match message {
        Some(message) => Err(CommandFailure::new(exit, message)),
        None => Ok(exit),
    }
}

/// Prompts, and prints events until the run has ended.
async fn answer(
    session: &Session,
    prompt: PromptText,
    stop: &mut StopSignals,
    global: &Global,
) -> CommandResult<End> {
    let client = session.client();
    let project = session.project().project;
    let request = PromptSessionRequest { prompt };
    let run = client
        .call_with(
            PromptSession,
            SessionPath { project_id: project.into(), session_id: session.id() },
            &request,
        )
        .await?
        .task_id;
    let mut events = session.events(None);
    let mut screen = Screen::of_run(run);
    loop {
        let event = tokio::select! {
            event = events.try_next() => event?,
            () = stop.received() => {
                client.call(StopRun, SessionPath { project_id: project.into(), session_id: session.id() }).await?;
                screen.end();
                let message = Some("stopped".to_owned());
                return Ok(End { status: RunStatus::Paused, exit: Exit::Stopped, message });
            }
        };
        let Some(event) = event else {
            return Err(CommandFailure::new(
                Exit::Refused,
                "the session was closed before the answer was complete",
            ));
        };
        let Some(typed) = event.typed() else { continue };
        if global.json {
            output::print(&event.json);
        } else {
            screen.show(&typed);
        }
        match typed {
            TypedEvent::ApprovalRequested { data, .. } if data.task_id == run => {
                screen.end();
                decide(session, data.approval_id, &data.name, global).await?;
            }
            TypedEvent::RunStatus { data, .. } if data.task_id == run => {
                if let Some(end) =
                    end(run, data.task_id, data.status, data.failure.map(|failure| failure.message))
                {
                    screen.end();
                    return Ok(end);
                }
            }
            _ => {}
        }
    }
}

/// The end that a run's status means; `None` while it goes on. A pause for a question goes on.
fn end(run: RunId, of: RunId, status: RunStatus, failure: Option<String>) -> Option<End> {
    match status {
        _ if run != of => None,
        RunStatus::Starting | RunStatus::Running | RunStatus::Paused => None,
        RunStatus::Completed => Some(End { status, exit: Exit::Done, message: None }),
        RunStatus::Failed => {
            let message = failure.unwrap_or_else(|| "the run failed".to_owned());
            Some(End { status, exit: Exit::Refused, message: Some(message) })
        }
    }
}

/// Asks whether the agent may call a tool. Without a terminal it may not.
async fn decide(session: &Session, id: ApprovalId, tool: &str, global: &Global) -> CommandResult<()> {
    let client = session.client();
    let project = session.project().project;
    let decision = if !global.json && std::io::stdin().is_terminal() {
        let approval = client
            .call(
                GetApproval,
                ApprovalPath { project_id: project.into(), session_id: session.id(), approval_id: id },
            )
            .await?
            .approval;
        let params = approval.params.map(|params| serde_json::Value::Object(params).to_string());
        output::note(&format!("? {tool} {}", params.unwrap_or_default()));
        anstream::eprint!("  May the agent call it? [y/N] ");
        let failed = |error: std::io::Error| CommandFailure::io("read the decision", &error);
        std::io::stderr().flush().map_err(failed)?;
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(failed)?;
        if matches!(line.trim(), "y" | "yes") { ApprovalDecision::Approve } else { ApprovalDecision::Deny }
    } else {
        output::note(&format!("{tool} is denied: nobody is here to approve it."));
        ApprovalDecision::Deny
    };
    let request = AnswerApprovalRequest { decision };
    client
        .call_with(
            AnswerApproval,
            ApprovalPath { project_id: project.into(), session_id: session.id(), approval_id: id },
            &request,
        )
        .await?;
    Ok(())
}

fn prompt_text(argument: &str) -> CommandResult<PromptText> {
    let mut text = argument.to_owned();
    if argument == "-" {
        text.clear();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| CommandFailure::io("read the prompt", &error))?;
    }
    PromptText::try_from(text).map_err(|error| CommandFailure::usage(format!("the prompt {error}")))
}

/// The session's costs so far. A key without `usage:read` doesn't see them.
async fn usage(session: &Session) -> RequestResult<UsageTotals> {
    let query = UsageQuery { from: None, to: None, group_by: None, format: UsageFormat::Json };
    let call = session.client().call(
        GetSessionUsage,
        SessionPath { project_id: session.project().project.into(), session_id: session.id() },
    );
    Ok(call.query(&query).await?.totals)
}

fn difference(after: &UsageTotals, before: &UsageTotals) -> UsageTotals {
    UsageTotals {
        credits: domain::work::usage::MicroCredits(after.credits.0 - before.credits.0),
        prompt_tokens: after.prompt_tokens - before.prompt_tokens,
        completion_tokens: after.completion_tokens - before.completion_tokens,
        ..*after
    }
}

fn cost(spent: &UsageTotals) -> String {
    let tokens = |number: i64| count(u64::try_from(number).unwrap_or_default());
    let (prompt, completion) = (tokens(spent.prompt_tokens), tokens(spent.completion_tokens));
    format!("{prompt} tokens in, {completion} out · {} credits · ", spent.credits)
}
