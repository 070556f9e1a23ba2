//! Discard uncommitted changes of a branch, all or by object.

use std::collections::HashSet;

use api::changes::DiscardChangesQuery;
use api::projects::GetTreeQuery;
use client::Client;
use domain::id::ObjectId;
use domain::object::{DeletedObject, UncommittedChanges};
use domain::text::Name;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::content::Discard;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::several;
use crate::output::{self, counted};
use crate::resource::Project;

/// Discards changes.
pub(crate) async fn run(client: &Client, arguments: Discard, global: &Global) -> CommandResult<Exit> {
    let Discard { places, yes } = arguments;
    let Some(first) = places.first() else { return Ok(Exit::Done) };
    if places.iter().any(|place| place.project != first.project) {
        return Err(CommandFailure::usage("the objects are of several projects or branches")
            .next("Discard the changes of one after the other"));
    }
    let is_all = places.iter().any(|place| place.path.is_empty());
    if is_all && places.len() > 1 {
        return Err(CommandFailure::usage("the whole branch and some of its objects are named")
            .next("Name the branch alone, or the objects"));
    }
    let project = first.project.find(client).await?;
    let changes = client.get_changes(&project.record.id, &project.branch).await?;
    let mut objects = Vec::new();
    for place in places.iter().filter(|_| !is_all) {
        objects.push(object(client, &project, &changes, &place.path).await?);
    }
    if !yes && changes.has_changes && may_ask(global) {
        let what = match u64::try_from(objects.len()) {
            Ok(number @ 1..) => counted(number, "object", "objects"),
            _ => format!("all {}", counted(changes.total_object_changes, "object", "objects")),
        };
        ask(&format!("Discard what is not committed of {what} of {project}? It can't be brought back."))?;
    }
    let ids = objects.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let query = DiscardChangesQuery { object_ids: (!is_all).then_some(ids) };
    let discarded = client.discard_changes(&project.record.id, &project.branch).query(&query).await?;
    if global.json {
        output::json(&discarded);
    } else {
        let number = u64::try_from(discarded.discarded_count).unwrap_or(u64::MAX);
        output::note(&match number {
            0 if is_all => format!("{project} has no uncommitted changes."),
            0 => unchanged(client, &project, &changes, &objects).await?,
            number => format!("Discarded the changes of {}.", counted(number, "object", "objects")),
        });
    }
    Ok(Exit::Done)
}

/// Says that objects have no changes, and whether those below them have.
async fn unchanged(
    client: &Client,
    project: &Project,
    changes: &UncommittedChanges,
    objects: &[ObjectId],
) -> CommandResult<String> {
    let changed: HashSet<ObjectId> = changes.added.iter().chain(&changes.modified).copied().collect();
    let mut number = 0;
    for root in objects {
        let mut below = HashSet::from([*root]);
        let query = GetTreeQuery { root: Some(*root), depth: None, object_type: None, q: None };
        let mut nodes = client.tree_nodes(&project.reference(), &query);
        while let Some(node) = nodes.try_next().await? {
            number += u64::from(node.id != *root && changed.contains(&node.id));
            below.insert(node.id);
        }
        let deleted = changes.deleted_objects.iter().filter(|deleted| below.contains(&deleted.parent_id));
        number += u64::try_from(deleted.count()).unwrap_or_default();
    }
    let nothing = "The named objects have no uncommitted changes.";
    Ok(match number {
        0 => nothing.to_owned(),
        number => format!(
            "{nothing} {} below them changed; name these.\n  See them: atelier diff {}",
            counted(number, "object", "objects"),
            project.argument()
        ),
    })
}

/// The object at a path: one of the tree, or one that was deleted since the last commit.
async fn object(
    client: &Client,
    project: &Project,
    changes: &UncommittedChanges,
    path: &[Name],
) -> CommandResult<ObjectId> {
    if let Some(object) = project.find(client, path).await? {
        return Ok(object.id);
    }
    let Some((last, above)) = path.split_last() else { return project.object(client, path).await };
    let parent = match above {
        [] => Some(ObjectId::from(project.record.id)),
        above => project.find(client, above).await?.map(|object| object.id),
    };
    let is_meant = |deleted: &&DeletedObject| {
        let is_named = deleted.name == *last && Some(deleted.parent_id) == parent;
        is_named || deleted.object_id.to_string() == last.as_str()
    };
    let mut found: Vec<&DeletedObject> = changes.deleted_objects.iter().filter(is_meant).collect();
    match (found.pop(), found.is_empty()) {
        (Some(deleted), true) => Ok(deleted.object_id),
        (Some(deleted), false) => {
            found.push(deleted);
            let keys = found.iter().map(|deleted| (deleted.object_id.to_string(), deleted.name.to_string()));
            Err(several(last.as_str(), keys)
                .next(format!("Name its id: {}", project.place(&deleted.object_id.to_string()))))
        }
        // The failure says which name is missing.
        (None, _) => project.object(client, path).await,
    }
}
