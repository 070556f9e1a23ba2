//! Show a bill of materials, or write it to a file.

use std::path::{Path, PathBuf};

use api::content::bom::{BomFormat, GetBom, GetBomQuery, GetBomResponse};
use client::Client;
use domain::content::bom::row::BomRow;
use domain::content::bom::{BomGrouping, BomView};
use domain::content::compare::Point;
use serde_json::Value;

use crate::arguments::Global;
use crate::arguments::bills::{BillFormat, Bom, SamePart};
use crate::commands::download::check_place;
use crate::commands::objects::shown;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::Project;

/// Prints or writes the bill of a place.
pub(crate) async fn run(client: &Client, arguments: Bom, global: &Global) -> CommandResult<Exit> {
    let Bom { place, flat, by, at, depth, properties, format, output, force } = arguments;
    let format = format_of(format, output.as_deref(), global.json)?;
    let file = output.filter(|file| file != Path::new("-"));
    if let Some(file) = &file {
        check_place(file, force)?;
    }
    let project = place.project.find(client, Beginning::Taken).await?;
    let root = project.object(client, &place.path).await?;
    let point = match at {
        Some(at) => at.find(client, &project).await?,
        None => Point::Branch(project.branch.clone()),
    };
    let (branch, commit) = match point.clone() {
        Point::Branch(branch) => (Some(branch), None),
        Point::Commit(commit) => (None, Some(commit)),
    };
    let query = GetBomQuery {
        root: (!place.path.is_empty()).then_some(root),
        branch,
        commit,
        view: flat.then_some(BomView::Flat),
        by: by.map(BomGrouping::from),
        depth,
        properties,
        format: match format {
            BillFormat::Table | BillFormat::Json => None,
            BillFormat::Csv => Some(BomFormat::Csv),
            BillFormat::Xlsx => Some(BomFormat::Xlsx),
        },
    };
    let bytes = fetch(client, (&project, &point), &query).await?;
    if format != BillFormat::Table {
        return write(&bytes, format, file);
    }
    let bill: GetBomResponse = serde_json::from_slice(&bytes)
        .map_err(|_| CommandFailure::new(Exit::Refused, "the service answered no bill of materials"))?;
    print(&bill);
    Ok(Exit::Done)
}

/// The format of the answer: the chosen one, else that of the file's ending.
fn format_of(chosen: Option<BillFormat>, output: Option<&Path>, is_json: bool) -> CommandResult<BillFormat> {
    let ending = output.and_then(Path::extension).and_then(|ending| ending.to_str()).map(str::to_lowercase);
    let of_ending = match ending.as_deref() {
        Some("csv") => Some(BillFormat::Csv),
        Some("json") => Some(BillFormat::Json),
        Some("xlsx") => Some(BillFormat::Xlsx),
        _ => None,
    };
    let format = chosen.or(is_json.then_some(BillFormat::Json)).or(of_ending);
    match (format, output) {
        (None | Some(BillFormat::Table), Some(file)) if file != Path::new("-") => {
            Err(CommandFailure::usage("a file is no place for a table of a terminal")
                .next("Choose a format: --format csv, json or xlsx"))
        }
        (Some(BillFormat::Xlsx), None) => Err(CommandFailure::usage("a workbook is no text")
            .next("Name a file: -o FILE, or -o - for standard output")),
        (format, _) => Ok(format.unwrap_or(BillFormat::Table)),
    }
}

async fn fetch(
    client: &Client,
    (project, point): (&Project, &Point),
    query: &GetBomQuery,
) -> CommandResult<Vec<u8>> {
    let response = match client.call(GetBom, project.record.id).query(query).response().await {
        Ok(response) => response,
        Err(error) => return Err(project.unless_missing(client, error, std::slice::from_ref(point)).await),
    };
    let broken = |_| CommandFailure::new(Exit::Unreachable, "the connection broke within the answer");
    Ok(response.bytes().await.map_err(broken)?.to_vec())
}

/// Writes a bill as it was answered; JSON ends with a line.
fn write(bytes: &[u8], format: BillFormat, file: Option<PathBuf>) -> CommandResult<Exit> {
    match file {
        Some(file) => {
            std::fs::write(&file, bytes)
                .map_err(|error| CommandFailure::io(&format!("write {}", file.display()), &error))?;
            output::note(&format!("{}", file.display()));
        }
        None if format == BillFormat::Json => {
            output::json(&serde_json::from_slice::<Value>(bytes).unwrap_or_default());
        }
        None => output::stream(bytes),
    }
    Ok(Exit::Done)
}

fn print(bill: &GetBomResponse) {
    let headings = ["NAME", "QUANTITY", "TOTAL", &bill.properties.join(", ").to_uppercase()];
    let rows: Vec<[String; 4]> = bill.rows.iter().map(|row| cells(row, &bill.properties)).collect();
    output::print_table(headings, &rows, "There are no parts.");
    for warning in &bill.warnings {
        let count = u64::try_from(warning.object_count).unwrap_or(u64::MAX);
        let objects = match count {
            0 => String::new(),
            count => format!(" ({})", output::counted(count, "object", "objects")),
        };
        output::note(&format!("{}{objects}", warning.message));
    }
}

fn cells(row: &BomRow, properties: &[String]) -> [String; 4] {
    let indent = "  ".repeat(usize::try_from(row.level).unwrap_or_default());
    let unit = row.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let mark = if row.available == Some(false) { "  (not readable)" } else { "" };
    let values = properties.iter().map(|name| {
        let values = row.properties.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
        match values {
            [] => "-".to_owned(),
            values => values.iter().map(shown).collect::<Vec<_>>().join("; "),
        }
    });
    [
        format!("{indent}{}{mark}", row.name),
        format!("{}{unit}", row.quantity),
        format!("{}{unit}", row.total_quantity),
        values.collect::<Vec<_>>().join(", "),
    ]
}

impl From<SamePart> for BomGrouping {
    fn from(rule: SamePart) -> Self {
        match rule {
            SamePart::Definition => Self::Definition,
            SamePart::Geometry => Self::Geometry,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::format_of;
    use crate::arguments::bills::BillFormat;

    #[test]
    fn a_file_decides_the_format_unless_one_is_chosen() {
        for (chosen, file, json, format) in [
            (None, None, false, Some(BillFormat::Table)),
            (None, None, true, Some(BillFormat::Json)),
            (None, Some("a.XLSX"), false, Some(BillFormat::Xlsx)),
            (None, Some("a.csv"), false, Some(BillFormat::Csv)),
            (Some(BillFormat::Json), Some("a.csv"), false, Some(BillFormat::Json)),
            (Some(BillFormat::Xlsx), Some("-"), false, Some(BillFormat::Xlsx)),
            (Some(BillFormat::Csv), None, false, Some(BillFormat::Csv)),
            (None, Some("-"), false, Some(BillFormat::Table)),
            (None, Some("a.txt"), false, None),
            (Some(BillFormat::Xlsx), None, false, None),
        ] {
            assert_eq!(format_of(chosen, file.map(Path::new), json).ok(), format, "{chosen:?} {file:?}");
        }
    }
}
