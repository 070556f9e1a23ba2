//! The tree of a branch: its head's objects with the working changes over them (specification, "Object tree").

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use auth::actor::ProjectRead;
use diesel::QueryableByName;
use diesel::sql_types::{Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Tree, TreeNode};
use domain::text::Name;
use domain::{Error, Result};
use git::{Record, Walk};
use serde::Deserialize;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::content::git_objects;
use crate::content::snapshots::Key;
use crate::decode;
use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// What a weak ETag of the tree is made of: it changes with every change of the branch.
pub fn etag(project: &Project<ProjectRead>) -> String {
    format!("{}-{}", project.branch.id.simple(), project.branch.revision)
}

/// Every object of the branch, parents before their children and siblings in the order of their ids, which is
/// that of their creation. Shared with the cache: a tree that nobody changed costs one look-up.
///
/// To be called in a read, whose one view of the database makes the tree that of the witness' revision.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` where the content is corrupt.
pub async fn get(tx: &mut Tx, project: &Project<ProjectRead>) -> Result<Arc<Tree>> {
    let (id, branch) = (project.record.id, &project.branch);
    let cache = tx.snapshots.clone();
    let build = async {
        let committed = match branch.head {
            Some(head) => committed(tx, id, head).await?,
            None => Arc::new(arrange(id, Vec::new())?),
        };
        let changed = changed(tx, branch.id).await?;
        if changed.is_empty() {
            return Ok(committed);
        }
        let kept = committed.tree.iter().filter(|node| !changed.contains_key(&node.id));
        let mut nodes: Vec<TreeNode> = kept.cloned().collect();
        nodes.extend(changed.into_values().flatten());
        Ok(Arc::new(arrange(id, nodes)?))
    };
    cache.tree(Key::Branch(branch.id, branch.revision), build).await
}

/// Lets a new commit of everything that the locked branch holds have the tree that the branch had before, where that
/// is known, so that nobody has to read the commit.
pub(crate) async fn carry_over(tx: &Tx, project: ProjectId, locked: &Branch, commit: CommitHash) {
    if let Some(tree) = tx.snapshots.known_tree(&Key::Branch(locked.id, locked.revision - 1)).await {
        tx.snapshots.keep_tree(Key::Commit(project, commit), tree).await;
    }
}

/// The tree of a commit.
pub(crate) async fn committed(tx: &mut Tx, project: ProjectId, commit: CommitHash) -> Result<Arc<Tree>> {
    let cache = tx.snapshots.clone();
    let build = async {
        let nodes = git_objects::walk(tx, project, Walk::all(commit), node).await?;
        Ok(Arc::new(arrange(project, nodes)?))
    };
    cache.tree(Key::Commit(project, commit), build).await
}

/// What the working changes make of each object that they touch; `None` where they delete it.
async fn changed(tx: &mut Tx, branch: Uuid) -> Result<HashMap<ObjectId, Option<TreeNode>>> {
    let rows: Vec<ChangedRow> = Statement::new(include_str!("tree/changed.sql"))
        .bind::<SqlUuid, _>(branch)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    rows.into_iter().map(|row| Ok((ObjectId(row.object_id), row.node()?))).collect()
}

/// The nodes in a tree's order, with their numbers of children.
fn arrange(project: ProjectId, mut nodes: Vec<TreeNode>) -> Result<Tree> {
    let total = nodes.len();
    // From the last to the first: so a stack of siblings gives the first first.
    nodes.sort_by_key(|node| Reverse(node.id));
    let mut children: HashMap<ObjectId, Vec<TreeNode>> = HashMap::new();
    for node in nodes {
        children.entry(node.parent).or_default().push(node);
    }
    let mut tree = Vec::with_capacity(total);
    let mut stack = children.remove(&project.into()).unwrap_or_default();
    while let Some(mut node) = stack.pop() {
        let below = children.remove(&node.id).unwrap_or_default();
        node.children_count = count(below.len())?;
        stack.extend(below);
        tree.push(node);
    }
    if tree.len() != total {
        return Err(Error::internal(format!("objects of project {project} do not hang in its tree")));
    }
    // The project object itself is counted, and not listed.
    Ok(Tree { object_count: count(total)? + 1, tree })
}

fn count(number: usize) -> Result<u64> {
    u64::try_from(number).map_err(Error::internal)
}

fn node(record: &Record) -> Result<TreeNode> {
    /// What a tree shows of an object; its data, which may be large, is skipped.
    #[derive(Deserialize)]
    struct Shown {
        name: Name,
        #[serde(rename = "type")]
        object_type: String,
        parent: ObjectId,
    }
    let Shown { name, object_type, parent } = record.parse()?;
    Ok(TreeNode { id: record.id, name, object_type, parent, children_count: 0 })
}

#[derive(QueryableByName)]
struct ChangedRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    object_type: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent: Option<Uuid>,
}

impl ChangedRow {
    fn node(self) -> Result<Option<TreeNode>> {
        let (Some(name), Some(object_type), Some(parent)) = (self.name, self.object_type, self.parent) else {
            return Ok(None);
        };
        Ok(Some(TreeNode {
            id: ObjectId(self.object_id),
            name: decode::name(&name)?,
            object_type,
            parent: ObjectId(parent),
            children_count: 0,
        }))
    }
}
