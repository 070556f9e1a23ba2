//! Show uncommitted changes by object, or the differences of two branches or commits by field.

use std::collections::{HashMap, HashSet};

use api::compare::CompareQuery;
use api::projects::GetTreeQuery;
use client::Client;
use domain::compare::{ChangeKind, ObjectChange, Point};
use domain::id::ObjectId;
use domain::object::TreeNode;
use futures_util::TryStreamExt;
use serde_json::{Value, json};

use crate::arguments::Global;
use crate::arguments::content::Diff;
use crate::failure::{CommandResult, Exit};
use crate::output;
use crate::resource::Project;

/// Longest value of a field that is shown, in characters.
const VALUE_CHARS: usize = 60;

/// Prints the differences.
pub(crate) async fn run(client: &Client, arguments: Diff, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client).await?;
    match (arguments.base, arguments.head) {
        (Some(base), Some(head)) => compare(client, &project, base, head, global).await,
        _ => uncommitted(client, &project, global).await,
    }
}

async fn compare(
    client: &Client,
    project: &Project,
    base: Point,
    head: Point,
    global: &Global,
) -> CommandResult<Exit> {
    let query = CompareQuery { base, head, limit: None, cursor: None };
    let mut changes = client.compare_commits(&project.record.id).query(&query).rows();
    while let Some(change) = changes.try_next().await? {
        if global.json {
            output::json(&change);
        } else {
            print(&change);
        }
    }
    Ok(Exit::Done)
}

fn print(change: &ObjectChange) {
    let about = output::dim(&change.object_type.to_lowercase());
    output::print(&format!("{}  {about}", marked(change.change, change.name.as_str())));
    if change.change != ChangeKind::Modified {
        return;
    }
    for field in &change.fields {
        let name = output::dim(field.field.as_str());
        output::print(&format!(
            "    {name}  {} → {}",
            value(field.base.as_ref()),
            value(field.head.as_ref())
        ));
    }
}

/// A name with the mark of its change.
fn marked(change: ChangeKind, name: &str) -> String {
    match change {
        ChangeKind::Added => format!("\x1b[32m+ {name}\x1b[0m"),
        ChangeKind::Modified => format!("\x1b[33m~ {name}\x1b[0m"),
        ChangeKind::Deleted => format!("\x1b[31m- {name}\x1b[0m"),
    }
}

/// A value on one line.
pub(crate) fn value(value: Option<&Value>) -> String {
    match value {
        None => "(absent)".to_owned(),
        Some(value) => output::cut(&value.to_string(), VALUE_CHARS),
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
    let mut paths: HashMap<ObjectId, String> = HashMap::new();
    while let Some(TreeNode { id, name, parent, object_type, .. }) = nodes.try_next().await? {
        let path = format!("{}/{name}", paths.get(&parent).map_or("", String::as_str));
        if added.contains(&id) {
            line(ChangeKind::Added, id, &path, &object_type, global);
        } else if modified.contains(&id) {
            line(ChangeKind::Modified, id, &path, &object_type, global);
        }
        paths.insert(id, path);
    }
    for object in changes.deleted_objects {
        let above = paths.get(&object.parent_id).map_or("…", String::as_str);
        let path = format!("{above}/{}", object.name);
        line(ChangeKind::Deleted, object.object_id, &path, &object.object_type, global);
    }
    Ok(Exit::Done)
}

fn line(change: ChangeKind, id: ObjectId, path: &str, object_type: &str, global: &Global) {
    if global.json {
        output::json(&json!({ "change": change, "objectId": id, "path": path, "type": object_type }));
    } else {
        output::print(&format!("{}  {}", marked(change, path), output::dim(&object_type.to_lowercase())));
    }
}
