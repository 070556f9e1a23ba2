//! The uncommitted changes of a branch.

use std::collections::{HashMap, HashSet};

use api::content::branches::BranchPath;
use api::content::changes::GetChanges;
use api::content::objects::{GetObject, GetObjectQuery, ObjectPath};
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::compare::{ChangeKind, FieldChange, aspect};
use domain::content::object::TreeNode;
use domain::id::ObjectId;
use domain::text::Name;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use super::{ChangedObject, below, is_at};
use crate::changes::{design_words, fields};
use crate::failure::{CommandFailure, CommandResult};
use crate::resource::Project;

/// Changed objects whose fields are shown: two requests each.
const COMPARED_MAX: usize = 100;
/// Objects that are read at once.
const AT_ONCE: usize = 8;

/// The objects with uncommitted changes; fields of the first modified ones at or below a place.
pub(super) async fn changes(
    client: &Client,
    project: &Project,
    place: &[Name],
) -> CommandResult<Vec<ChangedObject>> {
    let mut changed = changed(client, project).await?;
    changed.retain(|object| is_at(&object.path, place));
    changed.sort_by(|one, other| one.path.cmp(&other.path));
    let modified = changed.iter().enumerate().filter(|(_, object)| object.change == ChangeKind::Modified);
    let modified: Vec<(usize, ObjectId)> =
        modified.take(COMPARED_MAX).map(|(number, object)| (number, object.id)).collect();
    let compared = stream::iter(modified).map(|(number, id)| async move {
        Ok::<_, CommandFailure>((number, fields_of(client, project, id).await?))
    });
    let compared: Vec<(usize, (Vec<FieldChange>, String))> = compared.buffered(AT_ONCE).try_collect().await?;
    for (number, (fields, words)) in compared {
        if let Some(object) = changed.get_mut(number) {
            object.fields = Some(fields);
            object.words = words;
        }
    }
    for object in &mut changed {
        object.json = json!({
            "change": object.change, "objectId": object.id, "path": object.path,
            "type": object.object_type, "fields": object.fields,
        });
    }
    Ok(changed)
}

async fn changed(client: &Client, project: &Project) -> CommandResult<Vec<ChangedObject>> {
    let changes = client
        .call(GetChanges, BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() })
        .await?;
    if !changes.has_changes {
        return Ok(Vec::new());
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
        let json = json!(null);
        changed.push(ChangedObject {
            change,
            id,
            path,
            object_type,
            words: String::new(),
            fields: None,
            json,
        });
    }
    // What was deleted with a folder is below it.
    let deleted: HashMap<ObjectId, (ObjectId, Name)> = changes
        .deleted_objects
        .iter()
        .map(|object| (object.object_id, (object.parent_id, object.name.clone())))
        .collect();
    for object in changes.deleted_objects {
        let (mut names, mut above) = (vec![object.name.to_string()], object.parent_id);
        while let Some((parent, name)) = deleted.get(&above).filter(|_| names.len() <= deleted.len()) {
            names.push(name.to_string());
            above = *parent;
        }
        names.reverse();
        let (change, id) = (ChangeKind::Deleted, object.object_id);
        let path = below(&paths, above, &names.join("/"));
        let object_type = object.object_type;
        let json = json!(null);
        changed.push(ChangedObject {
            change,
            id,
            path,
            object_type,
            words: String::new(),
            fields: None,
            json,
        });
    }
    Ok(changed)
}

/// The fields of an object that differ from the last commit, and what became of a part of a design.
async fn fields_of(
    client: &Client,
    project: &Project,
    id: ObjectId,
) -> CommandResult<(Vec<FieldChange>, String)> {
    let reference = project.reference();
    let committed = GetObjectQuery { committed: Some(true) };
    let (base, head) = (
        client.call(GetObject, ObjectPath { project_id: reference.clone(), object_id: id }).query(&committed),
        client.call(GetObject, ObjectPath { project_id: reference.clone(), object_id: id }),
    );
    let (base, head) = tokio::try_join!(base.into_future(), head.into_future())?;
    let fields = fields(&base.object, &head.object);
    let (aspects, displacement) = aspect::aspects(&base.object, &head.object, &fields);
    Ok((fields, design_words(&aspects, displacement.as_ref())))
}
