//! List the objects of a project: all, those directly below a place, or those at any depth that match a filter.

use std::collections::{BTreeSet, HashSet};

use api::content::objects::{ListObjects, ListObjectsQuery};
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::object::{Object, TreeNode};
use domain::id::ObjectId;
use domain::text::Name;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, size};
use crate::resource::{PlaceArgument, Project};

/// The objects to list. Without a filter, those directly below a place are listed.
#[derive(Debug)]
pub(super) struct ObjectFilter {
    /// Only objects of this type, in any case.
    pub(super) object_type: Option<String>,
    /// Only objects whose name contains this text.
    pub(super) query: Option<String>,
}

/// The objects that match, and the types of all that were looked at.
#[derive(Default)]
struct Matches {
    nodes: Vec<TreeNode>,
    types: BTreeSet<String>,
}

/// Prints objects.
pub(super) async fn run(
    client: &Client,
    place: &PlaceArgument,
    filter: ObjectFilter,
    global: &Global,
) -> CommandResult<Exit> {
    let project = place.project.find(client, Beginning::Taken).await?;
    let parent = match place.has_path {
        true => Some(project.object(client, &place.path).await?),
        false => None,
    };
    let below = if place.has_path { format!(" below {}", shown(place)) } else { String::new() };
    if filter.object_type.is_none() && filter.query.is_none() {
        let query = ListObjectsQuery { parent, ..ListObjectsQuery::default() };
        let objects: Vec<Object> = list(client, &project, &query).await?;
        print(&objects, &format!("{project} has no object{below}."), global);
        return Ok(Exit::Done);
    }
    let matches = matches(client, &project, parent, &filter).await?;
    if global.json {
        for object in whole(client, &project, &matches, &filter).await? {
            output::json(&object);
        }
        return Ok(Exit::Done);
    }
    let row = |node: &TreeNode| {
        let file = node.file.as_ref().map_or_else(String::new, |file| size(file.size));
        [node.name.to_string(), node.object_type.clone(), file, node.id.to_string()]
    };
    let rows: Vec<[String; 4]> = matches.nodes.iter().map(row).collect();
    output::print_table(HEADINGS, &rows, &nothing(&project, &below, &matches, &filter));
    Ok(Exit::Done)
}

const HEADINGS: [&str; 4] = ["NAME", "TYPE", "FILE", "ID"];

fn print(objects: &[Object], nothing: &str, global: &Global) {
    if global.json {
        return objects.iter().for_each(output::json);
    }
    let row = |object: &Object| {
        let file = object.file.as_ref().map_or_else(String::new, |file| size(file.size));
        [object.name.to_string(), object.object_type.clone(), file, object.id.to_string()]
    };
    let rows: Vec<[String; 4]> = objects.iter().map(row).collect();
    output::print_table(HEADINGS, &rows, nothing);
}

async fn list(client: &Client, project: &Project, query: &ListObjectsQuery) -> CommandResult<Vec<Object>> {
    Ok(client.call(ListObjects, project.reference()).query(query).rows().try_collect().await?)
}

/// The objects below a place that match. The service compares types exactly, so that the tree is read here.
async fn matches(
    client: &Client,
    project: &Project,
    parent: Option<ObjectId>,
    filter: &ObjectFilter,
) -> CommandResult<Matches> {
    let is_all = parent.is_none_or(|parent| parent == ObjectId::from(project.record.id));
    let root = parent.filter(|_| !is_all);
    let query = GetTreeQuery { root, depth: None, object_type: None, q: filter.query.clone() };
    let wanted = filter.object_type.as_ref().map(|name| name.to_lowercase());
    let mut nodes = client.tree_nodes(&project.reference(), &query);
    let mut matches = Matches::default();
    while let Some(node) = nodes.try_next().await? {
        if Some(node.id) == root {
            continue;
        }
        if wanted.as_ref().is_none_or(|wanted| node.object_type.to_lowercase() == *wanted) {
            matches.nodes.push(node);
        } else {
            matches.types.insert(node.object_type);
        }
    }
    Ok(matches)
}

/// The matching objects as the service lists them, by each spelling of their type.
async fn whole(
    client: &Client,
    project: &Project,
    matches: &Matches,
    filter: &ObjectFilter,
) -> CommandResult<Vec<Object>> {
    let ids: HashSet<ObjectId> = matches.nodes.iter().map(|node| node.id).collect();
    let spellings: BTreeSet<&str> = matches.nodes.iter().map(|node| node.object_type.as_str()).collect();
    let types = match filter.object_type {
        Some(_) => spellings.into_iter().map(|spelling| Some(spelling.to_owned())).collect(),
        None => vec![None],
    };
    let mut objects = Vec::new();
    for object_type in types {
        let query = ListObjectsQuery { object_type, q: filter.query.clone(), ..ListObjectsQuery::default() };
        objects.extend(list(client, project, &query).await?);
    }
    objects.retain(|object| ids.contains(&object.id));
    Ok(objects)
}

/// The sentence in place of rows, with the types that there are.
fn nothing(project: &Project, below: &str, matches: &Matches, filter: &ObjectFilter) -> String {
    let filters = [("of type", &filter.object_type), ("named like", &filter.query)];
    let filters =
        filters.into_iter().filter_map(|(word, text)| Some(format!(" {word} \"{}\"", text.as_ref()?)));
    let types = matches.types.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let others = if types.is_empty() { String::new() } else { format!(" Its types: {types}.") };
    format!("{project} has no object{}{below}.{others}", filters.collect::<String>())
}

fn shown(place: &PlaceArgument) -> String {
    format!("/{}", place.path.iter().map(Name::as_str).collect::<Vec<_>>().join("/"))
}
