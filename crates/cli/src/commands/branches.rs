//! List, create and delete branches.

use api::content::branches::{BranchPath, CreateBranch, CreateBranchRequest, DeleteBranch, ListBranches};
use client::Client;
use domain::Code;
use domain::content::compare::Point;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::content::Branches;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::revision::short;
use crate::shell::quoted;

/// Runs a command on branches.
pub(crate) async fn run(client: &Client, command: Branches, global: &Global) -> CommandResult<Exit> {
    match command {
        Branches::List { project } => {
            let project = project.find(client, Beginning::Taken).await?;
            let mut branches = client.call(ListBranches, project.record.id).rows();
            let mut rows = Vec::new();
            while let Some(branch) = branches.try_next().await? {
                if global.json {
                    output::json(&branch);
                    continue;
                }
                let mark = if branch.is_default { "default" } else { "" };
                let changes = if branch.has_changes { "uncommitted" } else { "-" };
                let hash = short(&branch.commit_hash);
                rows.push([branch.name.to_string(), hash, changes.to_owned(), mark.to_owned()]);
            }
            if !global.json {
                output::print(&output::table(["BRANCH", "COMMIT", "CHANGES", ""], &rows));
            }
        }
        Branches::Create { project, name, from } => {
            let project = project.find(client, Beginning::of_change(global.json)).await?;
            let from = match from {
                Some(from) => from.find(client, &project).await?,
                None => Point::Branch(project.branch.clone()),
            };
            let (from_branch, from_commit) = match from.clone() {
                Point::Branch(branch) => (Some(branch), None),
                Point::Commit(commit) => (None, Some(commit)),
            };
            let request = CreateBranchRequest { name, from_branch, from_commit };
            let branch = match client.call_with(CreateBranch, project.record.id, &request).await {
                Ok(created) => created.branch,
                Err(error) => {
                    let is_of_branch = error.code() == Some(Code::BranchConflict);
                    let failure = project.unless_missing(client, error, &[from]).await;
                    let list =
                        format!("See what there is: atelier branches list {}", project.record.project_slug);
                    return Err(if is_of_branch { failure.next(list) } else { failure });
                }
            };
            if global.json {
                output::json(&branch);
            } else {
                let slug = &project.record.project_slug;
                let hash = short(&branch.commit_hash);
                let name = format!("{slug}--{}", branch.name);
                output::note(&format!("Created {} at {hash}. Name it {}.", branch.name, quoted(&name)));
            }
        }
        Branches::Rm { project, name, yes } => {
            let project = project.find(client, Beginning::of_change(global.json)).await?;
            if !yes && may_ask(global.json) {
                let slug = &project.record.project_slug;
                ask(&format!("Delete the branch {name} of {slug}, with what is not committed?"))?;
            }
            let deleted = match client
                .call(DeleteBranch, BranchPath { project_id: project.record.id.into(), branch: name.clone() })
                .await
            {
                Ok(deleted) => deleted,
                Err(error) => {
                    return Err(project.unless_missing(client, error, &[Point::Branch(name)]).await);
                }
            };
            if global.json {
                output::json(&deleted);
            } else {
                output::note(&format!("Deleted {}.", deleted.branch));
            }
        }
    }
    Ok(Exit::Done)
}
