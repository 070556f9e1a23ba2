//! Show uncommitted changes, or those of a branch or commit beside another one, by path and field.

mod uncommitted;

use std::collections::HashMap;

use api::content::compare::{CompareCommits, CompareQuery};
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::compare::{ChangeKind, FieldChange, ObjectChange, Point};
use domain::content::object::TreeNode;
use domain::content::project::{BranchName, ProjectRef};
use domain::id::ObjectId;
use domain::text::Name;
use futures_util::TryStreamExt;
use serde_json::{Value, json};

use crate::arguments::Global;
use crate::arguments::content::Diff;
use crate::changes::{design_words, show_field};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, PagedLines, counted};
use crate::resource::Project;

/// The paths of a branch's objects.
type Paths = HashMap<ObjectId, String>;

/// A changed object.
struct ChangedObject {
    change: ChangeKind,
    id: ObjectId,
    path: String,
    object_type: String,
    /// The change of a part of a design in words; empty for other changes.
    words: String,
    /// The changed fields; `None` where they are not shown.
    fields: Option<Vec<FieldChange>>,
    /// The row for programs.
    json: Value,
}

/// Prints the differences.
pub(crate) async fn run(client: &Client, arguments: Diff, global: &Global) -> CommandResult<Exit> {
    let Diff { place, base, head, direct } = arguments;
    let project = place.project.find(client, Beginning::Taken).await?;
    let own = || Point::Branch(project.branch.clone());
    let points = match (base, head) {
        (Some(base), Some(head)) => {
            Some((base.find(client, &project).await?, head.find(client, &project).await?))
        }
        (Some(head), None) => Some((own(), head.find(client, &project).await?)),
        _ => None,
    };
    let is_uncommitted = points.is_none();
    let mut changed = match points {
        Some(points) => compared(client, &project, points, direct).await?,
        None => uncommitted::changes(client, &project, &place.path).await?,
    };
    changed.retain(|object| is_at(&object.path, &place.path));
    changed.sort_by(|one, other| one.path.cmp(&other.path));
    if global.json {
        changed.iter().for_each(|object| output::json(&object.json));
        return Ok(Exit::Done);
    }
    let mut page = PagedLines::open();
    changed.iter().for_each(|object| show(&mut page, object));
    page.show();
    output::note(&match changed.is_empty() {
        false => summary(&changed),
        true if is_uncommitted => format!("{project} has no uncommitted changes."),
        true => "Nothing differs.".to_owned(),
    });
    Ok(Exit::Done)
}

/// True for a path at or below a place.
fn is_at(path: &str, place: &[Name]) -> bool {
    let place: String = place.iter().map(|name| format!("/{name}")).collect();
    path.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The number of changes of each kind, and how many lack their fields.
fn summary(changed: &[ChangedObject]) -> String {
    let number = |kind| {
        let of_kind = changed.iter().filter(|object| object.change == kind).count();
        u64::try_from(of_kind).unwrap_or(u64::MAX)
    };
    let kinds =
        [(ChangeKind::Added, "added"), (ChangeKind::Modified, "changed"), (ChangeKind::Deleted, "deleted")];
    let kinds = kinds.map(|(kind, did)| (number(kind), did));
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, did)| format!("{} {did}", output::count(*number)))
        .collect();
    let without =
        changed.iter().filter(|object| object.change == ChangeKind::Modified && object.fields.is_none());
    let fields = match u64::try_from(without.count()).unwrap_or(u64::MAX) {
        0 => String::new(),
        number => format!("; the fields of {} are not shown", counted(number, "object", "objects")),
    };
    format!("{}{fields}.", kinds.join(", "))
}

