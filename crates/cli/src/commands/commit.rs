//! Commit a branch's changes.

use api::content::branches::BranchPath;
use api::content::commits::{CreateCommit, CreateCommitRequest};
use client::Client;
use domain::Code;
use domain::text::{Text, is_blank};

use crate::arguments::Global;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;
use crate::revision::short;

/// Commits all uncommitted changes.
pub(crate) async fn run(
    client: &Client,
    project: &ProjectArgument,
    message: String,
    global: &Global,
) -> CommandResult<Exit> {
    let message = commit_message(message)?;
    let project = project.find(client, Beginning::of_change(global.json)).await?;
    let request = CreateCommitRequest { message };
    let created = client
        .call_with(
            CreateCommit,
            BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
            &request,
        )
        .await;
    let commit = created.map_err(|error| match error.code() {
        Some(Code::NothingToCommit) => {
            CommandFailure::new(Exit::Refused, format!("{project} has no uncommitted changes"))
        }
        _ => error.into(),
    })?;
    let commit = commit.commit;
    if global.json {
        output::json(&commit);
    } else {
        let subject = commit.message.lines().next().unwrap_or_default();
        output::print(&format!("{} {subject}", short(&commit.hash)));
    }
    Ok(Exit::Done)
}

/// The message of a commit, or a failure that says what is wrong with it.
pub(crate) fn commit_message<const MAX: usize>(message: String) -> CommandResult<Text<MAX>> {
    if is_blank(&message) {
        return Err(
            CommandFailure::usage("the message is empty").next("Say what has changed: -m \"Import parts\"")
        );
    }
    Text::try_from(message).map_err(|error| CommandFailure::usage(format!("the message {error}")))
}
