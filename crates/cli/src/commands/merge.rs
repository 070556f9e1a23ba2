//! Merge a branch or a commit into a branch. Conflicts are decided by flags, or by questions in a terminal.

mod decisions;

use std::collections::HashMap;
use std::io::IsTerminal;

use api::merges::{MergeRequest, MergeResolution};
use client::{Client, RequestError};
use domain::Code;
use domain::id::ObjectId;
use domain::merge::{Conflict, MergeReport, MergeStatus};
use domain::text::Text;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::content::Merge;
use crate::commands::commit::short;
use crate::commands::diff::value;
use crate::commands::merge::decisions::{Decisions, Side};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output::{self, counted};
use crate::resource::Project;

/// Merges, asking for decisions until no conflict is left.
pub(crate) async fn run(client: &Client, arguments: Merge, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client).await?;
    let message = arguments.message.map(Text::try_from).transpose();
    let side = match (arguments.ours, arguments.theirs) {
        (true, _) => Some(Side::Ours),
        (_, true) => Some(Side::Theirs),
        _ => None,
    };
    let mut decisions = Decisions::parse(&arguments.resolve, side)?;
    let mut request = MergeRequest {
        source: arguments.source,
        message: message.map_err(|error| CommandFailure::usage(format!("the message {error}")))?,
        expected_head: None,
        resolutions: None,
        dry_run: arguments.dry_run.then_some(true),
    };
    let may_ask = !global.json && std::io::stdin().is_terminal();
    loop {
        let merged = client.merge_branch(&project.record.id, &project.branch, &request).await;
        let error = match merged {
            Ok(merged) => {
                report(&project, &merged.merge, global);
                return Ok(Exit::Done);
            }
            Err(error) => error,
        };
        let Some((conflicts, total)) = conflicts(&error) else { return Err(error.into()) };
        let names = names(client, &project, &conflicts).await;
        let mut resolutions: Vec<MergeResolution> = request.resolutions.take().unwrap_or_default();
        let is_decided = |conflict: &Conflict| {
            let same =
                |made: &MergeResolution| made.object_id == conflict.object_id && made.field == conflict.field;
            resolutions.iter().any(same)
        };
        // A decision that settles nothing would be sent forever.
        if conflicts.iter().any(is_decided) {
            return Err(error.into());
        }
        let (mut open, mut left) = (Vec::new(), total);
        for conflict in conflicts {
            match decisions.of(&conflict) {
                Some(resolution) => {
                    resolutions.push(resolution);
                    left = left.saturating_sub(1);
                }
                None => open.push(conflict),
            }
        }
        if !open.is_empty() && !may_ask {
            for conflict in &open {
                list(conflict, &names, global);
            }
            let message = format!("{} to decide", counted(left, "conflict", "conflicts"));
            return Err(CommandFailure::new(Exit::Refused, message).next(
                "Decide all: --ours or --theirs. Decide one: --resolve OBJECT/FIELD=ours|theirs|value:JSON",
            ));
        }
        for conflict in open {
            list(&conflict, &names, global);
            let Some(resolution) = decisions::ask(&conflict, &mut std::io::stdin().lock())? else {
                return Err(CommandFailure::new(Exit::Stopped, "stopped; nothing was merged"));
            };
            resolutions.push(resolution);
        }
        request.resolutions = Some(resolutions);
    }
}

fn report(project: &Project, merge: &MergeReport, global: &Global) {
    if global.json {
        return output::json(merge);
    }
    let hash = short(&merge.commit_hash.to_string());
    let (did, moved) = if merge.dry_run { ("would be merged", "would move") } else { ("is merged", "moved") };
    output::note(&match merge.status {
        MergeStatus::UpToDate => format!("{project} has all changes already."),
        MergeStatus::FastForward => {
            let source = short(&merge.source_hash.to_string());
            format!("{project} {moved} forward to {source}.")
        }
        MergeStatus::Merged if merge.dry_run => format!("The source {did} into {project} without conflicts."),
        MergeStatus::Merged => format!("The source {did} into {project}: {hash}."),
    });
}

/// The conflicts of a refused merge, and their number, which may be greater.
fn conflicts(error: &RequestError) -> Option<(Vec<Conflict>, u64)> {
    let answer = error.answer().filter(|answer| answer.code == Some(Code::MergeConflict))?;
    let details = answer.details.as_ref()?;
    let conflicts: Vec<Conflict> = serde_json::from_value(details.get("conflicts")?.clone()).ok()?;
    let total = details.get("total").and_then(serde_json::Value::as_u64);
    let shown = u64::try_from(conflicts.len()).unwrap_or(u64::MAX);
    (!conflicts.is_empty()).then_some((conflicts, total.unwrap_or(shown)))
}

/// The names of the objects in conflict, as the target branch has them.
async fn names(client: &Client, project: &Project, conflicts: &[Conflict]) -> HashMap<ObjectId, String> {
    let mut names = HashMap::new();
    for conflict in conflicts {
        if names.contains_key(&conflict.object_id) {
            continue;
        }
        // An object that one side has deleted is known by its id alone.
        let read = client.get_object(&project.reference(), &conflict.object_id).await;
        let name = read.map_or_else(|_| "(deleted)".to_owned(), |read| read.object.name.to_string());
        names.insert(conflict.object_id, name);
    }
    names
}

fn list(conflict: &Conflict, names: &HashMap<ObjectId, String>, global: &Global) {
    if global.json {
        return output::json(&json!({ "conflict": conflict }));
    }
    let name = names.get(&conflict.object_id).map_or("", String::as_str);
    let field = if conflict.field.is_whole() { "the whole object" } else { conflict.field.as_str() };
    let id = output::dim(&conflict.object_id.to_string());
    output::print(&format!("{name}  {field}  {id}"));
    output::print(&format!("    base    {}", value(conflict.base.as_ref())));
    output::print(&format!("    ours    {}", value(conflict.ours.as_ref())));
    output::print(&format!("    theirs  {}", value(conflict.theirs.as_ref())));
}
