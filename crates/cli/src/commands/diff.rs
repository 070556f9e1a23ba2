//! Show uncommitted changes, or the differences of two branches or commits, by object and field.

use std::collections::{HashMap, HashSet};

use api::compare::CompareQuery;
use api::objects::GetObjectQuery;
use api::projects::GetTreeQuery;
use client::Client;
use domain::compare::{ChangeKind, FieldChange, ObjectChange, Point};
use domain::id::ObjectId;
use domain::object::TreeNode;
use domain::project::{BranchName, ProjectRef};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::content::Diff;
use crate::changes::{fields, print_field};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output::{self, count};
use crate::resource::Project;

/// Changed objects whose fields are shown: two requests each.
const COMPARED_MAX: usize = 100;
/// Objects that are read at once.
const AT_ONCE: usize = 8;

/// The paths of a branch's objects.
type Paths = HashMap<ObjectId, String>;

/// An object with uncommitted changes.
struct ChangedObject {
    change: ChangeKind,
    id: ObjectId,
    path: String,
    object_type: String,
}

/// Prints the differences.
pub(crate) async fn run(client: &Client, arguments: Diff, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client).await?;
    match (arguments.base, arguments.head) {
        (Some(base), Some(head)) => {
            let points = (base.find(client, &project).await?, head.find(client, &project).await?);
            compare(client, &project, points, global).await
        }
        _ => uncommitted(client, &project, global).await,
    }
}

async fn compare(
    client: &Client,
    project: &Project,
    (base, head): (Point, Point),
    global: &Global,
) -> CommandResult<Exit> {
    let points = [base.clone(), head.clone()];
    let query = CompareQuery { base, head, limit: None, cursor: None };
    let mut changes = client.compare_commits(&project.record.id).query(&query).rows();
    let mut paths = None;
    loop {
        let change = match changes.try_next().await {
            Ok(Some(change)) => change,
            Ok(None) => return Ok(Exit::Done),
            Err(error) => return Err(project.unless_missing(client, error, &points).await),
        };
        if global.json {
            output::json(&change);
            continue;
        }
        let [of_base, of_head] = match &mut paths {
            Some(paths) => paths,
            None => paths.insert(paths_of(client, project, &points).await?),
        };
        let paths = if change.change == ChangeKind::Deleted { of_base } else { of_head };
        print(&change, paths);
    }
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

fn print(change: &ObjectChange, paths: &Paths) {
    let path = below(paths, change.parent_id, change.name.as_str());
    let about = output::dim(&change.object_type.to_lowercase());
    output::print(&format!("{}  {about}", marked(change.change, &path)));
    if change.change == ChangeKind::Modified {
        print_fields(&change.fields);
    }
}

fn print_fields(fields: &[FieldChange]) {
    for field in fields {
        print_field("    ", field.field.as_str(), field.base.as_ref(), field.head.as_ref());
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

async fn uncommitted(client: &Client, project: &Project, global: &Global) -> CommandResult<Exit> {
    let changes = client.get_changes(&project.record.id, &project.branch).await?;
    if !changes.has_changes {
        if !global.json {
            output::note(&format!("{project} has no uncommitted changes."));
        }
        return Ok(Exit::Done);
    }
    let (added, modified): (HashSet<ObjectId>, HashSet<ObjectId>) =
        (changes.added.into_iter().collect(), changes.modified.into_iter().collect());
    let query = GetTreeQuery { root: None, depth: None, object_type: None, q: None };
    let mut nodes = client.tree_nodes(&project.reference(), &query);
    let mut paths = HashMap::from([(project.record.id.into(), String::new())]);
    let mut changed = Vec::new();
    while let Some(TreeNode { id, name, parent, object_type, .. }) = nodes.try_next().await? {
        let path = below(&paths, parent, name.as_str());
        paths.insert(id, path.clone());
        let change = match (added.contains(&id), modified.contains(&id)) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Modified,
            _ => continue,
        };
        changed.push(ChangedObject { change, id, path, object_type });
    }
    changed.extend(changes.deleted_objects.into_iter().map(|object| {
        let path = below(&paths, object.parent_id, object.name.as_str());
        let (change, id) = (ChangeKind::Deleted, object.object_id);
        ChangedObject { change, id, path, object_type: object.object_type }
    }));
    let mut left = COMPARED_MAX;
    let is_compared: Vec<bool> = changed
        .iter()
        .map(|object| {
            let is_compared = object.change == ChangeKind::Modified && left > 0;
            left -= usize::from(is_compared);
            is_compared
        })
        .collect();
    let compared =
        stream::iter(changed.into_iter().zip(is_compared)).map(|(object, is_compared)| async move {
            let fields = if is_compared { Some(fields_of(client, project, object.id).await?) } else { None };
            Ok::<_, CommandFailure>((object, fields))
        });
    let mut compared = std::pin::pin!(compared.buffered(AT_ONCE));
    while let Some((object, fields)) = compared.try_next().await? {
        show(&object, fields.as_deref(), global);
    }
    if modified.len() > COMPARED_MAX && !global.json {
        let (shown, all) = (COMPARED_MAX, modified.len());
        let number = |number| count(u64::try_from(number).unwrap_or(u64::MAX));
        output::note(&format!("Fields are shown of {} of {} changed objects.", number(shown), number(all)));
    }
    Ok(Exit::Done)
}

/// The fields of an object that differ from the last commit.
async fn fields_of(client: &Client, project: &Project, id: ObjectId) -> CommandResult<Vec<FieldChange>> {
    let reference = project.reference();
    let committed = GetObjectQuery { committed: Some(true) };
    let (base, head) =
        (client.get_object(&reference, &id).query(&committed), client.get_object(&reference, &id));
    let (base, head) = tokio::try_join!(base.into_future(), head.into_future())?;
    Ok(fields(&base.object, &head.object))
}

fn show(object: &ChangedObject, fields: Option<&[FieldChange]>, global: &Global) {
    let ChangedObject { change, id, path, object_type } = object;
    if global.json {
        return output::json(&json!({
            "change": change, "objectId": id, "path": path, "type": object_type, "fields": fields,
        }));
    }
    output::print(&format!("{}  {}", marked(*change, path), output::dim(&object_type.to_lowercase())));
    print_fields(fields.unwrap_or_default());
}
