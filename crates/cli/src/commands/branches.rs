//! List, create and delete branches.

use api::branches::CreateBranchRequest;
use client::Client;
use domain::compare::Point;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::content::Branches;
use crate::commands::commit::short;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Runs a command on branches.
pub(crate) async fn run(client: &Client, command: Branches, global: &Global) -> CommandResult<Exit> {
    match command {
        Branches::List { project } => {
            let project = project.find(client).await?;
            let mut branches = client.list_branches(&project.record.id).rows();
            let mut rows = Vec::new();
            while let Some(branch) = branches.try_next().await? {
                if global.json {
                    output::json(&branch);
                    continue;
                }
                let mark = if branch.is_default { "default" } else { "" };
                let changes = if branch.has_changes { "uncommitted" } else { "-" };
                let hash = short(&branch.commit_hash.to_string());
                rows.push([branch.name.to_string(), hash, changes.to_owned(), mark.to_owned()]);
            }
            if !global.json {
                output::print(&output::table(["BRANCH", "COMMIT", "CHANGES", ""], &rows));
            }
        }
        Branches::Create { project, name, from } => {
            let project = project.find(client).await?;
            let (from_branch, from_commit) = match from {
                Some(Point::Branch(branch)) => (Some(branch), None),
                Some(Point::Commit(commit)) => (None, Some(commit)),
                None => (Some(project.branch.clone()), None),
            };
            let request = CreateBranchRequest { name, from_branch, from_commit };
            let branch = client.create_branch(&project.record.id, &request).await?.branch;
            if global.json {
                output::json(&branch);
            } else {
                let slug = &project.record.project_slug;
                let hash = short(&branch.commit_hash.to_string());
                output::note(&format!("Created {} at {hash}. Name it {slug}--{}.", branch.name, branch.name));
            }
        }
        Branches::Rm { project, name } => {
            let project = project.find(client).await?;
            let deleted = client.delete_branch(&project.record.id, &name).await?;
            if global.json {
                output::json(&deleted);
            } else {
                output::note(&format!("Deleted {}.", deleted.branch));
            }
        }
    }
    Ok(Exit::Done)
}
