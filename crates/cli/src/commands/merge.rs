//! Merge a branch or a commit into a branch. Conflicts are decided by flags, or by questions in a terminal.

mod decisions;

use std::collections::HashMap;
use std::io::IsTerminal;

use api::content::branches::{BranchPath, GetBranch};
use api::content::merges::{MergeBranch, MergeRequest, MergeResolution};
use api::content::objects::{GetObject, ObjectPath};
use client::{Client, RequestError};
use domain::Code;
use domain::content::compare::Point;
use domain::content::merge::{Conflict, MergeReport, MergeStatus};
use domain::id::ObjectId;
use serde_json::{Value, json};

use crate::arguments::Global;
use crate::arguments::content::Merge;
use crate::changes::{changed_lines, values};
use crate::commands::commit::commit_message;
use crate::commands::merge::decisions::{Decisions, Side};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};
use crate::resource::Project;
use crate::revision::short;

/// Merges, asking for decisions until no conflict is left.
pub(crate) async fn run(client: &Client, arguments: Merge, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client, Beginning::of_change(global.json)).await?;
    let message = arguments.message.map(commit_message).transpose()?;
    let side = match (arguments.ours, arguments.theirs) {
        (true, _) => Some(Side::Ours),
        (_, true) => Some(Side::Theirs),
        _ => None,
    };
    let mut decisions = Decisions::parse(&arguments.resolve, side)?;
    // A merge without conflicts is made at once. A decision that fits no conflict has to be found before.
    let mut is_trial = arguments.dry_run || !arguments.resolve.is_empty();
    let mut request = MergeRequest {
        source: arguments.source.find(client, &project).await?,
        message,
        expected_head: None,
        resolutions: None,
        dry_run: is_trial.then_some(true),
    };
    let may_ask = !global.json && std::io::stdin().is_terminal();
    loop {
        let merged = client
            .call_with(
                MergeBranch,
                BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
                &request,
            )
            .await;
        let error = match merged {
            Ok(merged) => {
                check_used(&decisions)?;
                if is_trial && !arguments.dry_run {
                    (is_trial, request.dry_run) = (false, None);
                    continue;
                }
                report(&project, &merged.merge, request.resolutions.map_or(0, |made| made.len()), global);
                return Ok(Exit::Done);
            }
            Err(error) => error,
        };
        let Some((conflicts, total)) = conflicts(&error) else {
            return Err(refused(client, &project, error, request.source).await);
        };
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
        let is_all = u64::try_from(conflicts.len()).is_ok_and(|shown| shown == total);
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
        if is_all && !open.is_empty() {
            check_used(&decisions)?;
        }
        if !open.is_empty() && !may_ask {
            for conflict in &open {
                list(conflict, &names, global);
            }
            let message = format!("{} to decide", counted(left, "conflict", "conflicts"));
            return Err(CommandFailure::new(Exit::Refused, message).code(Code::MergeConflict).next(
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

/// Refuses decisions that no conflict has taken.
fn check_used(decisions: &Decisions) -> CommandResult<()> {
    let unused = decisions.unused();
    if unused.is_empty() {
        return Ok(());
    }
    Err(CommandFailure::usage(format!("no such conflict: {}; nothing was merged", unused.join(", ")))
        .next("See the conflicts: the same command without --resolve, --ours and --theirs, with --dry-run"))
}

/// The failure of a merge that has no conflicts to decide.
async fn refused(client: &Client, project: &Project, error: RequestError, source: Point) -> CommandFailure {
    let is_of_branch = error.code() == Some(Code::BranchConflict);
    let failure = project.unless_missing(client, error, &[source]).await;
    if !is_of_branch {
        return failure;
    }
    match client
        .call(GetBranch, BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() })
        .await
    {
        Ok(read) if read.branch.has_changes => {
            let name = project.argument();
            failure.next(format!(
                "Commit or discard them: atelier commit {name} -m \"…\", atelier discard {name}"
            ))
        }
        _ => failure,
    }
}

fn report(project: &Project, merge: &MergeReport, decided: usize, global: &Global) {
    if global.json {
        return output::json(merge);
    }
    let hash = short(&merge.commit_hash);
    let (did, moved) = if merge.dry_run { ("would be merged", "would move") } else { ("is merged", "moved") };
    output::note(&match merge.status {
        MergeStatus::UpToDate => format!("{project} has all changes already."),
        MergeStatus::FastForward => {
            let source = short(&merge.source_hash);
            format!("{project} {moved} forward to {source}.")
        }
        MergeStatus::Merged if merge.dry_run => {
            let how = match u64::try_from(decided).unwrap_or(u64::MAX) {
                0 => "without conflicts".to_owned(),
                number => format!("with {} decided", counted(number, "conflict", "conflicts")),
            };
            format!("The source {did} into {project} {how}.")
        }
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
        let read = client
            .call(GetObject, ObjectPath { project_id: project.reference(), object_id: conflict.object_id })
            .await;
        let name = read.map_or_else(|_| "(deleted)".to_owned(), |read| read.object.name.to_string());
        names.insert(conflict.object_id, name);
    }
    names
}

fn list(conflict: &Conflict, names: &HashMap<ObjectId, String>, global: &Global) {
    if global.json {
        // The API leaves a side without the field out; a row of this program has every field.
        let mut row = json!({ "base": null, "ours": null, "theirs": null });
        if let (Some(row), Ok(Value::Object(sides))) = (row.as_object_mut(), serde_json::to_value(conflict)) {
            row.extend(sides);
        }
        return output::json(&json!({ "conflict": row }));
    }
    let name = names.get(&conflict.object_id).map_or("", String::as_str);
    let field = if conflict.field.is_whole() { "the whole object" } else { conflict.field.as_str() };
    let id = output::dim(&conflict.object_id.to_string());
    output::print(&format!("{name}  {field}  {id}"));
    let sides = [conflict.base.as_ref(), conflict.ours.as_ref(), conflict.theirs.as_ref()];
    let [base, ours, theirs] = sides;
    match (changed_lines(base, ours), changed_lines(base, theirs)) {
        // Of a text that both sides have changed, each side's changes are read better than its beginning.
        (Some(by_ours), Some(by_theirs)) => {
            for (side, lines) in [("ours", by_ours), ("theirs", by_theirs)] {
                output::print(&format!("    {side}"));
                lines.iter().for_each(|line| output::print(&format!("      {line}")));
            }
        }
        _ => {
            for (side, value) in ["base", "ours", "theirs"].into_iter().zip(values(sides)) {
                output::print(&format!("    {side:<6}  {value}"));
            }
        }
    }
}
