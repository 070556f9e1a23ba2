//! Answer a question about a tool. The session's host resumes the run.

use api::work::approvals::{AnswerApproval, ApprovalResponse};
use auth::actor::ProjectWrite;
use domain::{Code, Error, Result};
use store::work::approvals::{self, NewAnswer};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::approvals::view;
use crate::sessions::conversation_reader::ConversationReader;

/// Answers a question and resumes the paused run, which acts for the caller from then on. With `approve` the tool is
/// called once, with the arguments of the question; with `deny` the agent learns that it was not called. A caller who
/// could not use the tool can't answer.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, AnswerApproval>,
) -> Result<Reply<ApprovalResponse>> {
    let call = &request.call;
    let at = request.path.target();
    let decision = request.body.0.decision;
    let asked = async |tx: &mut _, session: &_| {
        let reader = ConversationReader::of(session, call);
        Ok((reader, approvals::get(tx, session, request.path.approval_id).await?))
    };
    let (reader, question) = app.store.read_without_tx(call, &at, asked).await?;
    if !reader.may_read_call(&question.tool, question.prompted_by) {
        return Err(Error::new(Code::Forbidden, "Only those who could use the tool answer for it."));
    }
    let host = app.link.ensure_hosted(at.session).await?.ok_or_else(Error::not_found)?.host;
    let new = NewAnswer { id: question.id, decision, process: host };
    let answered = app
        .store
        .mutate(call, &at, async |tx, session| approvals::answer(tx, session, call, &new).await)
        .await?;
    app.link.announce_events(at.session);
    // The run exists, also if its dispatch fails.
    if let Err(error) = app.jobs.dispatch(answered.run, host).await {
        tracing::warn!(run.id = %answered.run, "error.chain" = error.chain(), "run not dispatched; waiting for lease expiry");
    }
    Ok(Reply::ok(ApprovalResponse { approval: view(answered, &reader) }))
}
