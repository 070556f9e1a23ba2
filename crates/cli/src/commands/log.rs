//! Show a branch's history.

use api::content::branches::BranchPath;
use api::content::commits::ListCommits;
use client::Client;
use futures_util::{StreamExt, TryStreamExt};

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, PagedLines};
use crate::resource::ProjectArgument;
use crate::revision::short;

/// Prints commits, newest first.
pub(crate) async fn run(
    client: &Client,
    project: &ProjectArgument,
    limit: usize,
    global: &Global,
) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let mut commits = client
        .call(
            ListCommits,
            BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
        )
        .rows()
        .take(limit);
    let mut page = PagedLines::open();
    while let Some(commit) = commits.try_next().await? {
        if global.json {
            output::json(&commit);
            continue;
        }
        let subject = commit.message.lines().next().unwrap_or_default();
        let time = output::minute(commit.created_at);
        let about = output::dim(&format!("{} · {time}", commit.author.name));
        page.line(&format!("{}  {subject}  {about}", short(&commit.hash)));
    }
    page.show();
    Ok(Exit::Done)
}
