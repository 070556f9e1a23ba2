//! Discard uncommitted changes of a branch, all or by object.

use std::collections::{HashMap, HashSet};

use api::content::branches::BranchPath;
use api::content::changes::{DiscardChanges, DiscardChangesQuery, DiscardChangesResponse, GetChanges};
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::object::{DeletedObject, UncommittedChanges};
use domain::id::ObjectId;
use domain::text::Name;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::content::Discard;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, several};
use crate::output::{self, counted};
use crate::resource::Project;

/// Most objects of one request.
const OBJECTS_MAX: usize = 100;

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
    let project = first.project.find(client, Beginning::of_change(global.json)).await?;
    let changes = client
        .call(GetChanges, BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() })
        .await?;
    let deleted = DeletedTree::of(&changes);
    let mut objects = Vec::new();
    for place in places.iter().filter(|_| !is_all) {
        for object in named(client, &project, &deleted, &place.path).await? {
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
    }
    if !yes && changes.has_changes && may_ask(global.json) {
        let what = match u64::try_from(objects.len()) {
            Ok(number @ 1..) => counted(number, "object", "objects"),
            _ => format!("all {}", counted(changes.total_object_changes, "object", "objects")),
        };
        ask(&format!("Discard what is not committed of {what} of {project}? It can't be brought back."))?;
    }
    let discarded = discard(client, &project, (!is_all).then_some(&objects)).await?;
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

/// Discards the changes of objects, or all, by as many requests as their number takes: parents come first.
async fn discard(
    client: &Client,
    project: &Project,
    objects: Option<&Vec<ObjectId>>,
) -> CommandResult<DiscardChangesResponse> {
    let parts = match objects {
        None => vec![None],
        Some(objects) => objects.chunks(OBJECTS_MAX).map(|part| Some(joined(part))).collect(),
    };
    let mut discarded: Option<DiscardChangesResponse> = None;
    for object_ids in parts {
        let query = DiscardChangesQuery { object_ids };
        let part = client
            .call(
                DiscardChanges,
                BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
            )
            .query(&query)
            .await?;
        let before = discarded.map_or(0, |before| before.discarded_count);
        discarded = Some(DiscardChangesResponse { discarded_count: before + part.discarded_count, ..part });
    }
    discarded.ok_or_else(|| CommandFailure::usage("no object is named"))
}

fn joined(objects: &[ObjectId]) -> String {
    objects.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
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

/// The objects that a path means: one of the tree, or a deleted one with all that was deleted with it, parents first.
async fn named(
    client: &Client,
    project: &Project,
    deleted: &DeletedTree<'_>,
    path: &[Name],
) -> CommandResult<Vec<ObjectId>> {
    if let Some(object) = project.find(client, path).await? {
        return Ok(vec![object.id]);
    }
    if let Some(id) = path.last().and_then(|last| last.as_str().parse().ok()).filter(|id| deleted.has(*id)) {
        return Ok(deleted.whole(id));
    }
    // The folders above may be deleted, too: the path goes on below the deepest one that is there.
    let (mut above, mut left) = (ObjectId::from(project.record.id), path);
    for depth in (1..path.len()).rev() {
        let (existing, rest) = path.split_at_checked(depth).unwrap_or((path, &[]));
        if let Some(object) = project.find(client, existing).await? {
            (above, left) = (object.id, rest);
            break;
        }
    }
    let found = deleted.at(above, left);
    match found.as_slice() {
        [object] => Ok(deleted.whole(*object)),
        // The failure says which name is missing.
        [] => project.object(client, path).await.map(|object| vec![object]),
        [first, ..] => {
            let name = path.last().map_or("", Name::as_str);
            let keys = found.iter().map(|id| (id.to_string(), name.to_owned()));
            let next = format!("Name its id: {}", project.place(&first.to_string()));
            Err(several(name, keys).next(next))
        }
    }
}

/// The objects that were deleted since the last commit.
struct DeletedTree<'a> {
    by_id: HashMap<ObjectId, &'a DeletedObject>,
    below: HashMap<ObjectId, Vec<ObjectId>>,
}

impl<'a> DeletedTree<'a> {
    fn of(changes: &'a UncommittedChanges) -> Self {
        let mut tree = Self { by_id: HashMap::new(), below: HashMap::new() };
        for object in &changes.deleted_objects {
            tree.by_id.insert(object.object_id, object);
            tree.below.entry(object.parent_id).or_default().push(object.object_id);
        }
        tree
    }

    fn has(&self, id: ObjectId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// The deleted objects at a path below an object.
    fn at(&self, above: ObjectId, path: &[Name]) -> Vec<ObjectId> {
        let mut found = vec![above];
        for name in path {
            let below = found.iter().filter_map(|id| self.below.get(id)).flatten();
            found = below
                .filter(|id| self.by_id.get(id).is_some_and(|object| object.name == *name))
                .copied()
                .collect();
        }
        found
    }

    /// A deleted object, after the deleted ones above it and before all below it.
    fn whole(&self, id: ObjectId) -> Vec<ObjectId> {
        let parent = |id: &ObjectId| self.by_id.get(id).map(|object| object.parent_id);
        let above = std::iter::successors(parent(&id), parent).take_while(|id| self.has(*id));
        let mut whole: Vec<ObjectId> = above.collect();
        whole.reverse();
        let mut next = whole.len();
        whole.push(id);
        while let Some(id) = whole.get(next) {
            let below = self.below.get(id).cloned().unwrap_or_default();
            // Those above have siblings of no concern.
            whole.extend(below);
            next += 1;
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use domain::content::object::UncommittedChanges;
    use domain::id::ObjectId;
    use domain::text::Name;
    use serde_json::json;

    use super::DeletedTree;

    #[test]
    fn a_deleted_object_is_whole_with_those_above_and_below_it() {
        let id = |number: u32| format!("0198c5f0-0000-7000-8000-{number:012}");
        let deleted = |own: u32, parent: u32, name: &str| {
            let (own, parent) = (id(own), id(parent));
            json!({ "objectId": own, "name": name, "type": "Folder", "parentId": parent })
        };
        let rows = [(1, 0, "parts"), (2, 1, "a"), (3, 1, "b"), (4, 2, "c"), (5, 0, "parts")];
        let changes = json!({
            "hasChanges": true, "totalObjectChanges": 5, "added": [], "modified": [], "deleted": [],
            "deletedObjects": rows.map(|(own, parent, name)| deleted(own, parent, name)),
            "committedHash": "0".repeat(40),
        });
        let changes: UncommittedChanges = serde_json::from_value(changes).unwrap();
        let tree = DeletedTree::of(&changes);
        let parsed =
            |numbers: &[u32]| numbers.iter().map(|n| id(*n).parse().unwrap()).collect::<Vec<ObjectId>>();
        assert_eq!(tree.whole(id(1).parse().unwrap()), parsed(&[1, 2, 3, 4]));
        assert_eq!(tree.whole(id(2).parse().unwrap()), parsed(&[1, 2, 4]));
        let path =
            |names: &[&str]| names.iter().map(|name| Name::sanitize(name).unwrap()).collect::<Vec<_>>();
        let root = id(0).parse().unwrap();
        assert_eq!(tree.at(root, &path(&["parts", "a"])), parsed(&[2]));
        assert_eq!(tree.at(root, &path(&["parts"])), parsed(&[1, 5]));
    }
}
