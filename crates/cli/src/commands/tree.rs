//! Draw a project's tree, with uncommitted changes marked.

use std::collections::{HashMap, HashSet};

use api::content::branches::BranchPath;
use api::content::changes::GetChanges;
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::object::{DeletedObject, TreeNode};
use domain::id::ObjectId;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::{PlaceArgument, Project};

/// The uncommitted changes by object.
struct Marks {
    added: HashSet<ObjectId>,
    modified: HashSet<ObjectId>,
    deleted: HashMap<ObjectId, Vec<DeletedObject>>,
    total: u64,
}

/// An object to draw, with those below it.
struct Branch {
    node: TreeNode,
    below: Vec<usize>,
}

/// Prints the tree below a place.
pub(crate) async fn run(
    client: &Client,
    place: &PlaceArgument,
    depth: Option<usize>,
    global: &Global,
) -> CommandResult<Exit> {
    let project = place.project.find(client, Beginning::Taken).await?;
    let root = project.object(client, &place.path).await?;
    let marks = Marks::read(client, &project).await?;
    let query =
        GetTreeQuery { root: (!place.path.is_empty()).then_some(root), depth, object_type: None, q: None };
    // The place itself is the first node of the part below it.
    let nodes = client.tree_nodes(&project.reference(), &query);
    let mut nodes = nodes.try_filter(|node| std::future::ready(node.id != root));
    if global.json {
        let mut paths: HashMap<ObjectId, String> = HashMap::new();
        while let Some(node) = nodes.try_next().await? {
            let above = paths.get(&node.parent).map_or("", String::as_str);
            let path = format!("{above}/{}", node.name);
            let mut line = serde_json::to_value(&node).unwrap_or_default();
            if let Some(line) = line.as_object_mut() {
                line.insert("path".to_owned(), path.clone().into());
                line.insert("change".to_owned(), marks.word(node.id).into());
            }
            output::json(&line);
            paths.insert(node.id, path);
        }
        return Ok(Exit::Done);
    }
    let mut branches: Vec<Branch> = Vec::new();
    let mut places: HashMap<ObjectId, usize> = HashMap::new();
    let mut tops = Vec::new();
    while let Some(node) = nodes.try_next().await? {
        let number = branches.len();
        match places.get(&node.parent).and_then(|above| branches.get_mut(*above)) {
            Some(above) => above.below.push(number),
            None => tops.push(number),
        }
        places.insert(node.id, number);
        branches.push(Branch { node, below: Vec::new() });
    }
    let changes = if marks.total == 0 {
        String::new()
    } else {
        format!(" ({} uncommitted)", output::count(marks.total))
    };
    let path: String = place.path.iter().map(|name| format!("/{name}")).collect();
    output::print(&format!("{}{path} @ {}{changes}", project.record.project_slug, project.branch));
    draw(&branches, &tops, root, &marks);
    Ok(Exit::Done)
}

/// Draws objects with those below them, without recursion: trees may be deep.
fn draw(branches: &[Branch], tops: &[usize], root: ObjectId, marks: &Marks) {
    let deleted = |parent: ObjectId| marks.deleted.get(&parent).map_or(&[][..], Vec::as_slice);
    let mut stack =
        vec![(tops.iter().copied().collect::<std::collections::VecDeque<_>>(), root, String::new())];
    while let Some((rest, parent, indent)) = stack.last_mut() {
        let gone = deleted(*parent);
        let Some(number) = rest.pop_front() else {
            for (place, object) in gone.iter().enumerate() {
                let corner = if place + 1 == gone.len() { "└── " } else { "├── " };
                let gone = output::styled("31", &format!("- {}", object.name));
                output::print(&format!("{indent}{corner}{gone}"));
            }
            stack.pop();
            continue;
        };
        let is_last = rest.is_empty() && gone.is_empty();
        let (corner, bar) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let Some(Branch { node, below }) = branches.get(number) else { continue };
        output::print(&format!("{indent}{corner}{}{}", marks.mark(node), about(node)));
        let indent = format!("{indent}{bar}");
        if !below.is_empty() || !deleted(node.id).is_empty() {
            stack.push((below.iter().copied().collect(), node.id, indent));
        }
    }
}

/// Type and number of children, dimmed.
fn about(node: &TreeNode) -> String {
    let kind = node.object_type.to_lowercase();
    let text = match node.children_count {
        0 => kind,
        children => format!("{kind}  {}", output::count(children)),
    };
    output::dim(&format!("  {text}"))
}

impl Marks {
    async fn read(client: &Client, project: &Project) -> CommandResult<Self> {
        let changes = client
            .call(
                GetChanges,
                BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
            )
            .await?;
        let mut deleted: HashMap<ObjectId, Vec<DeletedObject>> = HashMap::new();
        for object in changes.deleted_objects {
            deleted.entry(object.parent_id).or_default().push(object);
        }
        Ok(Self {
            added: changes.added.into_iter().collect(),
            modified: changes.modified.into_iter().collect(),
            deleted,
            total: changes.total_object_changes,
        })
    }

    fn word(&self, object: ObjectId) -> Option<&'static str> {
        match () {
            () if self.added.contains(&object) => Some("added"),
            () if self.modified.contains(&object) => Some("modified"),
            () => None,
        }
    }

    fn mark(&self, node: &TreeNode) -> String {
        match self.word(node.id) {
            Some("added") => output::styled("32", &format!("+ {}", node.name)),
            Some(_) => output::styled("33", &format!("~ {}", node.name)),
            None => node.name.to_string(),
        }
    }
}
