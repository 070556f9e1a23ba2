//! The tree of a branch: the objects of its head with the working changes (docs/api.md, section 7).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Jsonb, Nullable, Text, Uuid as SqlUuid};
use domain::content::design::product_beside;
use domain::content::object::{CommitHash, FileRef, ObjectKind, Tree, TreeNode};
use domain::id::{ObjectId, ProjectId};
use domain::search::fold;
use domain::text::Name;
use domain::{Error, Result};
use git::{ObjectRecord, Walk};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::resources::git_objects;
use crate::resources::store::snapshots::SnapshotKey;
use crate::resources::store::{Store, Tx};
use domain::content::snapshot::{Changes, Snapshot};

/// The weak ETag of the tree. It changes with every change of the branch.
pub fn etag(project: &Project<ProjectRead>) -> String {
    format!("{}-{}", project.branch.id.simple(), project.branch.revision)
}

/// A part of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeFilter {
    /// Only this object and its descendants; the project object means all.
    pub root: Option<ObjectId>,
    /// Most levels below the root.
    pub depth: Option<usize>,
    /// Only objects of this type.
    pub object_type: Option<String>,
    /// Only objects whose name, folded, holds this text.
    pub folded_q: Option<String>,
}

/// The objects of the branch that pass the filter: parents before their children, and siblings in the order of their
/// creation. Its number of objects is that of the whole tree. An unchanged tree costs one look-up in the cache.
///
/// Call it in a read transaction, whose snapshot makes the tree that of the witness' revision.
///
/// # Errors
/// `UNAVAILABLE`; `NOT_FOUND` if the root is not in the tree; `INTERNAL_ERROR` if the content is corrupt.
pub async fn get(tx: &mut Tx, project: &Project<ProjectRead>, filter: &TreeFilter) -> Result<Arc<Tree>> {
    let id = project.record.id;
    part(&*snapshot(tx, id, &project.branch).await?, id, filter)
}

/// As [`get`] without a transaction, if the tree of the witness' revision is cached.
///
/// # Errors
/// As [`get`].
pub async fn find_cached(
    store: &Store,
    project: &Project<ProjectRead>,
    filter: &TreeFilter,
) -> Result<Option<Arc<Tree>>> {
    let key = SnapshotKey::Branch(project.branch.id, project.branch.revision);
    let found = store.snapshots.find_tree(key).await?;
    found.map(|snapshot| part(&snapshot, project.record.id, filter)).transpose()
}

fn part(snapshot: &Snapshot, id: ProjectId, filter: &TreeFilter) -> Result<Arc<Tree>> {
    let TreeFilter { root, depth, object_type, folded_q } = filter;
    let is_everything = root.is_none_or(|root| root == id.into());
    if is_everything && depth.is_none() && object_type.is_none() && folded_q.is_none() {
        return Ok(Arc::clone(&snapshot.tree));
    }
    let (nodes, first) = match root.filter(|_| !is_everything) {
        None => (snapshot.tree.tree.as_slice(), 1),
        Some(root) => (snapshot.subtree(root).ok_or_else(Error::not_found)?, 0),
    };
    let mut levels: HashMap<ObjectId, usize> = HashMap::new();
    let mut tree = Vec::new();
    for node in nodes {
        if let Some(deepest) = depth {
            // A parent without a level is too deep, and so are its children.
            let level = match levels.get(&node.parent) {
                Some(above) => above + 1,
                None if is_top(nodes, node) => first,
                None => continue,
            };
            if level > *deepest {
                continue;
            }
            levels.insert(node.id, level);
        }
        if matches(node, object_type.as_deref(), folded_q.as_deref()) {
            tree.push(node.clone());
        }
    }
    Ok(Arc::new(Tree { object_count: snapshot.tree.object_count, tree }))
}

/// `true` for a node at the top of `nodes`, which are in a tree's order.
fn is_top(nodes: &[TreeNode], node: &TreeNode) -> bool {
    nodes.first().is_some_and(|first| first.parent == node.parent)
}

/// The tree of a branch at its revision.
pub(crate) async fn snapshot(tx: &mut Tx, project: ProjectId, branch: &Branch) -> Result<Arc<Snapshot>> {
    let cache = tx.snapshots.clone();
    let build = async {
        let committed = committed(tx, project, branch.head).await?;
        let changed = changed(tx, branch.id).await?;
        if changed.is_empty() { Ok(committed) } else { Ok(Arc::new(committed.with(project, &changed)?)) }
    };
    cache.tree(SnapshotKey::Branch(branch.id, branch.revision), build).await
}

