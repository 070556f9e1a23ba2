//! Show where a part or a package is used.

use api::content::bom::{
    ListObjectUses, ListObjectUsesQuery, ListUses, ListUsesQuery, ListUsesResponse, UsingProject,
};
use api::content::objects::ObjectPath;
use client::Client;
use domain::content::bom::BomGrouping;
use domain::content::uses::Use;

use crate::arguments::Global;
use crate::arguments::bills::Uses;
use crate::commands::objects::one;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};

/// Projects that a request searches.
const PAGE: u32 = 100;

/// The thing whose uses are wanted.
enum UsesOf {
    Object(ObjectPath, Option<BomGrouping>),
    Part(String),
}

/// Prints the uses, as pages of projects arrive.
pub(crate) async fn run(client: &Client, arguments: Uses, global: &Global) -> CommandResult<Exit> {
    let Uses { place, part, by } = arguments;
    let target = match (place, part) {
        (Some(place), _) => {
            let (project, object_id) = one(client, &place, Beginning::Taken).await?;
            let path = ObjectPath { project_id: project.reference(), object_id };
            UsesOf::Object(path, by.map(BomGrouping::from))
        }
        (None, Some(part)) => UsesOf::Part(part),
        (None, None) => return Err(CommandFailure::usage("an object or a part is missing")),
    };
    let (mut cursor, mut rows, mut searched, mut left_out) = (None, Vec::new(), 0, 0);
    loop {
        let ListUsesResponse { projects, searched_count, not_searched, meta } =
            page(client, &target, cursor).await?;
        searched += searched_count;
        left_out += not_searched.len();
        for project in &projects {
            if global.json {
                output::json(project);
            }
            rows.extend(project.uses.iter().map(|found| cells(project, found)));
        }
        cursor = meta.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    if !global.json {
        let headings = ["PROJECT", "ASSEMBLY", "QUANTITY", "TOTAL", "IN"];
        output::print_table(headings, &rows, "Nothing uses it.");
        let number = |count: usize| counted(u64::try_from(count).unwrap_or(u64::MAX), "project", "projects");
        output::note(&format!("{} searched", number(searched)));
        if left_out > 0 {
            output::note(&format!("{} too large to be searched", number(left_out)));
        }
    }
    Ok(Exit::Done)
}

async fn page(client: &Client, target: &UsesOf, cursor: Option<String>) -> CommandResult<ListUsesResponse> {
    let limit = Some(PAGE.into());
    Ok(match target {
        UsesOf::Object(path, by) => {
            let query = ListObjectUsesQuery { by: *by, limit, cursor };
            client.call(ListObjectUses, path.clone()).query(&query).await?
        }
        UsesOf::Part(part) => {
            let query = ListUsesQuery { part: part.clone(), limit, cursor };
            client.call(ListUses, ()).query(&query).await?
        }
    })
}

fn cells(project: &UsingProject, found: &Use) -> [String; 5] {
    let unit = found.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let assembly = found.assembly.as_ref().map(|assembly| match assembly.object_count {
        1 => assembly.name.clone(),
        count => format!("{} ×{count}", assembly.name),
    });
    let products: Vec<&str> = found.products.iter().map(|product| product.name.as_str()).collect();
    [
        project.name.to_string(),
        assembly.unwrap_or_else(|| "-".to_owned()),
        format!("{}{unit}", found.quantity),
        format!("{}{unit}", found.total_quantity),
        products.join(", "),
    ]
}
