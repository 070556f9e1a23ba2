//! Export a project as NDJSON, to a file or to standard output.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use api::planning::imports::ExportProject;
use client::Client;
use domain::planning::project_export::{ExportEnd, ExportLine};
use reqwest::Response;

use crate::arguments::Global;
use crate::arguments::export::ProjectExport;
use crate::commands::download::check_place;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};

/// Most bytes of the last line: its fields have a bounded length.
const END_MAX_BYTES: usize = 1024;

/// Writes the export as it comes. A file gets its name once it is whole.
pub(crate) async fn run(client: &Client, arguments: ProjectExport, global: &Global) -> CommandResult<Exit> {
    let ProjectExport { project, output, force } = arguments;
    let file = output.filter(|file| file != Path::new("-"));
    if let Some(file) = &file {
        check_place(file, force)?;
    }
    let project = project.find(client, Beginning::Taken).await?;
    let response = client.call(ExportProject, project.record.id).response().await?;
    let Some(file) = file else {
        let end = copy(response, |bytes| {
            output::stream(bytes);
            Ok(())
        });
        told(&end.await?);
        return Ok(Exit::Done);
    };
    let part = part_of(&file);
    match write(response, &part, &file).await {
        Ok(end) => {
            told(&end);
            if global.json {
                output::json(&end);
            } else {
                output::note(&format!("{}: {}", file.display(), counted(end.lines, "line", "lines")));
            }
            Ok(Exit::Done)
        }
        Err(failure) => {
            // It may never have been made.
            drop(std::fs::remove_file(&part));
            Err(failure)
        }
    }
}

/// Writes the answer to `part`, and gives it its name.
async fn write(response: Response, part: &Path, file: &Path) -> CommandResult<ExportEnd> {
    let failed = |error: std::io::Error| CommandFailure::io(&format!("write {}", part.display()), &error);
    let mut written = File::create(part).map_err(failed)?;
    let end = copy(response, |bytes| written.write_all(bytes).map_err(failed)).await?;
    written.sync_all().map_err(failed)?;
    std::fs::rename(part, file)
        .map_err(|error| CommandFailure::io(&format!("write {}", file.display()), &error))?;
    Ok(end)
}

/// Gives the answer to `write` piece by piece; returns its last line.
async fn copy(
    mut response: Response,
    mut write: impl FnMut(&[u8]) -> CommandResult<()>,
) -> CommandResult<ExportEnd> {
    let broken = || {
        CommandFailure::new(Exit::Unreachable, "the connection broke within the answer")
            .next("The same command begins again.")
    };
    let mut tail = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|_| broken())? {
        write(&bytes)?;
        tail.extend_from_slice(&bytes);
        tail.drain(..tail.len().saturating_sub(END_MAX_BYTES));
    }
    end_of(&tail).ok_or_else(broken)
}

/// The last line, if these bytes end with one.
fn end_of(tail: &[u8]) -> Option<ExportEnd> {
    let lines = tail.strip_suffix(b"\n")?;
    match serde_json::from_slice(lines.rsplit(|byte| *byte == b'\n').next()?).ok()? {
        ExportLine::End(end) => Some(end),
        _ => None,
    }
}

fn told(end: &ExportEnd) {
    if end.changed {
        output::note("cards changed meanwhile: lines of one card may be of different moments");
    }
}

fn part_of(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".part");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn a_cut_answer_has_no_end() {
        let end =
            format!("{{\"kind\":\"end\",\"lines\":2,\"sha256\":\"{}\",\"changed\":false}}\n", "0".repeat(64));
        let whole = format!("{{\"kind\":\"tag\"}}\n{end}");
        assert_eq!(end_of(whole.as_bytes()).unwrap().lines, 2);
        assert_eq!(end_of(end.as_bytes()).unwrap().lines, 2);
        for cut in [whole.trim_end(), "{\"kind\":\"tag\"}\n", "", "\n"] {
            assert!(end_of(cut.as_bytes()).is_none(), "{cut}");
        }
    }
}