/// Caches the tree of a branch's new commit without reading it: the branch's own tree or, if that is not cached, the old
/// head's with the changes. `locked` is the branch before the commit.
///
/// # Errors
/// `INTERNAL_ERROR` if the content is corrupt.
pub(crate) async fn carry_over(
    tx: &Tx,
    project: ProjectId,
    locked: &Branch,
    commit: CommitHash,
    changes: Changes,
) -> Result<()> {
    let to = SnapshotKey::Commit(project, commit);
    if tx.snapshots.copy_tree(&SnapshotKey::Branch(locked.id, locked.revision - 1), to).await {
        return Ok(());
    }
    match locked.head {
        Some(head) => derive(tx, project, head, commit, changes).await,
        None => {
            let tree = Snapshot::arrange(project, Vec::new())?.with(project, &changes)?;
            tx.snapshots.keep_tree(to, Arc::new(tree)).await;
            Ok(())
        }
    }
}

/// Caches the tree of a commit as that of `from` with changes, without reading it.
///
/// # Errors
/// `INTERNAL_ERROR` if the content is corrupt.
pub(crate) async fn derive(
    tx: &Tx,
    project: ProjectId,
    from: CommitHash,
    commit: CommitHash,
    changes: Changes,
) -> Result<()> {
    let (from, to) = (SnapshotKey::Commit(project, from), SnapshotKey::Commit(project, commit));
    tx.snapshots.derive_tree(project, &from, to, changes).await
}

/// The tree of a commit; `None`: an empty tree.
pub(crate) async fn committed(
    tx: &mut Tx,
    project: ProjectId,
    head: Option<CommitHash>,
) -> Result<Arc<Snapshot>> {
    let Some(commit) = head else {
        return Ok(Arc::new(Snapshot::arrange(project, Vec::new())?));
    };
    let cache = tx.snapshots.clone();
    let build = async {
        let nodes = git_objects::walk(tx, project, Walk::all(commit), node).await?;
        Ok(Arc::new(Snapshot::arrange(project, nodes)?))
    };
    cache.tree(SnapshotKey::Commit(project, commit), build).await
}

/// The objects at a path of names from the root. Siblings may share a name, so there may be several.
pub(crate) fn at_path(tree: &Tree, project: ProjectId, path: &[Name]) -> HashSet<ObjectId> {
    let mut levels = HashMap::from([(ObjectId::from(project), 0_usize)]);
    let mut found = HashSet::new();
    for node in &tree.tree {
        let Some(level) = levels.get(&node.parent).copied() else { continue };
        if path.get(level) != Some(&node.name) {
            continue;
        }
        levels.insert(node.id, level + 1);
        if level + 1 == path.len() {
            found.insert(node.id);
        }
    }
    found
}

/// `true` if a node has this type, and its folded name contains this text.
pub(crate) fn matches(node: &TreeNode, object_type: Option<&str>, folded_q: Option<&str>) -> bool {
    object_type.is_none_or(|wanted| node.object_type == wanted)
        && folded_q.is_none_or(|q| fold(node.name.as_str()).contains(q))
}

/// The working changes of a branch.
async fn changed(tx: &mut Tx, branch: Uuid) -> Result<Changes> {
    let rows: Vec<ChangedNodeRow> =
        Statement::new(include_str!("tree/changed.sql")).bind::<SqlUuid, _>(branch).load(tx).await?;
    rows.into_iter().map(|row| Ok((ObjectId(row.object_id), row.node()?))).collect()
}

fn node(record: &ObjectRecord) -> Result<TreeNode> {
    /// The fields of a node. The object's data, which may be large, is skipped but for a design's.
    #[derive(Deserialize)]
    struct NodeFields<'a> {
        name: Name,
        #[serde(rename = "type")]
        object_type: String,
        parent: ObjectId,
        kind: Option<ObjectKind>,
        file: Option<Box<FileRef>>,
        #[serde(borrow)]
        data: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Design {
        definition: Option<Value>,
    }
    let NodeFields { name, object_type, parent, kind, file, data } = record.parse()?;
    let design = data.filter(|_| kind.is_some_and(ObjectKind::is_design));
    let design: Option<Design> =
        design.map(|data| serde_json::from_str(data.get())).transpose().map_err(Error::internal)?;
    let definition = design.and_then(|design| design.definition);
    let product = definition.and_then(|definition| product_beside(&name, &definition));
    Ok(TreeNode { id: record.id, name, object_type, parent, children_count: 0, product, file })
}

#[derive(QueryableByName)]
struct ChangedNodeRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    object_type: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent: Option<Uuid>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    file: Option<Value>,
    /// The definition of what an importer made of a design.
    #[diesel(sql_type = Nullable<Jsonb>)]
    definition: Option<Value>,
}

impl ChangedNodeRow {
    fn node(self) -> Result<Option<TreeNode>> {
        let (Some(name), Some(object_type), Some(parent)) = (self.name, self.object_type, self.parent) else {
            return Ok(None);
        };
        let name = decode::name(&name)?;
        Ok(Some(TreeNode {
            id: ObjectId(self.object_id),
            product: self.definition.and_then(|definition| product_beside(&name, &definition)),
            name,
            object_type,
            parent: ObjectId(parent),
            children_count: 0,
            file: self.file.map(serde_json::from_value).transpose().map_err(Error::internal)?,
        }))
    }
}
