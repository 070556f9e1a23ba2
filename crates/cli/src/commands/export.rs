//! Export a project or an organization as NDJSON, to a file or to standard output.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use api::planning::imports::{ExportOrganization, ExportProject};
use client::Client;
use domain::planning::organization_export::{OrganizationExportEnd, OrganizationExportLine};
use domain::planning::project_export::{ExportEnd, ExportLine};
use reqwest::Response;
use serde::Serialize;

use crate::arguments::Global;
use crate::arguments::export::ProjectExport;
use crate::commands::download::check_place;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted};
use crate::team::organization;

/// Most bytes of the last line: its fields have a bounded length.
const END_MAX_BYTES: usize = 1024;

/// The last line of an answer. In an organization's export, the end of a project is another one.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LastLine {
    Project(ExportEnd),
    Organization(OrganizationExportEnd),
}

/// The subject of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExportSubject {
    Project,
    Organization,
}

/// Writes the export as it comes. A file gets its name once it is whole.
pub(crate) async fn run(client: &Client, arguments: ProjectExport, global: &Global) -> CommandResult<Exit> {
    let ProjectExport { project, org, output, force } = arguments;
    let file = output.filter(|file| file != Path::new("-"));
    if let Some(file) = &file {
        check_place(file, force)?;
    }
    let (subject, response) = match (project, org) {
        (Some(project), _) => {
            let project = project.find(client, Beginning::Taken).await?;
            (ExportSubject::Project, client.call(ExportProject, project.record.id).response().await?)
        }
        (None, Some(org)) => {
            let organization = organization(client, &org, Beginning::Taken).await?;
            (ExportSubject::Organization, client.call(ExportOrganization, organization.id).response().await?)
        }
        (None, None) => return Err(CommandFailure::usage("name a project, or an organization with --org")),
    };
    let Some(file) = file else {
        let end = copy(response, subject, |bytes| {
            output::stream(bytes);
            Ok(())
        });
        told(&end.await?);
        return Ok(Exit::Done);
    };
    let part = part_of(&file);
    match write((response, subject), &part, &file).await {
        Ok(end) => {
            told(&end);
            if global.json {
                output::json(&end);
            } else {
                output::note(&format!("{}: {}", file.display(), counted(end.lines(), "line", "lines")));
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
async fn write(
    (response, subject): (Response, ExportSubject),
    part: &Path,
    file: &Path,
) -> CommandResult<LastLine> {
    let failed = |error: std::io::Error| CommandFailure::io(&format!("write {}", part.display()), &error);
    let mut written = File::create(part).map_err(failed)?;
    let end = copy(response, subject, |bytes| written.write_all(bytes).map_err(failed)).await?;
    written.sync_all().map_err(failed)?;
    std::fs::rename(part, file)
        .map_err(|error| CommandFailure::io(&format!("write {}", file.display()), &error))?;
    Ok(end)
}

/// Gives the answer to `write` piece by piece; returns its last line.
async fn copy(
    mut response: Response,
    subject: ExportSubject,
    mut write: impl FnMut(&[u8]) -> CommandResult<()>,
) -> CommandResult<LastLine> {
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
    end_of(&tail, subject).ok_or_else(broken)
}

/// The last line, if these bytes end with one.
fn end_of(tail: &[u8], subject: ExportSubject) -> Option<LastLine> {
    let lines = tail.strip_suffix(b"\n")?;
    let last = lines.rsplit(|byte| *byte == b'\n').next()?;
    match subject {
        ExportSubject::Project => match serde_json::from_slice(last).ok()? {
            ExportLine::End(end) => Some(LastLine::Project(end)),
            _ => None,
        },
        ExportSubject::Organization => match serde_json::from_slice(last).ok()? {
            OrganizationExportLine::OrganizationEnd(end) => Some(LastLine::Organization(end)),
            OrganizationExportLine::Organization(_) => None,
        },
    }
}

impl LastLine {
    fn lines(&self) -> u64 {
        match self {
            Self::Project(end) => end.lines,
            Self::Organization(end) => end.lines,
        }
    }
}

fn told(end: &LastLine) {
    if let LastLine::Project(ExportEnd { changed: true, .. }) = end {
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
    use super::{ExportSubject, end_of};

    #[test]
    fn a_cut_answer_has_no_end() {
        let end =
            format!("{{\"kind\":\"end\",\"lines\":2,\"sha256\":\"{}\",\"changed\":false}}\n", "0".repeat(64));
        let whole = format!("{{\"kind\":\"tag\"}}\n{end}");
        assert_eq!(end_of(whole.as_bytes(), ExportSubject::Project).unwrap().lines(), 2);
        assert_eq!(end_of(end.as_bytes(), ExportSubject::Project).unwrap().lines(), 2);
        for cut in [whole.trim_end(), "{\"kind\":\"tag\"}\n", "", "\n"] {
            assert!(end_of(cut.as_bytes(), ExportSubject::Project).is_none(), "{cut}");
        }
        // Cut behind one of its projects.
        assert!(end_of(whole.as_bytes(), ExportSubject::Organization).is_none());
        let sha256 = "0".repeat(64);
        let last =
            format!("{{\"kind\":\"organizationEnd\",\"projects\":1,\"lines\":3,\"sha256\":\"{sha256}\"}}\n");
        let organization = format!("{whole}{last}");
        assert_eq!(end_of(organization.as_bytes(), ExportSubject::Organization).unwrap().lines(), 3);
        assert!(end_of(organization.as_bytes(), ExportSubject::Project).is_none());
    }
}