/// The objects that differ between two points; unless `direct`, since their last common ancestor.
async fn compared(
    client: &Client,
    project: &Project,
    (base, head): (Point, Point),
    direct: bool,
) -> CommandResult<Vec<ChangedObject>> {
    let points = [base.clone(), head.clone()];
    let merge_base = (!direct).then_some(true);
    let query = CompareQuery { base, head, merge_base, limit: None, cursor: None };
    let changes = client.call(CompareCommits, project.record.id).query(&query).rows().try_collect().await;
    let changes: Vec<ObjectChange> = match changes {
        Ok(changes) => changes,
        Err(error) => return Err(project.unless_missing(client, error, &points).await),
    };
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let [of_base, of_head] = paths_of(client, project, &points).await?;
    let changed = changes.into_iter().map(|change| {
        let paths = if change.change == ChangeKind::Deleted { &of_base } else { &of_head };
        let path = below(paths, change.parent_id, change.name.as_str());
        let mut json = json!(change);
        if let Some(row) = json.as_object_mut() {
            row.insert("path".to_owned(), path.clone().into());
        }
        let ObjectChange { change, object_id, object_type, aspects, displacement, fields, .. } = change;
        let words = design_words(&aspects, displacement.as_ref());
        ChangedObject { change, id: object_id, path, object_type, words, fields: Some(fields), json }
    });
    Ok(changed.collect())
}

/// The paths in both branches. The API reads no tree of a commit: the project's branch stands for it.
async fn paths_of(client: &Client, project: &Project, points: &[Point; 2]) -> CommandResult<[Paths; 2]> {
    let [base, head] = points.each_ref().map(|point| match point {
        Point::Branch(branch) => branch.clone(),
        Point::Commit(_) => project.branch.clone(),
    });
    let of_head = paths(client, project, &head).await?;
    let of_base = if base == head { of_head.clone() } else { paths(client, project, &base).await? };
    Ok([of_base, of_head])
}

async fn paths(client: &Client, project: &Project, branch: &BranchName) -> CommandResult<Paths> {
    let reference = ProjectRef { project: project.record.id, branch: Some(branch.clone()) };
    let query = GetTreeQuery { root: None, depth: None, object_type: None, q: None };
    let mut nodes = client.tree_nodes(&reference, &query);
    let mut paths = HashMap::from([(project.record.id.into(), String::new())]);
    while let Some(TreeNode { id, name, parent, .. }) = nodes.try_next().await? {
        let path = below(&paths, parent, name.as_str());
        paths.insert(id, path);
    }
    Ok(paths)
}

/// The path of a name below an object, which may be unknown.
fn below(paths: &Paths, parent: ObjectId, name: &str) -> String {
    format!("{}/{name}", paths.get(&parent).map_or("…", String::as_str))
}

fn show(page: &mut PagedLines, object: &ChangedObject) {
    let about = output::dim(&object.object_type.to_lowercase());
    let words = if object.words.is_empty() { String::new() } else { format!("  {}", object.words) };
    page.line(&format!("{}  {about}{words}", marked(object.change, &object.path)));
    if object.change != ChangeKind::Modified {
        return;
    }
    for field in object.fields.iter().flatten() {
        show_field(page, "    ", field.field.as_str(), field.base.as_ref(), field.head.as_ref());
    }
}

/// A name with the mark of its change.
fn marked(change: ChangeKind, name: &str) -> String {
    match change {
        ChangeKind::Added => output::styled("32", &format!("+ {name}")),
        ChangeKind::Modified => output::styled("33", &format!("~ {name}")),
        ChangeKind::Deleted => output::styled("31", &format!("- {name}")),
    }
}

#[cfg(test)]
mod tests {
    use domain::text::Name;

    use super::is_at;

    #[test]
    fn a_place_has_itself_and_all_below_it() {
        let at = |path: &str, place: &[&str]| {
            let place: Vec<Name> = place.iter().map(|name| Name::sanitize(name).unwrap()).collect();
            is_at(path, &place)
        };
        assert!(at("/Model/a", &["Model"]) && at("/Model", &["Model"]) && at("/Model", &[]));
        assert!(!at("/Models", &["Model"]) && !at("/Library/Model", &["Model"]));
    }
}
