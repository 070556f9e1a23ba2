//! List, search, show, change and delete objects.

mod list;
mod search;

use std::collections::VecDeque;

use api::content::objects::{DeleteObject, GetObject, ObjectPath, UpdateObject, UpdateObjectRequest};
use api::content::projects::GetTreeQuery;
use client::Client;
use domain::content::edit::ObjectType;
use domain::content::object::Object;
use domain::id::ObjectId;
use domain::patch::Patch;
use domain::text::Name;
use futures_util::TryStreamExt;
use serde_json::{Map, Value};

use crate::arguments::Global;
use crate::arguments::content::{ObjectEdit, Objects};
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted, size};
use crate::resource::{PlaceArgument, Project};

/// Runs a command on objects.
pub(crate) async fn run(client: &Client, command: Objects, global: &Global) -> CommandResult<Exit> {
    match command {
        Objects::List { place, object_type, query } => {
            list::run(client, &place, list::ObjectFilter { object_type, query }, global).await
        }
        Objects::Search { project, text } => search::run(client, &project, text, global).await,
        Objects::Show { place } => show(client, &place, global).await,
        Objects::Edit { place, changes } => edit(client, &place, changes, global).await,
        Objects::Rm { places, yes } => remove(client, &places, yes, global).await,
    }
}

async fn show(client: &Client, place: &PlaceArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = one(client, place, Beginning::Taken).await?;
    let object =
        client.call(GetObject, ObjectPath { project_id: project.reference(), object_id: id }).await?.object;
    if global.json {
        output::json(&object);
    } else {
        print(&object);
    }
    Ok(Exit::Done)
}

fn print(object: &Object) {
    output::print(&format!("{}  {}", object.name, output::dim(&object.object_type)));
    output::print(&format!("id      {}", object.id));
    if let Some(file) = &object.file {
        output::print(&format!("file    {}, {}", size(file.size), file.mime_type));
        output::print(&format!("sha256  {}", file.sha256));
    }
    for (key, value) in &object.data {
        output::print(&format!("{key}: {}", shown(value)));
    }
}

/// A value as people read it: a text without its quotes.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

async fn edit(
    client: &Client,
    place: &PlaceArgument,
    changes: ObjectEdit,
    global: &Global,
) -> CommandResult<Exit> {
    let data = data(&changes.set, &changes.unset)?;
    let (project, id) = one(client, place, Beginning::of_change(global.json)).await?;
    let request = UpdateObjectRequest {
        name: changes.rename.map(|name| parse_name(&name)).transpose()?.map_or(Patch::Absent, Patch::Set),
        object_type: changes
            .object_type
            .map(|text| {
                ObjectType::parse(&text)
                    .map_err(|_| CommandFailure::usage(format!("\"{text}\" is not a type of objects")))
            })
            .transpose()?
            .map_or(Patch::Absent, Patch::Set),
        parent: match changes.move_to {
            Some(path) => {
                let names = path.split('/').filter(|name| !name.is_empty()).map(parse_name);
                let names = names.collect::<CommandResult<Vec<Name>>>()?;
                Patch::Set(project.object(client, &names).await?)
            }
            None => Patch::Absent,
        },
        data,
    };
    // The tag refuses the change of an object that somebody else has changed since it was read.
    let read =
        client.call(GetObject, ObjectPath { project_id: project.reference(), object_id: id }).send().await?;
    let object = &read.value.object;
    if let Some(absent) = changes.unset.iter().find(|key| !object.data.contains_key(*key)) {
        let message = format!("{} has no property \"{absent}\"", object.name);
        return Err(CommandFailure::new(Exit::Refused, message)
            .next(format!("See what it has: atelier objects show {}", project.place(&id.to_string()))));
    }
    let mut call = client.call_with(
        UpdateObject,
        ObjectPath { project_id: project.reference(), object_id: id },
        &request,
    );
    if let Some(etag) = &read.etag {
        call = call.if_match(etag);
    }
    let object = call.await?.object;
    if global.json {
        output::json(&object);
    } else {
        print(&object);
    }
    Ok(Exit::Done)
}

/// The name, or a failure that quotes it.
pub(crate) fn parse_name(text: &str) -> CommandResult<Name> {
    Name::sanitize(text).ok_or_else(|| CommandFailure::usage(format!("\"{text}\" is not a name")))
}

/// The merge patch of the data that `--set` and `--unset` describe.
fn data(set: &[String], unset: &[String]) -> CommandResult<Patch<Map<String, Value>>> {
    let mut patch = Map::new();
    for text in set {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(CommandFailure::usage(format!("\"{text}\" is not KEY=VALUE"))
                .next("For example: --set material=steel"));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        patch.insert(key.to_owned(), value);
    }
    patch.extend(unset.iter().map(|key| (key.clone(), Value::Null)));
    Ok(if patch.is_empty() { Patch::Absent } else { Patch::Set(patch) })
}

async fn remove(
    client: &Client,
    places: &[PlaceArgument],
    yes: bool,
    global: &Global,
) -> CommandResult<Exit> {
    // All places are found before the first is deleted.
    let mut found = VecDeque::new();
    for place in places {
        found.push_back(one(client, place, Beginning::of_change(global.json)).await?);
    }
    if !yes && may_ask(global.json) {
        let mut below = 0;
        for (project, id) in &found {
            below += count_below(client, project, *id).await?;
        }
        if below > 0 {
            ask(&format!("{} below would be deleted, too. Go on?", counted(below, "object", "objects")))?;
        }
    }
    while let Some((project, id)) = found.pop_front() {
        let deleted =
            client.call(DeleteObject, ObjectPath { project_id: project.reference(), object_id: id }).await?;
        if global.json {
            output::json(&deleted);
        } else {
            let count = u64::try_from(deleted.deleted_count).unwrap_or(u64::MAX);
            output::note(&format!("Deleted {}.", counted(count, "object", "objects")));
            if found.is_empty() {
                output::note(&format!("Next: atelier commit {} -m \"…\"", project.argument()));
            }
        }
    }
    Ok(Exit::Done)
}

/// Number of objects below an object.
async fn count_below(client: &Client, project: &Project, root: ObjectId) -> CommandResult<u64> {
    let query = GetTreeQuery { root: Some(root), depth: None, object_type: None, q: None };
    let mut nodes = client.tree_nodes(&project.reference(), &query);
    let mut count = 0;
    while let Some(node) = nodes.try_next().await? {
        count += u64::from(node.id != root);
    }
    Ok(count)
}

/// The object of a place that is not the project itself.
pub(crate) async fn one(
    client: &Client,
    place: &PlaceArgument,
    beginning: Beginning,
) -> CommandResult<(Project, ObjectId)> {
    if place.path.is_empty() {
        return Err(CommandFailure::usage("the path of an object is missing")
            .next("Name it after a colon: gearbox:/Model/Shaft"));
    }
    let project = place.project.find(client, beginning).await?;
    let id = project.object(client, &place.path).await?;
    Ok((project, id))
}
