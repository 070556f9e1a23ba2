//! Search the objects of a project.

use std::collections::HashMap;

use api::content::objects::{ListObjects, ListObjectsQuery, ListObjectsResponse};
use client::Client;
use domain::content::object::Object;
use domain::content::object_text::ObjectMatch;
use domain::id::ObjectId;
use domain::page::MAX_LIMIT;
use serde_json::json;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::ProjectArgument;

/// Width of a name.
const NAME_WIDTH: usize = 32;
/// Width of a text in which words were found.
const FOUND_WIDTH: usize = 80;

/// Prints the objects that hold words: those with the name first, then those with the text.
pub(super) async fn run(
    client: &Client,
    project: &ProjectArgument,
    text: String,
    global: &Global,
) -> CommandResult<Exit> {
    let project = project.find(client, Beginning::Taken).await?;
    let mut query =
        ListObjectsQuery { q: Some(text), limit: Some(MAX_LIMIT.into()), ..ListObjectsQuery::default() };
    let mut rows = Vec::new();
    loop {
        let ListObjectsResponse { objects, matches, meta } =
            client.call(ListObjects, project.reference()).query(&query).await?;
        let mut places: HashMap<ObjectId, ObjectMatch> =
            matches.into_iter().map(|place| (place.object_id, place)).collect();
        for object in objects {
            let place = places.remove(&object.id);
            if global.json {
                output::json(&json!({ "object": object, "match": place }));
            } else {
                rows.push(row(&object, place));
            }
        }
        query.cursor = meta.next_cursor;
        if query.cursor.is_none() {
            break;
        }
    }
    if !global.json {
        output::print_table(
            ["NAME", "TYPE", "FOUND", "ID"],
            &rows,
            &format!("{project} has no such object."),
        );
    }
    Ok(Exit::Done)
}

fn row(object: &Object, place: Option<ObjectMatch>) -> [String; 4] {
    [
        output::cut(object.name.as_str(), NAME_WIDTH),
        object.object_type.clone(),
        place.map_or_else(String::new, |place| output::cut(&place.excerpt, FOUND_WIDTH)),
        object.id.to_string(),
    ]
}
