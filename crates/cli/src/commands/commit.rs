//! Commit a branch's changes.

use api::commits::CreateCommitRequest;
use client::Client;
use domain::Code;
use domain::text::Text;

use crate::arguments::Global;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;
use crate::resource::ProjectArgument;

/// Commits all uncommitted changes.
pub(crate) async fn run(
    client: &Client,
    project: &ProjectArgument,
    message: String,
    global: &Global,
) -> CommandResult<Exit> {
    let message =
        Text::try_from(message).map_err(|error| CommandFailure::usage(format!("the message {error}")))?;
    let project = project.find(client).await?;
    let request = CreateCommitRequest { message };
    let created = client.create_commit(&project.record.id, &project.branch, &request).await;
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
        output::print(&format!("{} {subject}", short(&commit.hash.to_string())));
    }
    Ok(Exit::Done)
}

/// The beginning of a hash that people read.
pub(crate) fn short(hash: &str) -> String {
    hash.chars().take(10).collect()
}
