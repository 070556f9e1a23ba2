//! List, show, change and delete objects.

use std::collections::VecDeque;

use api::objects::{ListObjectsQuery, UpdateObjectRequest};
use client::Client;
use domain::edit::ObjectType;
use domain::id::ObjectId;
use domain::object::Object;
use domain::patch::Patch;
use domain::text::Name;
use futures_util::TryStreamExt;
use serde_json::{Map, Value};

use crate::arguments::Global;
use crate::arguments::content::{ObjectEdit, Objects};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output::{self, counted, size};
use crate::resource::{PlaceArgument, Project};

/// Runs a command on objects.
pub(crate) async fn run(client: &Client, command: Objects, global: &Global) -> CommandResult<Exit> {
    match command {
        Objects::List { place, object_type, query } => list(client, &place, object_type, query, global).await,
        Objects::Show { place } => show(client, &place, global).await,
        Objects::Edit { place, changes } => edit(client, &place, changes, global).await,
        Objects::Rm { places } => remove(client, &places, global).await,
    }
}

async fn list(
    client: &Client,
    place: &PlaceArgument,
    object_type: Option<String>,
    q: Option<String>,
    global: &Global,
) -> CommandResult<Exit> {
    let project = place.project.find(client).await?;
    let parent = match place.path.is_empty() {
        true => None,
        false => Some(project.object(client, &place.path).await?),
    };
    let query = ListObjectsQuery { object_type, parent, q, ..ListObjectsQuery::default() };
    let mut objects = client.list_objects(&project.reference()).query(&query).rows();
    let mut rows = Vec::new();
    while let Some(object) = objects.try_next().await? {
        if global.json {
            output::json(&object);
            continue;
        }
        let file = object.file.as_ref().map_or_else(String::new, |file| size(file.size));
        rows.push([object.name.to_string(), object.object_type, file, object.id.to_string()]);
    }
    if !global.json {
        output::print(&output::table(["NAME", "TYPE", "FILE", "ID"], &rows));
    }
    Ok(Exit::Done)
}

async fn show(client: &Client, place: &PlaceArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = one(client, place).await?;
    let object = client.get_object(&project.reference(), &id).await?.object;
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
    let (project, id) = one(client, place).await?;
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
        data: data(&changes.set, &changes.unset)?,
    };
    // The tag refuses the change of an object that somebody else has changed since it was read.
    let read = client.get_object(&project.reference(), &id).send().await?;
    let mut call = client.update_object(&project.reference(), &id, &request);
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
        let Some((key, value)) = text.split_once('=') else {
            return Err(CommandFailure::usage(format!("\"{text}\" is not KEY=VALUE")));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        patch.insert(key.to_owned(), value);
    }
    patch.extend(unset.iter().map(|key| (key.clone(), Value::Null)));
    Ok(if patch.is_empty() { Patch::Absent } else { Patch::Set(patch) })
}

async fn remove(client: &Client, places: &[PlaceArgument], global: &Global) -> CommandResult<Exit> {
    // All places are found before the first is deleted.
    let mut found = VecDeque::new();
    for place in places {
        found.push_back(one(client, place).await?);
    }
    while let Some((project, id)) = found.pop_front() {
        let deleted = client.delete_object(&project.reference(), &id).await?;
        if global.json {
            output::json(&deleted);
        } else {
            let count = u64::try_from(deleted.deleted_count).unwrap_or(u64::MAX);
            output::note(&format!("Deleted {}.", counted(count, "object", "objects")));
            if found.is_empty() {
                output::note(&format!("Next: atelier commit {project} -m \"…\""));
            }
        }
    }
    Ok(Exit::Done)
}

/// The object of a place that is not the project itself.
async fn one(client: &Client, place: &PlaceArgument) -> CommandResult<(Project, ObjectId)> {
    if place.path.is_empty() {
        return Err(CommandFailure::usage("the path of an object is missing")
            .next("Name it after a colon: gearbox:/Model/Shaft"));
    }
    let project = place.project.find(client).await?;
    let id = project.object(client, &place.path).await?;
    Ok((project, id))
}
