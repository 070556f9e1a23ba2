//! Import cards from another planning tool.

mod part;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use api::planning::imports::{
    GetImport, ImportPath, ListImportNotes, ListImportNotesQuery, ListImportNotesResponse,
};
use client::{Client, Export};
use domain::id::OrganizationId;
use domain::planning::import::{ImportNote, ImportRecord, ImportState, ImportTool};

use crate::arguments::Global;
use crate::arguments::import::Import;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};

/// How often a running import is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Notes of a request.
const PAGE: u32 = 100;

/// Sends the export, waits for its cards, and prints what isn't as in the file.
pub(crate) async fn run(client: &Client, arguments: Import, global: &Global) -> CommandResult<Exit> {
    let Import { tool, file, project, part, zone, columns, fields, dry_run } = arguments;
    let tool = ImportTool::from(tool);
    if part.is_some() && tool != ImportTool::Ndjson {
        return Err(CommandFailure::usage("--project is for the file of atelier export --org, with ndjson"));
    }
    let bytes = read(&file)?;
    let bytes = match part {
        Some(part) => part::of_project(&bytes, &part)?,
        None => bytes,
    };
    let project = project.find(client, Beginning::of_change(global.json)).await?;
    let organization = OrganizationId(project.record.owner_id.0);
    let (columns, fields) = (object(columns), object(fields));
    let name =
        file.file_name().map_or_else(|| "export".to_owned(), |name| name.to_string_lossy().into_owned());
    let export = Export {
        tool,
        project: project.record.id,
        name,
        bytes: bytes.into(),
        zone,
        columns,
        fields,
        is_dry_run: dry_run,
    };
    let begun = client.import(organization, &export).await?;
    let path = ImportPath { org_id: organization, import_id: begun.id };
    let import = end_of(client, path, begun).await?;
    if global.json {
        output::json(&import);
    } else {
        output::print(&summary(&import));
    }
    let notes = notes(client, path, global.json).await?;
    if !global.json && !notes.is_empty() {
        let rows: Vec<[String; 4]> = notes.into_iter().map(cells).collect();
        output::print("");
        output::print_table(["ISSUE", "FIELD", "VALUE", "RULE"], &rows, "");
    }
    match import.state {
        ImportState::Running | ImportState::Finished => Ok(Exit::Done),
        ImportState::Failed => {
            let why = import.failure.map_or_else(String::new, |code| format!(": {}", output::word(code)));
            Err(CommandFailure::new(Exit::Refused, format!("the import can't go on{why}"))
                .next("Its cards stay. The same command goes on."))
        }
    }
}

/// Pairs as an object in JSON; `None` without one.
fn object(pairs: Vec<(String, String)>) -> Option<String> {
    let pairs: BTreeMap<String, String> = pairs.into_iter().collect();
    (!pairs.is_empty()).then(|| serde_json::json!(pairs).to_string())
}

fn read(file: &Path) -> CommandResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().read_to_end(&mut bytes).map(drop),
        false => std::fs::read(file).map(|read| bytes = read),
    };
    read.map(|()| bytes).map_err(|error| {
        let exit = if error.kind() == std::io::ErrorKind::NotFound { Exit::NotFound } else { Exit::Refused };
        CommandFailure::new(exit, format!("{}: {error}", file.display()))
    })
}

/// The import once it has ended. Its progress goes to standard error.
async fn end_of(client: &Client, path: ImportPath, begun: ImportRecord) -> CommandResult<ImportRecord> {
    let (mut import, mut shown) = (begun, 0);
    while import.state == ImportState::Running {
        tokio::time::sleep(POLL_INTERVAL).await;
        import = client.call(GetImport, path).await?.import;
        let tenth = import.done.saturating_mul(10).checked_div(import.total).unwrap_or(10);
        if tenth > shown && import.state == ImportState::Running {
            shown = tenth;
            output::note(&format!("{} of {} done", import.done, import.total));
        }
    }
    Ok(import)
}

fn summary(import: &ImportRecord) -> String {
    let counts = &import.counts;
    let number = |count: u32, one: &str, many: &str| counted(u64::from(count), one, many);
    let made = number(counts.created, "card", "cards");
    let would = if import.is_dry_run { " would be made" } else { " made" };
    let boards = match (counts.boards, counts.sprints) {
        (0, _) => String::new(),
        (boards, sprints) => {
            format!(", {}, {}", number(boards, "board", "boards"), number(sprints, "sprint", "sprints"))
        }
    };
    format!(
        "{made}{would} of {}; {} had a card; {}, {}{boards}",
        number(counts.issues, "issue", "issues"),
        counts.existing,
        number(counts.comments, "comment", "comments"),
        number(counts.relations, "relation", "relations"),
    )
}

/// All notes; as JSON they are printed as they come.
async fn notes(client: &Client, path: ImportPath, is_json: bool) -> CommandResult<Vec<ImportNote>> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let query = ListImportNotesQuery { after, limit: Some(PAGE.into()) };
        let ListImportNotesResponse { notes, next_after } =
            client.call(ListImportNotes, path).query(&query).await?;
        if is_json {
            notes.iter().for_each(output::json);
        } else {
            all.extend(notes);
        }
        if next_after.is_none() {
            return Ok(all);
        }
        after = next_after;
    }
}

fn cells(note: ImportNote) -> [String; 4] {
    let place = note.issue.or_else(|| note.line.map(|line| format!("line {line}")));
    [place.unwrap_or_else(|| "-".to_owned()), note.field, note.value, note.reason]
}
